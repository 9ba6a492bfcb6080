# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/file_array.c %D%/file_array.h
libclpac_core_la_SOURCES += %D%/result.c %D%/result.h
libclpac_core_la_SOURCES += %D%/result_report.c
libclpac_core_la_SOURCES += %D%/result_measures.c
libclpac_core_la_SOURCES += %D%/result_peak.c
libclpac_core_la_SOURCES += %D%/result_stack.c
libclpac_core_la_SOURCES += %D%/words.c %D%/words.h
