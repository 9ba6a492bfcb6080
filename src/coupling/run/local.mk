# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/separate_windows.c %D%/separate_windows.h
libclpac_core_la_SOURCES += %D%/place.c %D%/place.h
libclpac_core_la_SOURCES += %D%/plan.c
libclpac_core_la_SOURCES += %D%/batch.c
libclpac_core_la_SOURCES += %D%/plan_options.c
libclpac_core_la_SOURCES += %D%/execute.c %D%/execute.h
libclpac_core_la_SOURCES += %D%/ahead.c %D%/ahead.h
libclpac_core_la_SOURCES += %D%/measures.c %D%/measures.h
libclpac_core_la_SOURCES += %D%/enqueue.c %D%/enqueue.h
libclpac_core_la_SOURCES += %D%/rehearse.c
libclpac_core_la_SOURCES += %D%/run.c
libclpac_core_la_SOURCES += %D%/problem_run.c
libclpac_core_la_SOURCES += %D%/team.c %D%/team.h
libclpac_core_la_SOURCES += %D%/team_report.c
libclpac_core_la_SOURCES += %D%/explain.c
libclpac_core_la_SOURCES += %D%/bank.c
libclpac_core_la_SOURCES += %D%/coupling.c
libclpac_core_la_SOURCES += %D%/erpac.c
libclpac_core_la_SOURCES += %D%/erpac_signals.c %D%/erpac_signals.h
libclpac_core_la_SOURCES += %D%/estimate.c
libclpac_core_la_SOURCES += %D%/making.h
if HAVE_OPENCL
libclpac_core_la_SOURCES += %D%/opencl_enqueue.c
endif
