libclpac_analysis_core_la_SOURCES += %D%/checkpoints.c %D%/checkpoints.h
libclpac_analysis_core_la_SOURCES += %D%/kept_names.c %D%/kept_names.h
libclpac_analysis_core_la_SOURCES += %D%/report_text.c %D%/report_text.h
libclpac_analysis_core_la_SOURCES += %D%/request.c %D%/request.h
libclpac_analysis_core_la_SOURCES += %D%/stamp.c %D%/stamp.h
