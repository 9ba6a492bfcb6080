libclpac_analysis_core_la_SOURCES += %D%/merge.c %D%/merge.h
