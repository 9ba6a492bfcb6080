libclpac_analysis_core_la_SOURCES += %D%/epoch_parts.c %D%/epoch_parts.h
libclpac_analysis_core_la_SOURCES += %D%/epochs.c %D%/epochs.h
