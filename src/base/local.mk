# One line per file: libclpac_base_la_SOURCES += %D%/file.c %D%/file.h
libclpac_base_la_SOURCES += %D%/ascii.c %D%/ascii.h
libclpac_base_la_SOURCES += %D%/biased_latch.c
libclpac_base_la_SOURCES += %D%/cancel.h
libclpac_base_la_SOURCES += %D%/clean.c %D%/clean.h
libclpac_base_la_SOURCES += %D%/clock.c %D%/clock.h
libclpac_base_la_SOURCES += %D%/environment.c %D%/environment.h
libclpac_base_la_SOURCES += %D%/error.c %D%/error.h
libclpac_base_la_SOURCES += %D%/flat.c %D%/flat.h
libclpac_base_la_SOURCES += %D%/folder.c %D%/folder.h
libclpac_base_la_SOURCES += %D%/half.c %D%/half.h
libclpac_base_la_SOURCES += %D%/hash.h
libclpac_base_la_SOURCES += %D%/inherited.c %D%/inherited.h
libclpac_base_la_SOURCES += %D%/keys.c %D%/keys.h
libclpac_base_la_SOURCES += %D%/latch.h
libclpac_base_la_SOURCES += %D%/memory.c %D%/memory.h
libclpac_base_la_SOURCES += %D%/number.c %D%/number.h
libclpac_base_la_SOURCES += %D%/process.c %D%/process.h
libclpac_base_la_SOURCES += %D%/process_barrier.c
libclpac_base_la_SOURCES += %D%/regular_file.c %D%/regular_file.h
libclpac_base_la_SOURCES += %D%/sized.c %D%/sized.h
libclpac_base_la_SOURCES += %D%/text.c %D%/text.h
libclpac_base_la_SOURCES += %D%/thread.c %D%/thread.h
libclpac_base_la_SOURCES += %D%/utf8.c %D%/utf8.h
libclpac_base_la_SOURCES += %D%/whole_file.c %D%/whole_file.h

# Public functions: part of one library only, so that no other exports them again.
libclpac_memory_core_la_SOURCES += %D%/cancel.c
