libclpac_analysis_core_la_SOURCES += %D%/flats.c %D%/flats.h
libclpac_analysis_core_la_SOURCES += %D%/hold.c %D%/hold.h
libclpac_analysis_core_la_SOURCES += %D%/samples.c %D%/samples.h
