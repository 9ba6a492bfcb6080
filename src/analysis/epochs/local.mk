libclpac_analysis_core_la_SOURCES += %D%/epoch_parts.c %D%/epoch_parts.h
libclpac_analysis_core_la_SOURCES += %D%/epochs.c %D%/epochs.h
libclpac_analysis_core_la_SOURCES += %D%/event_texts.c %D%/event_texts.h
