# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/noted.c
libclpac_memory_core_la_SOURCES += %D%/recorder.c
libclpac_memory_core_la_SOURCES += %D%/scope.c
libclpac_memory_core_la_SOURCES += %D%/trace_hooks.c %D%/trace_hooks.h
libclpac_memory_core_la_SOURCES += %D%/trace_read.c
libclpac_memory_core_la_SOURCES += %D%/tracker.c
libclpac_memory_core_la_SOURCES += %D%/tracker_report.c
