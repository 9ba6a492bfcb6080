# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
# This file is read only where OpenCL is enabled.
libclpac_memory_core_la_SOURCES += %D%/calls.c %D%/calls.h
libclpac_memory_core_la_SOURCES += %D%/checked_calls.c %D%/checked_calls.h
libclpac_memory_core_la_SOURCES += %D%/codes.c
libclpac_memory_core_la_SOURCES += %D%/discover.c %D%/discover.h
libclpac_memory_core_la_SOURCES += %D%/facts.c
libclpac_memory_core_la_SOURCES += %D%/libraries.c %D%/libraries.h
libclpac_memory_core_la_SOURCES += %D%/log.c %D%/log.h
libclpac_memory_core_la_SOURCES += %D%/cl.h %D%/opencl.h
libclpac_memory_core_la_SOURCES += %D%/opencl_block.c
libclpac_memory_core_la_SOURCES += %D%/opencl_event.c
libclpac_memory_core_la_SOURCES += %D%/opencl_probe.c %D%/opencl_probe.h
libclpac_memory_core_la_SOURCES += %D%/opencl_queue.c
libclpac_memory_core_la_SOURCES += %D%/quirks.c %D%/quirks.h
libclpac_memory_core_la_SOURCES += %D%/serial.c
libclpac_memory_core_la_SOURCES += %D%/vendors.c %D%/vendors.h
libclpac_memory_core_la_SOURCES += %D%/verdict.c %D%/verdict.h

# The program that tries out drivers, in a folder that the library finds from its own place.
probeexec_PROGRAMS += clpac-probe
clpac_probe_SOURCES = %D%/probe_program.c
clpac_probe_CPPFLAGS = $(code_cppflags) $(OPENCL_CFLAGS)
clpac_probe_CFLAGS = $(strict_cflags) $(PIE_CFLAGS)
clpac_probe_LDFLAGS = $(HARDENING_LDFLAGS) $(PIE_LDFLAGS)
clpac_probe_LDADD = libclpac-probe-child.la libclpac-memory-core.la libclpac-base.la

# At the same place beside the library that is not installed yet.
all-local: .libs/$(PROBE_FOLDER)/clpac-probe$(EXEEXT)
.libs/$(PROBE_FOLDER)/clpac-probe$(EXEEXT): clpac-probe$(EXEEXT)
	$(AM_V_at)$(MKDIR_P) .libs/$(PROBE_FOLDER) && rm -f $@ && ln -s ../../clpac-probe$(EXEEXT) $@
