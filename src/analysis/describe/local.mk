libclpac_analysis_core_la_SOURCES += %D%/contents.c %D%/contents.h
libclpac_analysis_core_la_SOURCES += %D%/facts.c %D%/facts.h
libclpac_analysis_core_la_SOURCES += %D%/flat_runs.c %D%/flat_runs.h
libclpac_analysis_core_la_SOURCES += %D%/forecast.c %D%/forecast.h
libclpac_analysis_core_la_SOURCES += %D%/prospects.c %D%/prospects.h
