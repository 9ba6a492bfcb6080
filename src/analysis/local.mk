# One line per file: libclpac_analysis_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_analysis_core_la_SOURCES += %D%/settings.c %D%/settings.h
libclpac_analysis_core_la_SOURCES += %D%/sink.h

include %D%/channels/local.mk
include %D%/epochs/local.mk
include %D%/stretches/local.mk
