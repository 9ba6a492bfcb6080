# A bench program is one line, built by `make bench` and not by `make`: clpac_benches += %D%/question
# The source is %D%/question.c.  Benches link the convenience library, as the tests do.
clpac_benches =
clpac_benches += %D%/borrowed
clpac_benches += %D%/fft
clpac_benches += %D%/pool
clpac_benches += %D%/run
clpac_benches += %D%/several
clpac_benches += %D%/surrogates
clpac_benches += %D%/transactions

%C%_borrowed_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_run_SOURCES = %D%/run.c %D%/workload.c %D%/workload.h
if HAVE_OPENCL
clpac_benches += %D%/overlap
%C%_overlap_LDFLAGS = -export-dynamic
%C%_run_SOURCES += %D%/launches.c %D%/launches.h
%C%_run_LDFLAGS = -export-dynamic
endif
%C%_transactions_SOURCES = %D%/transactions.c %D%/warps.c %D%/warps.h %D%/workload.c %D%/workload.h
%C%_several_SOURCES = %D%/several.c %D%/workload.c %D%/workload.h
%C%_pool_SOURCES = %D%/pool.c %D%/pool_bench.h %D%/pool_harness.c %D%/pool_source.c %D%/pool_baselines.c %D%/pool_ours.c \
	%D%/pool_traces.c %D%/pool_sizes.c %D%/pool_loads.c %D%/pool_queues.c %D%/pool_threads.c %D%/pool_offsets.c \
	%D%/pool_warm_up.c %D%/pool_tracked.c %D%/pool_store.c %D%/pool_replay.c %D%/pool_segments.c \
	%D%/pool_live.c

EXTRA_PROGRAMS += $(clpac_benches)
CLEANFILES += $(clpac_benches)
# Built after all, not beside it: two makes would write the same objects.
bench: all
	@$(MAKE) $(AM_MAKEFLAGS) $(clpac_benches)
.PHONY: bench

# The pool under two threads for a long time; SECONDS is for each of the combinations.  make check runs it for moments.
check_PROGRAMS += %D%/soak
SECONDS = 60
soak: all
	@$(MAKE) $(AM_MAKEFLAGS) %D%/soak
	./%D%/soak $(SECONDS)
.PHONY: soak

EXTRA_DIST += %D%/collect.sh %D%/compare.sh %D%/report.sh %D%/report.py %D%/report_pool.py %D%/calibration.py %D%/compare_levels.py %D%/evoked.py %D%/excess.py %D%/group_nulls.py %D%/group_scale.py %D%/slow_amplitude.py %D%/spreads.py %D%/cautions.py %D%/python.py %D%/reading.py %D%/scaling.py %D%/start.py %D%/study.py %D%/peers/setup.sh %D%/peers/peer.py
