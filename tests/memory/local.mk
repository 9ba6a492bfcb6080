# The tests of libclpac-memory that need no other library of clpac, and link none: `make check-memory` builds and runs these alone.
# A test is two lines: memory_tests += %D%/test_topic and %C%_test_topic_LDADD = $(memory_alone)
#
# Laws that the pool, the store and queues keep on every kind of device compute with kernels of libclpac, and so are in contract/.
memory_alone = $(tests_libs) libclpac-memory-core.la libclpac-base.la $(OPENCL_LIBS)
memory_tests =
memory_scripts =

# One concept of one file each, on the host, in milliseconds.
memory_tests += %D%/test_advice
memory_tests += %D%/test_async
memory_tests += %D%/test_async_ends
memory_tests += %D%/test_biased_latch
memory_tests += %D%/test_context_pool
memory_tests += %D%/test_context_select
memory_tests += %D%/test_device_probe
memory_tests += %D%/test_devices
memory_tests += %D%/test_devices_several
memory_tests += %D%/test_estimate
memory_tests += %D%/test_extremes
memory_tests += %D%/test_machine
memory_tests += %D%/test_null_memory
memory_tests += %D%/test_offsets
memory_tests += %D%/test_options
memory_tests += %D%/test_pool
memory_tests += %D%/test_pool_caching
memory_tests += %D%/test_pool_ladder
memory_tests += %D%/test_pool_limits
memory_tests += %D%/test_pool_pressure
memory_tests += %D%/test_pool_queues
memory_tests += %D%/test_pool_segments
memory_tests += %D%/test_pool_siblings
memory_tests += %D%/test_pool_statistics
memory_tests += %D%/test_probe
memory_tests += %D%/test_queue
memory_tests += %D%/test_scope
memory_tests += %D%/test_size_class
memory_tests += %D%/test_snapshot
memory_tests += %D%/test_store
memory_tests += %D%/test_store_archive
memory_tests += %D%/test_store_fetch
memory_tests += %D%/test_store_places
memory_tests += %D%/test_threads
memory_tests += %D%/test_trace
memory_tests += %D%/test_tracker
if HAVE_OPENCL
memory_tests += %D%/test_device_facts
memory_tests += %D%/test_discovery
memory_tests += %D%/test_opencl_library
memory_tests += %D%/test_opencl_probe
memory_tests += %D%/test_probe_program
memory_tests += %D%/test_verdict
endif

# Laws, models with random requests, threads; programs against the shared library.
if !QUICK_CHECK
memory_tests += %D%/test_async_threads
memory_tests += %D%/test_offsets_model
memory_tests += %D%/test_pool_failures
memory_tests += %D%/test_pool_model
memory_tests += %D%/test_pool_parts
memory_tests += %D%/test_pool_room
memory_tests += %D%/test_pool_snapshot
memory_tests += %D%/test_pool_threads
memory_tests += %D%/test_pool_watched
memory_tests += %D%/test_store_failures
memory_tests += %D%/test_store_model
memory_tests += %D%/test_store_threads
memory_tests += %D%/test_store_victims
memory_scripts += %D%/memory_page.test
memory_scripts += %D%/snapshot.test
endif

%C%_test_advice_LDADD = $(memory_alone)
%C%_test_async_LDADD = $(memory_alone)
%C%_test_async_ends_LDADD = $(memory_alone)
%C%_test_async_threads_LDADD = $(memory_alone)
%C%_test_biased_latch_LDADD = $(memory_alone)
%C%_test_context_pool_LDADD = $(memory_alone)
%C%_test_context_select_LDADD = $(memory_alone)
%C%_test_device_facts_LDADD = $(memory_alone)
%C%_test_device_probe_LDADD = libclpac-probe-child.la $(memory_alone)
%C%_test_devices_LDADD = $(memory_alone)
%C%_test_devices_several_LDADD = $(memory_alone)
%C%_test_discovery_LDADD = $(memory_alone)
%C%_test_estimate_LDADD = $(memory_alone)
%C%_test_extremes_LDADD = $(memory_alone)
%C%_test_machine_LDADD = $(memory_alone)
%C%_test_null_memory_LDADD = $(memory_alone)
%C%_test_offsets_LDADD = $(memory_alone)
%C%_test_offsets_model_LDADD = $(memory_alone)
%C%_test_opencl_library_LDADD = $(memory_alone)
%C%_test_opencl_probe_LDADD = libclpac-probe-child.la $(memory_alone)
%C%_test_options_LDADD = $(memory_alone)
%C%_test_pool_LDADD = $(memory_alone)
%C%_test_pool_caching_LDADD = $(memory_alone)
%C%_test_pool_failures_LDADD = $(memory_alone)
%C%_test_pool_ladder_LDADD = $(memory_alone)
%C%_test_pool_limits_LDADD = $(memory_alone)
%C%_test_pool_model_LDADD = $(memory_alone)
%C%_test_pool_parts_LDADD = $(memory_alone)
%C%_test_pool_pressure_LDADD = $(memory_alone)
%C%_test_pool_queues_LDADD = $(memory_alone)
%C%_test_pool_room_LDADD = $(memory_alone)
%C%_test_pool_segments_LDADD = $(memory_alone)
%C%_test_pool_siblings_LDADD = $(memory_alone)
%C%_test_pool_snapshot_LDADD = $(memory_alone)
%C%_test_pool_statistics_LDADD = $(memory_alone)
%C%_test_pool_threads_LDADD = $(memory_alone)
%C%_test_pool_watched_LDADD = $(memory_alone)
%C%_test_probe_LDADD = $(memory_alone)
%C%_test_probe_program_LDADD = $(memory_alone)
%C%_test_queue_LDADD = $(memory_alone)
%C%_test_scope_LDADD = $(memory_alone)
%C%_test_size_class_LDADD = $(memory_alone)
%C%_test_snapshot_LDADD = $(memory_alone)
%C%_test_store_LDADD = $(memory_alone)
%C%_test_store_archive_LDADD = $(memory_alone)
%C%_test_store_failures_LDADD = $(memory_alone)
%C%_test_store_fetch_LDADD = $(memory_alone)
%C%_test_store_model_LDADD = $(memory_alone)
%C%_test_store_places_LDADD = $(memory_alone)
%C%_test_store_threads_LDADD = $(memory_alone)
%C%_test_store_victims_LDADD = $(memory_alone)
%C%_test_threads_LDADD = $(memory_alone)
%C%_test_trace_LDADD = $(memory_alone)
%C%_test_tracker_LDADD = $(memory_alone)
%C%_test_verdict_LDADD = $(memory_alone)

%C%_test_extremes_SOURCES = %D%/test_extremes.c %D%/extremes.def
%C%_test_null_memory_SOURCES = %D%/test_null_memory.c %D%/null_memory.def $(null_rule)
%C%_test_opencl_probe_LDFLAGS = $(replaces_opencl)
# The wrapper watches what is synced.
%C%_test_store_archive_LDFLAGS = -Wl,--wrap=fsync

clpac_tests += $(memory_tests)
clpac_test_scripts += $(memory_scripts)

check-memory: memory
	$(MAKE) $(AM_MAKEFLAGS) $(memory_tests)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= TESTS='$(memory_tests) $(memory_scripts)'
.PHONY: check-memory
