libclpac_analysis_core_la_SOURCES += %D%/channels.c %D%/channels.h
libclpac_analysis_core_la_SOURCES += %D%/pairs.c %D%/pairs.h
