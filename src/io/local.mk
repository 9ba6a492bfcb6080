# One line per file: libclpac_io_core_la_SOURCES += %D%/file.c %D%/file.h
# This folder holds the common parts of readers, writers and plots.  None of the three includes another.
libclpac_io_core_la_SOURCES += %D%/checksum.c
libclpac_io_core_la_SOURCES += %D%/devices_format.c %D%/devices_format.h
libclpac_io_core_la_SOURCES += %D%/file_text.c %D%/file_text.h
libclpac_io_core_la_SOURCES += %D%/json_text.c %D%/json_text.h
libclpac_io_core_la_SOURCES += %D%/live_files.c %D%/live_files.h
libclpac_io_core_la_SOURCES += %D%/output.c %D%/output.h
libclpac_io_core_la_SOURCES += %D%/recording.c %D%/recording.h

include %D%/read/local.mk
include %D%/write/local.mk
include %D%/plot/local.mk
