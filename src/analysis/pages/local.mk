libclpac_analysis_core_la_SOURCES += %D%/methods.c
libclpac_analysis_core_la_SOURCES += %D%/page.c
libclpac_analysis_core_la_SOURCES += %D%/page.h
libclpac_analysis_core_la_SOURCES += %D%/result.c
