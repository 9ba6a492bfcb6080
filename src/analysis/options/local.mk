libclpac_analysis_core_la_SOURCES += %D%/options.c %D%/options.h
libclpac_analysis_core_la_SOURCES += %D%/tables.c %D%/tables.h
libclpac_analysis_core_la_SOURCES += %D%/words.c %D%/words.h
