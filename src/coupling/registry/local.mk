# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/choice.c
libclpac_core_la_SOURCES += %D%/engines.c %D%/engines.h
libclpac_core_la_SOURCES += %D%/kernels.c %D%/kernels.h
