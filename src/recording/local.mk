# One line per file: libclpac_io_core_la_SOURCES += %D%/file.c %D%/file.h
# This folder holds the common parts of readers, writers and plots.  None of the three includes another.
libclpac_io_core_la_SOURCES += %D%/result_words.h
libclpac_io_core_la_SOURCES += %D%/result_words.c
libclpac_io_core_la_SOURCES += %D%/borrowed.c
libclpac_io_core_la_SOURCES += %D%/channel_kind.c %D%/channel_kind.h %D%/channel_words.def
libclpac_io_core_la_SOURCES += %D%/checksum.c
libclpac_io_core_la_SOURCES += %D%/devices_format.c %D%/devices_format.h
libclpac_io_core_la_SOURCES += %D%/file_text.c %D%/file_text.h
libclpac_io_core_la_SOURCES += %D%/io_parts.c
libclpac_io_core_la_SOURCES += %D%/json_text.c %D%/json_text.h
libclpac_io_core_la_SOURCES += %D%/output.c %D%/output.h %D%/output_parts.h
libclpac_io_core_la_SOURCES += %D%/output_set.c
libclpac_io_core_la_SOURCES += %D%/placement.c %D%/placement.h
libclpac_io_core_la_SOURCES += %D%/recording.c %D%/recording.h
libclpac_io_core_la_SOURCES += %D%/recording_samples.c
libclpac_io_core_la_SOURCES += %D%/resample.c %D%/resample.h
libclpac_io_core_la_SOURCES += %D%/result_identity.c %D%/result_identity.h
libclpac_io_core_la_SOURCES += %D%/set_journal.c %D%/set_journal.h
libclpac_io_core_la_SOURCES += %D%/temporary_files.h
libclpac_io_core_la_SOURCES += %D%/temporary_files.c

include %D%/read/local.mk
include %D%/write/local.mk
include %D%/plot/local.mk
