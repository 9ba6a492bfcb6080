# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/list.c %D%/list.h
libclpac_memory_core_la_SOURCES += %D%/options.c %D%/options.h
libclpac_memory_core_la_SOURCES += %D%/probe.c %D%/probe.h
libclpac_memory_core_la_SOURCES += %D%/properties.c %D%/properties.h
libclpac_memory_core_la_SOURCES += %D%/select.c
libclpac_memory_core_la_SOURCES += %D%/selection.c %D%/selection.h
libclpac_memory_core_la_SOURCES += %D%/device_text.c
