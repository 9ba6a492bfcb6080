# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/list.c %D%/list.h
libclpac_memory_core_la_SOURCES += %D%/options.c %D%/options.h
libclpac_memory_core_la_SOURCES += %D%/properties.c %D%/properties.h
libclpac_memory_core_la_SOURCES += %D%/select.c
libclpac_memory_core_la_SOURCES += %D%/selection.c %D%/selection.h
libclpac_memory_core_la_SOURCES += %D%/device_text.c

if !WINDOWS
libclpac_memory_core_la_SOURCES += %D%/probe.c %D%/probe.h

# clpac-probe and tests alone have this file: no library makes a copy of its process.
noinst_LTLIBRARIES += libclpac-probe-child.la
libclpac_probe_child_la_SOURCES = %D%/probe_child.c %D%/probe_child.h
libclpac_probe_child_la_CPPFLAGS = $(code_cppflags)
libclpac_probe_child_la_CFLAGS = $(strict_cflags)
libclpac_probe_child_la_LIBADD = libclpac-base.la
endif
