# The tests: C programs with Check, and scripts.  All speak TAP to automake's driver.
#
#     a program   clpac_tests += %D%/test_topic           the source is %D%/test_topic.c
#     a script    clpac_test_scripts += %D%/topic.test    TAP, whose plan is "1..0 # SKIP reason" where it cannot run;
#                                                         one that ends without a plan has failed
#
# Both are one line in the local.mk of the test's folder; a script of tests/lint stands in clpac_lints.  The environment of the tests is below.
#
# A program that takes most of a minute stands in clpac_long_tests instead: those begin first, so that none of them is left
# alone at the end while the other processors wait.
clpac_tests =
clpac_long_tests =
clpac_test_scripts =
clpac_lints =
TEST_EXTENSIONS = .test
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_LOG_DRIVER = $(LOG_DRIVER)
TEST_LOG_COMPILER = $(SHELL) $(top_srcdir)/%D%/support/script.sh

# CLPAC_TEST_TAP tells the runner that the verdicts are read from its output and not from its exit status.
# CLPAC_TEST_SHARED is a folder of recordings kept beside the checkout, unset where there is none.
# Drivers and the program keep their caches in the build tree.
# All names begin with CLPAC_TEST_: the program takes any other CLPAC_ variable for a misspelt option and reports it.
AM_TESTS_ENVIRONMENT = \
	CLPAC_TEST_TAP=1; export CLPAC_TEST_TAP; \
	CLPAC_TEST_SRCDIR='$(abs_top_srcdir)'; export CLPAC_TEST_SRCDIR; \
	CLPAC_TEST_BUILDDIR='$(abs_top_builddir)'; export CLPAC_TEST_BUILDDIR; \
	CLPAC_TEST_DATA='$(abs_top_srcdir)/tests/data'; export CLPAC_TEST_DATA; \
	CLPAC_TEST_PROGRAM='$(abs_top_builddir)/%D%/clpac'; export CLPAC_TEST_PROGRAM; \
	for shared in '$(abs_top_srcdir)/../shared' '$(abs_top_srcdir)/shared'; do \
		if test -z "$$CLPAC_TEST_SHARED" && test -d "$$shared"; then \
			CLPAC_TEST_SHARED=`cd "$$shared" && pwd`; export CLPAC_TEST_SHARED; \
		fi; \
	done; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache'; export XDG_CACHE_HOME; \
	CC='$(CC)'; CXX='$(CXX)'; CLANG='$(CLANG)'; NM='$(NM)'; SHELLCHECK='$(SHELLCHECK)'; MAN='$(MAN)'; AWK='$(AWK)'; \
	export CC CXX CLANG NM SHELLCHECK MAN AWK; \
	CLPAC_TEST_CFLAGS='$(CFLAGS) $(LDFLAGS)'; export CLPAC_TEST_CFLAGS; \
	CLPAC_TEST_EXAMPLES='$(clpac_examples)'; export CLPAC_TEST_EXAMPLES; \
	CLPAC_TEST_SCRIPTS='$(clpac_test_scripts)'; export CLPAC_TEST_SCRIPTS; \
	CLPAC_TEST_OPENCL_CFLAGS='$(OPENCL_CFLAGS)'; export CLPAC_TEST_OPENCL_CFLAGS; \
	ASAN_OPTIONS="$${ASAN_OPTIONS-allocator_may_return_null=1:strict_string_checks=1}"; export ASAN_OPTIONS; \
	LSAN_OPTIONS="$${LSAN_OPTIONS-print_suppressions=0:suppressions=$(abs_top_srcdir)/tests/support/leaks.supp}"; export LSAN_OPTIONS; \
	TSAN_OPTIONS="$${TSAN_OPTIONS-suppressions=$(abs_top_srcdir)/tests/support/threads.supp}"; export TSAN_OPTIONS; \
	UBSAN_OPTIONS="$${UBSAN_OPTIONS-print_stacktrace=1}"; export UBSAN_OPTIONS;

# The program of this build without libtool's script, which takes three times as long as the program's start: tests start it
# thousands of times.  A build without shared libraries has no such script.
if BUILD_PROGRAM
noinst_SCRIPTS = %D%/clpac
endif
%D%/clpac: Makefile
	@$(MKDIR_P) %D% && printf '%s\n' '#!/bin/sh' "LD_LIBRARY_PATH='$(abs_top_builddir)/.libs'\$${LD_LIBRARY_PATH:+:\$$LD_LIBRARY_PATH}" \
		'export LD_LIBRARY_PATH' "program='$(abs_top_builddir)/.libs/clpac$(EXEEXT)'" \
		"[ -x \"\$$program\" ] || program='$(abs_top_builddir)/clpac$(EXEEXT)'" 'exec "$$program" "$$@"' >$@ && chmod +x $@
CLEANFILES += %D%/clpac

clean-local:
	rm -rf %D%/cache doc/api doc/man3 device-bundle device-bundle.tar.gz
.PHONY: clean-local

# An installation works for somebody who knows it through pkg-config alone.
installcheck-local:
	DESTDIR='$(DESTDIR)' libdir='$(libdir)' pkgconfigdir='$(pkgconfigdir)' CC='$(CC)' CFLAGS='$(CFLAGS) $(LDFLAGS)' CXX='$(CXX)' CXXFLAGS='$(CFLAGS) $(LDFLAGS)' \
	PKG_CONFIG='$(PKG_CONFIG)' bindir='$(bindir)' mandir='$(mandir)' probeexecdir='$(probeexecdir)' probes='$(probeexec_PROGRAMS)' $(SHELL) $(srcdir)/%D%/support/installcheck.sh
.PHONY: installcheck-local

if HAVE_CHECK
check_LTLIBRARIES += libclpac-tests.la
libclpac_tests_la_SOURCES =
include tests/support/local.mk
libclpac_tests_la_LIBADD = $(JANSSON_LIBS)
check_PROGRAMS += $(clpac_long_tests) $(clpac_tests)
TESTS += $(clpac_long_tests) $(clpac_tests)
else
clpac_test_scripts += %D%/support/check-is-missing.test
endif
EXTRA_DIST += %D%/support/leaks.supp %D%/support/threads.supp %D%/support/script.sh %D%/support/check-is-missing.test %D%/support/installcheck.sh %D%/data

# Defaults for every program without an _LDADD of its own: tests, and benches without the runner's main.
if BUILD_PROGRAM
tests_io = libclpac-io-core.la
endif
LDADD = $(tests_libs) $(tests_io) libclpac-core.la libclpac-memory-core.la libclpac-base.la $(OPENCL_LIBS)
# For tests that define functions of OpenCL in the place of the driver's: clpac finds those of the program first.
replaces_opencl = -export-dynamic
if HAVE_CHECK
tests_libs = libclpac-tests.la $(CHECK_LIBS)
endif

check_PROGRAMS += $(clpac_examples)
TESTS += $(clpac_test_scripts)
# Lints read the source, and what a build without sanitizers has made.
if !SANITIZERS
TESTS += $(clpac_lints)
endif
EXTRA_DIST += $(clpac_test_scripts) $(clpac_lints)

# make check-device CLPAC_TEST_DEVICE=0:0 - runs the tests of OpenCL devices (their programs have "opencl" in the name) on one
# device, and prints the device's row for doc/devices.md.  run-check-device builds nothing, so that several may run at once.
# Threads that run one plan are tested on PoCL alone: Oclgrind keeps its state per thread, and rusticl takes one at a time.  So are
# calls that are cancelled and forked children, which need the clock of a device that computes; a driver that lies is the test's own.
device_tests = for program in $(clpac_long_tests) $(clpac_tests); do case $$program in *test_plan_threads_opencl | *test_cancel_opencl | *test_forked_opencl | *test_opencl_lies | tests/memory/*) ;; *opencl*) echo $$program ;; esac; done
build-check-device: all
	@$(MAKE) $(AM_MAKEFLAGS) $$($(device_tests)) $(card_layer) bench/run bench/surrogates
run-check-device:
	@{ $(AM_TESTS_ENVIRONMENT) $(abs_top_srcdir)/scripts/check-device.sh $$($(device_tests)); }
check-device: build-check-device
	@$(MAKE) $(AM_MAKEFLAGS) run-check-device
.PHONY: build-check-device run-check-device check-device

# make device-bundle - a folder, device-bundle, and device-bundle.tar.gz, with which a machine that has a card, and no compiler and no
# network, measures and tests clpac (scripts/bundle/run.sh).  A card is a driver that computes: but for the driver that lies, all
# tests of devices are in it.
bundle_tests = for program in $(clpac_long_tests) $(clpac_tests); do case $$program in *test_opencl_lies | tests/memory/*) ;; *opencl*) echo $$program ;; esac; done
device-bundle: all
	@$(MAKE) $(AM_MAKEFLAGS) $$($(bundle_tests)) bench/run bench/surrogates bench/fft
	@$(abs_top_srcdir)/scripts/device-bundle.sh device-bundle $$($(bundle_tests))
.PHONY: device-bundle

# make check-promise - 300 random problems and all laws in every place; make check has a part of them.  The last lines of
# random problems are their worst errors.  CLPAC_TEST_PROBLEMS asks for another number of them, or for a part as 8:10;
# CLPAC_TEST_DEVICE for one device.
check-promise: all
	@programs=; for program in $(clpac_long_tests) $(clpac_tests); do case $$program in *random_problems*|*test_laws_*) programs="$$programs $$program" ;; esac; done; \
	$(MAKE) $(AM_MAKEFLAGS) $$programs && \
	{ $(AM_TESTS_ENVIRONMENT) unset CLPAC_TEST_TAP; CLPAC_TEST_PROBLEMS=$${CLPAC_TEST_PROBLEMS-300}; export CLPAC_TEST_PROBLEMS; \
	  CLPAC_TEST_PLACES=all; export CLPAC_TEST_PLACES; \
	  failed=0; for program in $$programs; do ./$$program || failed=1; done; test $$failed = 0; }
.PHONY: check-promise

# make check-host - the programs of tests/unit and tests/property, without those of devices; LOG_COMPILER="qemu-aarch64-static" and
# the like runs them (scripts/check-ports.sh).
# Those that take the place of the system's calls, or make a copy of their process, are not for Windows.
if WINDOWS
not_here = tests/unit/test_cache_folder|tests/unit/test_set_journal|tests/unit/test_test_thread|
else
not_here =
endif
host_tests = for program in $(clpac_long_tests) $(clpac_tests); do case $$program in $(not_here)*opencl*) ;; tests/unit/* | tests/property/*) echo $$program$(EXEEXT) ;; esac; done
check-host: all
	@$(MAKE) $(AM_MAKEFLAGS) $$($(host_tests))
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= TESTS="$$($(host_tests) | tr '\n' ' ')"
.PHONY: check-host

# make try T="tests/unit/test_filter tests/flow/tool_run.test" - builds and runs these tests; check-TESTS would build all first.
T =
try: all
	@programs=; for test in $(T); do case $$test in *.test) ;; *) programs="$$programs $$test" ;; esac; done; \
	test -n '$(T)' || { echo 'make try T="TEST..." names no test' >&2; exit 1; }; \
	test -z "$$programs" || $(MAKE) $(AM_MAKEFLAGS) $$programs || exit 1; \
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= TESTS='$(T)'
.PHONY: try

# make check-calls - runs every script that calls the program once per call, with that call failing, for an hour; CALLERS chooses
# some.  make check-tools - runs every lint once per tool, with that tool failing, for minutes; LINTS chooses some.
CALLERS =
LINTS = $(clpac_lints)
check-calls: all
	@{ $(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%D%/flow/calls.sh $(CALLERS); }
check-tools: all
	@{ $(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%D%/lint/tools.sh $(LINTS); }
.PHONY: check-calls check-tools

# make check-full - make check with the whole of each sweep that is sampled under sanitizers (support/sweeps.h).
check-full:
	CLPAC_TEST_SWEEPS=all $(MAKE) $(AM_MAKEFLAGS) check
.PHONY: check-full

# make check-corpus - runs every row of corpus/runs.txt and compares the sums of what it makes with corpus/sums.txt: no bit of a
# result may change unawares.  make renew-corpus writes the sums anew.  CORPUS='null-*' or '*@native' takes the
# runs that match.
# Drivers and the program keep their caches where the tests keep them: PoCL compiles for minutes the first time.
corpus = XDG_CACHE_HOME='$(abs_top_builddir)/tests/cache' PYTHONDONTWRITEBYTECODE=1 python3 '$(abs_top_srcdir)/%D%/corpus/corpus.py' --only '$(CORPUS)'
CORPUS = *
check-corpus: all
	@$(corpus) '$(abs_top_builddir)/clpac$(EXEEXT)'
renew-corpus: all
	@$(corpus) --renew '$(abs_top_builddir)/clpac$(EXEEXT)'
.PHONY: check-corpus renew-corpus
EXTRA_DIST += %D%/corpus/corpus.py %D%/corpus/inputs.py %D%/corpus/volatile.py %D%/corpus/runs.txt %D%/corpus/sums.txt

# make renew-counts - writes card/counts.txt anew, what workloads ask a card for (card/test_counts.c).
renew-counts: all
	@$(MAKE) $(AM_MAKEFLAGS) %D%/card/test_counts && sed -n '/^#/p' $(srcdir)/%D%/card/counts.txt >%D%/card/counts.new && \
	{ $(AM_TESTS_ENVIRONMENT) unset CLPAC_TEST_TAP; CLPAC_TEST_RENEWED_COUNTS=%D%/card/counts.new ./%D%/card/test_counts; } && \
	mv %D%/card/counts.new $(srcdir)/%D%/card/counts.txt
.PHONY: renew-counts

# make check-limits - ten commands under 164 limits of address space, beside the drivers of OpenCL that are installed; LIMITS is
# another number of them.
LIMITS = 164
check-limits: all
	@{ $(AM_TESTS_ENVIRONMENT) $(abs_top_srcdir)/scripts/check-limits.sh . $(LIMITS); }
.PHONY: check-limits

# make mutation - plants mistakes in a copy of the sources for 20 minutes, and tells which of them the tests notice;
# MUTATION="--seed=7 src/memory/pool/blocks/budget.c 300" chooses, MUTATION=--again tries those that went by once more.
# make fuzz - every fuzzing target for a minute; FUZZ="edf 600" chooses.
mutation:
	$(abs_top_srcdir)/scripts/mutate.sh $(MUTATION)
FUZZ = all 60
fuzz:
	$(abs_top_srcdir)/scripts/fuzz.sh $(FUZZ)
.PHONY: mutation fuzz
EXTRA_DIST += %D%/mutation.txt

include tests/lint/local.mk
include tests/unit/local.mk
include tests/memory/local.mk
if !QUICK_CHECK
include tests/card/local.mk
include tests/contract/local.mk
include tests/fuzz/local.mk
include tests/property/local.mk
include tests/flow/local.mk
endif
