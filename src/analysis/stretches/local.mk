libclpac_analysis_core_la_SOURCES += %D%/annotations.c
libclpac_analysis_core_la_SOURCES += %D%/parts.c %D%/parts.h
libclpac_analysis_core_la_SOURCES += %D%/segments.c
libclpac_analysis_core_la_SOURCES += %D%/stretches.c %D%/stretches.h
