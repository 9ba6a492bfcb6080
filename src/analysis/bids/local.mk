libclpac_analysis_core_la_SOURCES += %D%/bids.h
libclpac_analysis_core_la_SOURCES += %D%/dataset.c
libclpac_analysis_core_la_SOURCES += %D%/describe.c
libclpac_analysis_core_la_SOURCES += %D%/groups.c
libclpac_analysis_core_la_SOURCES += %D%/ignored.c
libclpac_analysis_core_la_SOURCES += %D%/subject_page.c
