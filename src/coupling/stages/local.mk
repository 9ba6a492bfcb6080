# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/compute.c %D%/compute.h
libclpac_core_la_SOURCES += %D%/loads.c %D%/loads.h
libclpac_core_la_SOURCES += %D%/pulse.c %D%/pulse.h
libclpac_core_la_SOURCES += %D%/stages.c %D%/stages.h %D%/stages.def
