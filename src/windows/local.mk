# What POSIX.1-2008 has and Windows lacks; headers beside the compiler's in posix/.
libclpac_base_la_SOURCES += %D%/files.c
libclpac_base_la_SOURCES += %D%/machine.c
libclpac_base_la_SOURCES += %D%/memory_map.c
libclpac_base_la_SOURCES += %D%/program.c
libclpac_base_la_SOURCES += %D%/signals.c
libclpac_base_la_SOURCES += %D%/text.c
libclpac_base_la_SOURCES += %D%/wide.c %D%/wide.h
libclpac_base_la_SOURCES += %D%/posix/dirent.h %D%/posix/fcntl.h %D%/posix/fnmatch.h %D%/posix/limits.h %D%/posix/locale.h
libclpac_base_la_SOURCES += %D%/posix/math.h %D%/posix/name.h %D%/posix/pwd.h %D%/posix/signal.h %D%/posix/stdio.h %D%/posix/stdlib.h
libclpac_base_la_SOURCES += %D%/posix/string.h %D%/posix/unistd.h %D%/posix/sys/file.h %D%/posix/sys/mman.h
libclpac_base_la_SOURCES += %D%/posix/sys/resource.h %D%/posix/sys/stat.h %D%/posix/sys/utsname.h

# Windows reads the program's manifest in the program itself.
program_resources = %D%/program.res.$(OBJEXT)
CLEANFILES += $(program_resources)
%D%/program.res.$(OBJEXT): %D%/program.rc %D%/program.manifest
	$(AM_V_GEN)$(MKDIR_P) %D% && $(WINDRES) -I '$(srcdir)/%D%' -o $@ '$(srcdir)/%D%/program.rc'
