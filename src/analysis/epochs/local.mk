libclpac_analysis_core_la_SOURCES += %D%/epoch_parts.c
libclpac_analysis_core_la_SOURCES += %D%/epochs.c %D%/epochs.h
