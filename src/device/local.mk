# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/list.c %D%/list.h
libclpac_core_la_SOURCES += %D%/probe.c %D%/probe.h
libclpac_core_la_SOURCES += %D%/properties.c
libclpac_core_la_SOURCES += %D%/select.c
libclpac_core_la_SOURCES += %D%/selection.c %D%/selection.h
libclpac_core_la_SOURCES += %D%/snapshot.c
libclpac_core_la_SOURCES += %D%/text.c
