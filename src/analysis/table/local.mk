libclpac_analysis_core_la_SOURCES += %D%/table.c %D%/table.h
