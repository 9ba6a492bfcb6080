libclpac_analysis_core_la_SOURCES += %D%/sentences.c
libclpac_analysis_core_la_SOURCES += %D%/sentences.h
