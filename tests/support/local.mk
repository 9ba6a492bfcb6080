# Common parts of several tests, in one archive; a test takes from it only the parts that it calls.
# One line per file: libclpac_tests_la_SOURCES += %D%/file.c %D%/file.h
libclpac_tests_la_SOURCES += %D%/runner.c %D%/runner.h
libclpac_tests_la_SOURCES += %D%/test_thread.c %D%/test_thread.h
libclpac_tests_la_SOURCES += %D%/assertions.h
libclpac_tests_la_SOURCES += %D%/random.h %D%/noise.c %D%/noise.h
libclpac_tests_la_SOURCES += %D%/async_bench.c %D%/async_bench.h
libclpac_tests_la_SOURCES += %D%/clusters_truth.c %D%/clusters_truth.h
libclpac_tests_la_SOURCES += %D%/edf_file.c %D%/edf_file.h
libclpac_tests_la_SOURCES += %D%/evidence.c %D%/evidence.h
libclpac_tests_la_SOURCES += %D%/files.c %D%/files.h
libclpac_tests_la_SOURCES += %D%/locales.c %D%/locales.h
libclpac_tests_la_SOURCES += %D%/made_result.c %D%/made_result.h
libclpac_tests_la_SOURCES += %D%/maxima_truth.c %D%/maxima_truth.h
libclpac_tests_la_SOURCES += %D%/newer.h
libclpac_tests_la_SOURCES += %D%/group_truth.c %D%/group_truth.h
libclpac_tests_la_SOURCES += %D%/null_truth.c %D%/null_truth.h
libclpac_tests_la_SOURCES += %D%/offsets_shadow.c %D%/offsets_shadow.h
libclpac_tests_la_SOURCES += %D%/oracle.c %D%/oracle.h
libclpac_tests_la_SOURCES += %D%/pool_truth.c %D%/pool_truth.h
libclpac_tests_la_SOURCES += %D%/queue_kernels.h
libclpac_tests_la_SOURCES += %D%/recordings.c %D%/recordings.h
libclpac_tests_la_SOURCES += %D%/results.c %D%/results.h
libclpac_tests_la_SOURCES += %D%/simulated.c %D%/simulated.h %D%/simulated_order.c %D%/simulated_order.h
libclpac_tests_la_SOURCES += %D%/store_truth.c %D%/store_truth.h
libclpac_tests_la_SOURCES += %D%/vectors.c %D%/vectors.h

EXTRA_DIST += %D%/locale.sh %D%/script.sh %D%/check-is-missing.test %D%/installcheck.sh
