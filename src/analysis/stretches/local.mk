libclpac_analysis_core_la_SOURCES += %D%/annotations.c %D%/annotations.h
libclpac_analysis_core_la_SOURCES += %D%/parts.c %D%/parts.h
libclpac_analysis_core_la_SOURCES += %D%/segments.c %D%/segments.h
libclpac_analysis_core_la_SOURCES += %D%/stretches.c %D%/stretches.h
