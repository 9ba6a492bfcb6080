libclpac_analysis_core_la_SOURCES += %D%/compared.c %D%/compared.h
libclpac_analysis_core_la_SOURCES += %D%/comparison.c %D%/comparison.h
libclpac_analysis_core_la_SOURCES += %D%/signals.c %D%/signals.h
libclpac_analysis_core_la_SOURCES += %D%/subjects.c %D%/subjects.h
