libclpac_analysis_core_la_SOURCES += %D%/comparison_sentence.c
libclpac_analysis_core_la_SOURCES += %D%/peak.c %D%/peak.h
libclpac_analysis_core_la_SOURCES += %D%/run_sentence.c
libclpac_analysis_core_la_SOURCES += %D%/sentences.h
libclpac_analysis_core_la_SOURCES += %D%/subjects_sentence.c
libclpac_analysis_core_la_SOURCES += %D%/trials_sentence.c
