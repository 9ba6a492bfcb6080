# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/native_compute.c
libclpac_core_la_SOURCES += %D%/lanes.c

# The kernels of cl/, compiled as C once per instruction set: CLPAC_ISA names the build, VW is the vector width that fits
# its registers.  The compiler tracks the .cl files that kernels.c includes.
# Vector types and statement expressions are GNU C.  The ABI note about vectors passed by value between builds is turned off,
# since none crosses a file.
native_kernels = %D%/kernels.c %D%/kernels.h %D%/opencl_c.h %D%/first_look.h
# Contraction is off, so that every instruction set, and every place in a vector, rounds alike.  Aliasing is allowed, since
# the same memory holds floats in one stage and integers in the next.  Square roots set no errno and comparisons raise no
# signal, or the compiler would not vectorise them.
native_kernel_flags = $(strict_cflags) $(KERNEL_OPT_CFLAGS) -std=gnu11 -Wno-pedantic -Wno-psabi \
	-Wno-unknown-warning-option -Wno-maybe-uninitialized \
	-ffp-contract=off -fno-strict-aliasing -fno-math-errno -fno-trapping-math

noinst_LTLIBRARIES += libclpac-native-baseline.la
libclpac_native_baseline_la_SOURCES = $(native_kernels)
libclpac_native_baseline_la_CPPFLAGS = $(code_cppflags) -DCLPAC_ISA=baseline -DVW=4
libclpac_native_baseline_la_CFLAGS = $(native_kernel_flags)
libclpac_core_la_LIBADD += libclpac-native-baseline.la

if HAVE_ISA_AVX2
noinst_LTLIBRARIES += libclpac-native-avx2.la
libclpac_native_avx2_la_SOURCES = $(native_kernels)
libclpac_native_avx2_la_CPPFLAGS = $(code_cppflags) -DCLPAC_ISA=avx2 -DVW=8
libclpac_native_avx2_la_CFLAGS = $(native_kernel_flags) $(ISA_AVX2_CFLAGS)
libclpac_core_la_LIBADD += libclpac-native-avx2.la
endif

if HAVE_ISA_AVX512
noinst_LTLIBRARIES += libclpac-native-avx512.la
libclpac_native_avx512_la_SOURCES = $(native_kernels)
libclpac_native_avx512_la_CPPFLAGS = $(code_cppflags) -DCLPAC_ISA=avx512 -DVW=16
libclpac_native_avx512_la_CFLAGS = $(native_kernel_flags) $(ISA_AVX512_CFLAGS)
libclpac_core_la_LIBADD += libclpac-native-avx512.la
endif
