# One line per file: libclpac_analysis_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_analysis_core_la_SOURCES += %D%/inputs.c %D%/inputs.h
libclpac_analysis_core_la_SOURCES += %D%/json_tree.c %D%/json_tree.h
libclpac_analysis_core_la_SOURCES += %D%/room.c %D%/room.h
libclpac_analysis_core_la_SOURCES += %D%/settings.c %D%/settings.h
libclpac_analysis_core_la_SOURCES += %D%/synthetic.c %D%/synthetic.h

include %D%/bids/local.mk
include %D%/channels/local.mk
include %D%/checkpoints/local.mk
include %D%/describe/local.mk
include %D%/epochs/local.mk
include %D%/group/local.mk
include %D%/interface/local.mk
include %D%/merge/local.mk
include %D%/options/local.mk
include %D%/pages/local.mk
include %D%/run/local.mk
include %D%/samples/local.mk
include %D%/sentences/local.mk
include %D%/stretches/local.mk
include %D%/table/local.mk
