libclpac_analysis_core_la_SOURCES += %D%/analysis.c %D%/analysis.h
libclpac_analysis_core_la_SOURCES += %D%/call.c %D%/call.h
libclpac_analysis_core_la_SOURCES += %D%/compute.c
libclpac_analysis_core_la_SOURCES += %D%/files.c
libclpac_analysis_core_la_SOURCES += %D%/statistics.c
libclpac_analysis_core_la_SOURCES += %D%/synth.c
