libclpac_analysis_core_la_SOURCES += %D%/contents.c %D%/contents.h
libclpac_analysis_core_la_SOURCES += %D%/forecast.c %D%/forecast.h
