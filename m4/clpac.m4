# clpac.m4 - the macros of clpac's configure.ac.

# CLPAC_FEATURE(option, VARIABLE, feature, pkg-config modules, header, library, call, Debian package, [needs])
# --with-option=auto|yes|no.  Asks pkg-config, then the compiler alone, and links a call in either case, since a module
# without its header or library is useless.  Sets have_option, and why_option for the summary; "yes" fails when missing.
# A non-empty "needs" is the reason, already known, why the feature cannot be on.
AC_DEFUN([CLPAC_FEATURE], [
	AC_ARG_WITH([$1],
		[AS_HELP_STRING([--with-$1=auto|yes|no], [$3 (default: auto)])], [], [with_$1=auto])
	AS_CASE([$with_$1],
		[auto|yes|no], [],
		[AC_MSG_ERROR([--with-$1=$with_$1: give auto, yes or no])])
	have_$1=no
	clpac_needs="$9"
	AS_IF([test "$with_$1" = no], [why_$1='no: switched off by the options of configure'],
	      [test -n "$clpac_needs"], [why_$1="no: $clpac_needs"], [
		PKG_CHECK_MODULES([$2], [$4], [], [
			$2_CFLAGS=
			$2_LIBS="-l$6"
		])
		clpac_save_CPPFLAGS=$CPPFLAGS
		clpac_save_LIBS=$LIBS
		CPPFLAGS="$CPPFLAGS $$2_CFLAGS"
		LIBS="$$2_LIBS $LIBS"
		AC_MSG_CHECKING([whether $1 links])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <stdio.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <$5>]], [[(void)$7;]])], [have_$1=yes], [have_$1=no])
		AC_MSG_RESULT([$have_$1])
		CPPFLAGS=$clpac_save_CPPFLAGS
		LIBS=$clpac_save_LIBS
		AS_IF([test "$have_$1" = yes], [why_$1=yes],
			[why_$1='no: <$5> or -l$6 is missing (Debian: $8)'])
	])
	AS_IF([test "$with_$1" = yes && test "$have_$1" = no],
		[AC_MSG_ERROR([--with-$1=yes, but $why_$1])])
	AS_IF([test "$have_$1" = yes],
		[AC_DEFINE([HAVE_$2], [1], [Define to 1 for $3.])],
		[$2_CFLAGS= $2_LIBS=])
	AM_CONDITIONAL([HAVE_$2], [test "$have_$1" = yes])
])

# CLPAC_ISA(name, VARIABLE, compiler flags) - whether kernels can also be built for this x86-64 instruction set.
AC_DEFUN([CLPAC_ISA], [
	have_isa_$1=no
	AS_CASE([$host_cpu], [x86_64|amd64], [
		AC_MSG_CHECKING([whether the compiler builds for $1])
		clpac_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS $3"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
typedef float wide __attribute__((vector_size(64)));
wide a, b;]], [[a = a * b + a;]])],
			[have_isa_$1=yes], [])
		CFLAGS=$clpac_save_CFLAGS
		AC_MSG_RESULT([$have_isa_$1])
	])
	AS_IF([test "$have_isa_$1" = yes], [
		AC_DEFINE([HAVE_ISA_$2], [1], [Define to 1 if the kernels are also built for $1.])
		isa_list="$isa_list $1"
	])
	AC_SUBST([ISA_$2_CFLAGS], ["$3"])
	AM_CONDITIONAL([HAVE_ISA_$2], [test "$have_isa_$1" = yes])
])

# CLPAC_PTHREAD - POSIX threads, with -pthread where the compiler takes it; every compiler known to work does.
AC_DEFUN([CLPAC_PTHREAD], [
	AC_MSG_CHECKING([for POSIX threads])
	clpac_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -pthread"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <pthread.h>
static void *run(void *x) { return x; }]], [[pthread_t t; return pthread_create(&t, 0, run, 0);]])],
		[AC_MSG_RESULT([-pthread])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([clpac needs POSIX threads])])
	CFLAGS=$clpac_save_CFLAGS
	AC_SUBST([PTHREAD_CFLAGS], [-pthread])
	AC_SUBST([PTHREAD_LIBS], [-pthread])
])

# CLPAC_WINDOWS - what mingw-w64 needs: Windows 10 or later, printf as C11 has it, and the headers of src/windows.  Its stacks
# are aligned to 16 bytes, so that vectors of 32 and 64 on them must not be moved by instructions for aligned ones.
AC_DEFUN([CLPAC_WINDOWS], [
	SYSTEM_CPPFLAGS='-D_WIN32_WINNT=0x0A00 -DWIN32_LEAN_AND_MEAN -D_FILE_OFFSET_BITS=64 -D__USE_MINGW_ANSI_STDIO=1 -D__USE_MINGW_ACCESS -D_POSIX_THREAD_SAFE_FUNCTIONS -isystem $(top_srcdir)/src/windows/posix'
	SYSTEM_CFLAGS=-Wa,-muse-unaligned-vector-move
	# Check's header takes formats for those of Windows' own library.
	TESTS_CFLAGS='-Wno-format -Wno-format-extra-args'
	AC_MSG_CHECKING([whether the assembler moves vectors wherever they lie])
	clpac_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $SYSTEM_CFLAGS"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([the assembler does not know -muse-unaligned-vector-move: clpac needs binutils 2.38 or later for Windows])])
	CFLAGS=$clpac_save_CFLAGS
	AC_CHECK_TOOL([WINDRES], [windres])
	AS_IF([test -z "$WINDRES"], [AC_MSG_ERROR([windres is missing: install binutils for Windows])])
])

# CLPAC_WARNINGS - warnings end the build only on request: another compiler gives other warnings.
AC_DEFUN([CLPAC_WARNINGS], [
	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror], [treat warnings of the compiler as errors])], [], [enable_werror=no])
	AS_IF([test "$enable_werror" != no], [WARNING_CFLAGS=-Werror], [WARNING_CFLAGS=])
	# An error's text is cut at its 1024 bytes on purpose; not every compiler knows the warning about it.
	AC_MSG_CHECKING([whether the compiler knows -Wformat-truncation])
	clpac_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Wformat-truncation -Werror"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes])
		WARNING_CFLAGS="-Wno-format-truncation $WARNING_CFLAGS"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$clpac_save_CFLAGS
	AC_SUBST([WARNING_CFLAGS])
])

# CLPAC_SANITIZERS - the first error ends the program, so that no test continues after it.
AC_DEFUN([CLPAC_SANITIZERS], [
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers=LIST], [build everything with -fsanitize=LIST, as address,undefined or thread])],
		[], [enable_sanitizers=no])
	AS_CASE([$enable_sanitizers], [yes], [enable_sanitizers=address,undefined])
	AS_IF([test "$enable_sanitizers" != no], [
		clpac_flags="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
		CFLAGS="$CFLAGS $clpac_flags"
		LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizers"
		AC_MSG_CHECKING([whether -fsanitize=$enable_sanitizers links])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AC_MSG_ERROR([the compiler cannot link -fsanitize=$enable_sanitizers])])
	])
	AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" != no])
])

# CLPAC_OPTIMISATION - takes the -O flag out of CFLAGS, since automake puts CFLAGS last and the kernels need -O3 where the
# rest has -O2.  A level chosen for a debugger (-O0, -Og) or for size holds for the kernels too, and a level given to make
# itself, as in "make CFLAGS=-O1", still comes last and wins.
AC_DEFUN([CLPAC_OPTIMISATION], [
	OPT_CFLAGS=
	clpac_rest=
	for clpac_flag in $CFLAGS; do
		AS_CASE([$clpac_flag],
			[-O*], [OPT_CFLAGS=$clpac_flag],
			[AS_VAR_APPEND([clpac_rest], ["${clpac_rest:+ }$clpac_flag"])])
	done
	CFLAGS=$clpac_rest
	AS_CASE([$OPT_CFLAGS],
		[-O0|-Og|-Os|-Oz], [KERNEL_OPT_CFLAGS=$OPT_CFLAGS],
		[KERNEL_OPT_CFLAGS=-O3])
	# gcc unrolls a loop over the 18 bins early enough to keep their sums in registers only with these limits.
	clpac_unroll="--param max-completely-peel-times=32 --param max-completely-peeled-insns=8000"
	AC_MSG_CHECKING([whether the compiler knows gcc's limits of unrolling])
	clpac_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $clpac_unroll"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes])
		AS_CASE([$KERNEL_OPT_CFLAGS], [-O3], [KERNEL_OPT_CFLAGS="$KERNEL_OPT_CFLAGS $clpac_unroll"])],
		[AC_MSG_RESULT([no])])
	CFLAGS=$clpac_save_CFLAGS
	AC_SUBST([OPT_CFLAGS])
	AC_SUBST([KERNEL_OPT_CFLAGS])
])

# CLPAC_HARDENING - the compiler's defences, where it has them: checked copies (_FORTIFY_SOURCE), guards on the stack, a table of
# functions that is read-only after start, and a program at a random address (PIE).  Copies are checked only in optimised code, and
# not beside sanitizers, which watch the plain functions.  After CLPAC_SANITIZERS and CLPAC_OPTIMISATION.
# On Windows checked calls would take the place of those of src/windows, and guards need another library.
AC_DEFUN([CLPAC_HARDENING], [
	AC_ARG_ENABLE([hardening],
		[AS_HELP_STRING([--disable-hardening], [build without _FORTIFY_SOURCE, stack protector, full RELRO and PIE])],
		[], [enable_hardening=yes])
	HARDENING= HARDENING_CFLAGS= HARDENING_LDFLAGS= PIE_CFLAGS= PIE_LDFLAGS=
	AS_IF([test $is_windows = yes], [enable_hardening=no])
	clpac_level=no
	AS_CASE([$OPT_CFLAGS], [''|-O0], [], [AS_IF([test "$enable_sanitizers" = no], [clpac_level='3 2'])])
	AS_IF([test "$enable_hardening" != no], [
		for clpac_try in $clpac_level; do
			AS_IF([test "$clpac_try" != no], [
				CLPAC_DEFENCE([fortify=$clpac_try], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$clpac_try], [],
					[HARDENING_CFLAGS], [clpac_unused])
			])
			AS_CASE([$HARDENING], [*fortify*], [break])
		done
		CLPAC_DEFENCE([stack-protector], [-fstack-protector-strong], [], [HARDENING_CFLAGS], [clpac_unused])
		CLPAC_DEFENCE([relro], [], [-Wl,-z,relro -Wl,-z,now], [clpac_unused], [HARDENING_LDFLAGS])
		CLPAC_DEFENCE([pie], [-fPIE], [-pie], [PIE_CFLAGS], [PIE_LDFLAGS])
	])
	AC_SUBST([HARDENING])
	AC_SUBST([HARDENING_CFLAGS])
	AC_SUBST([HARDENING_LDFLAGS])
	AC_SUBST([PIE_CFLAGS])
	AC_SUBST([PIE_LDFLAGS])
])

# CLPAC_DEFENCE(name, compiler flags, linker flags, VARIABLE for the first, VARIABLE for the second) - takes the flags, and adds the
# name to HARDENING, where a program is made with them without a warning.
AC_DEFUN([CLPAC_DEFENCE], [
	AC_MSG_CHECKING([for $1])
	clpac_save_CFLAGS=$CFLAGS
	clpac_save_LDFLAGS=$LDFLAGS
	CFLAGS="$OPT_CFLAGS $CFLAGS $2 -Werror"
	LDFLAGS="$LDFLAGS $3"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <stdio.h>
#include <string.h>]], [[char text[8]; return !fgets(text, sizeof text, stdin) || strlen(text) > 3;]])],
		[AC_MSG_RESULT([yes])
		HARDENING="$HARDENING $1"
		$4="$$4 $2"
		$5="$$5 $3"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$clpac_save_CFLAGS
	LDFLAGS=$clpac_save_LDFLAGS
])
