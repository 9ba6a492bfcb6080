# The contract of every backend, engine and reader, run on each that is available; a missing one is a SKIP with its reason.
# A test is one line: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test

# Queues and FFT engines: the same laws on each backend, a program each, since OpenCL must not be forked.
queue_laws = %D%/queue_laws.c %D%/queue_laws.h %D%/settle_laws.c %D%/settle_laws.h $(order_laws)
order_laws = %D%/block_laws.c %D%/order_laws.c %D%/order_laws.h %D%/queue_fixture.c %D%/queue_fixture.h %D%/targets.c %D%/targets.h
fft_bench = %D%/fft_bench.c %D%/fft_bench.h %D%/fft_laws.h %D%/targets.c %D%/targets.h
fft_laws = %D%/fft_laws.c $(fft_bench)
fft_lengths = %D%/fft_lengths.c $(fft_bench)
clpac_tests += %D%/test_fft_native %D%/test_fft_opencl %D%/test_queue_native %D%/test_queue_opencl
%C%_test_fft_native_SOURCES = %D%/test_fft_native.c $(fft_laws)
%C%_test_fft_opencl_SOURCES = %D%/test_fft_opencl.c $(fft_laws)
clpac_long_tests += %D%/test_fft_lengths_native %D%/test_fft_lengths_opencl
%C%_test_fft_lengths_native_SOURCES = %D%/test_fft_lengths_native.c $(fft_lengths)
%C%_test_fft_lengths_opencl_SOURCES = %D%/test_fft_lengths_opencl.c $(fft_lengths)
%C%_test_queue_native_SOURCES = %D%/test_queue_native.c $(queue_laws)
%C%_test_queue_opencl_SOURCES = %D%/test_queue_opencl.c $(queue_laws)
clpac_tests += %D%/test_queue_simulated
%C%_test_queue_simulated_SOURCES = %D%/test_queue_simulated.c $(order_laws)

# The pool over every kind of device; tests that need the simulated one are in memory/.
pool_laws = %D%/pool_laws.c %D%/pool_laws.h %D%/watch_laws.c %D%/handle_laws.c %D%/handle_laws.h %D%/handles.def \
	%D%/ladder_laws.c %D%/ladder_laws.h %D%/use_laws.c %D%/use_laws.h %D%/transfer_laws.c %D%/transfer_laws.h %D%/targets.c %D%/targets.h
clpac_tests += %D%/test_pool_native %D%/test_pool_opencl
%C%_test_pool_native_SOURCES = %D%/test_pool_native.c $(pool_laws)
%C%_test_pool_opencl_SOURCES = %D%/test_pool_opencl.c $(pool_laws)
clpac_tests += %D%/test_pool_simulated
%C%_test_pool_simulated_SOURCES = %D%/test_pool_simulated.c $(pool_laws)
clpac_tests += %D%/test_pool_own
%C%_test_pool_own_SOURCES = %D%/test_pool_own.c $(pool_laws) %D%/store_laws.c %D%/store_laws.h
# Buffers moved beside the work of other threads.
moving_laws = %D%/moving_laws.c %D%/moving_laws.h %D%/targets.c %D%/targets.h
clpac_tests += %D%/test_moving_native %D%/test_moving_opencl %D%/test_moving_simulated
%C%_test_moving_native_SOURCES = %D%/test_moving_native.c $(moving_laws)
%C%_test_moving_opencl_SOURCES = %D%/test_moving_opencl.c $(moving_laws)
%C%_test_moving_simulated_SOURCES = %D%/test_moving_simulated.c $(moving_laws)
if HAVE_OPENCL
clpac_tests += %D%/hazard_opencl
%C%_hazard_opencl_SOURCES = %D%/hazard_opencl.c %D%/targets.c %D%/targets.h
endif

# The store on real devices.
store_laws = %D%/store_laws.c %D%/store_laws.h %D%/targets.c %D%/targets.h
clpac_tests += %D%/test_store_native %D%/test_store_opencl %D%/test_store_simulated
%C%_test_store_simulated_SOURCES = %D%/test_store_simulated.c $(store_laws)
%C%_test_store_native_SOURCES = %D%/test_store_native.c $(store_laws)
%C%_test_store_opencl_SOURCES = %D%/test_store_opencl.c $(store_laws)

# Linked by tests that open many contexts, here, in property/ and in flow/: their driver compiles each program once.
compiled_once = %D%/compiled_once.c

# A context shared by several threads; for the native device the test is in property/.
sharing_laws = %D%/sharing_laws.c %D%/sharing_laws.h %D%/sharing_work.c %D%/sharing_work.h $(places)
if HAVE_OPENCL
clpac_tests += %D%/test_context_threads_opencl
%C%_test_context_threads_opencl_SOURCES = %D%/test_context_threads_opencl.c $(sharing_laws) $(compiled_once)
%C%_test_context_threads_opencl_LDFLAGS = $(replaces_opencl)
endif

# The OpenCL backend's further promises, and every driver call failing in turn.
if HAVE_OPENCL
opencl_fixture = %D%/opencl_fixture.c %D%/opencl_fixture.h %D%/targets.c %D%/targets.h
clpac_long_tests += %D%/test_opencl
clpac_tests += %D%/test_opencl_cache %D%/test_opencl_failures %D%/test_opencl_interop
clpac_tests += %D%/test_opencl_arguments
%C%_test_opencl_arguments_SOURCES = %D%/test_opencl_arguments.c %D%/targets.c %D%/targets.h
%C%_test_opencl_interop_SOURCES = %D%/test_opencl_interop.c %D%/targets.c %D%/targets.h
%C%_test_opencl_SOURCES = %D%/test_opencl.c $(opencl_fixture)
%C%_test_opencl_cache_SOURCES = %D%/test_opencl_cache.c $(opencl_fixture)
%C%_test_opencl_failures_SOURCES = %D%/test_opencl_failures.c %D%/targets.c %D%/targets.h
%C%_test_opencl_failures_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_opencl_lies
%C%_test_opencl_lies_SOURCES = %D%/test_opencl_lies.c %D%/fake_driver.c %D%/fake_driver.h
%C%_test_opencl_lies_LDFLAGS = $(replaces_opencl)
# The kernels' text for the compilers of scripts/check-vendors.sh.
check_PROGRAMS += %D%/kernel_text
%C%_kernel_text_SOURCES = %D%/kernel_text.c
endif

# The places where whole plans are proved, in property/ and flow/.
places = %D%/places.c %D%/places.h %D%/targets.c %D%/targets.h

# Runs that stay on the device.
enqueue_laws = %D%/enqueue_laws.c %D%/enqueue_laws.h $(places)
clpac_tests += %D%/test_enqueue_native %D%/test_enqueue_opencl
%C%_test_enqueue_native_SOURCES = %D%/test_enqueue_native.c $(enqueue_laws)
%C%_test_enqueue_opencl_SOURCES = %D%/test_enqueue_opencl.c $(enqueue_laws) $(compiled_once)
%C%_test_enqueue_opencl_LDFLAGS = $(replaces_opencl)
if HAVE_OPENCL
clpac_tests += %D%/test_opencl_enqueue
%C%_test_opencl_enqueue_SOURCES = %D%/test_opencl_enqueue.c %D%/watched_driver.c %D%/watched_driver.h $(places)
%C%_test_opencl_enqueue_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_opencl_batch
%C%_test_opencl_batch_SOURCES = %D%/test_opencl_batch.c %D%/watched_driver.c %D%/watched_driver.h $(places)
%C%_test_opencl_batch_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_opencl_ahead
%C%_test_opencl_ahead_SOURCES = %D%/test_opencl_ahead.c %D%/watched_driver.c %D%/watched_driver.h $(places)
%C%_test_opencl_ahead_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_opencl_panels
%C%_test_opencl_panels_SOURCES = %D%/test_opencl_panels.c $(places)
clpac_tests += %D%/test_opencl_limits
%C%_test_opencl_limits_SOURCES = %D%/test_opencl_limits.c %D%/watched_driver.c %D%/watched_driver.h $(places)
%C%_test_opencl_limits_LDFLAGS = $(replaces_opencl)
endif

# Calls that are cancelled at random moments.
cancel_laws = %D%/cancel_laws.c %D%/cancel_laws.h %D%/cancel_io.h $(places)
if BUILD_PROGRAM
cancel_laws += %D%/cancel_io.c
cancel_io = -DWITH_IO
cancel_libs = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
else
cancel_libs = $(LDADD)
endif
clpac_tests += %D%/test_cancel_native %D%/test_cancel_opencl
%C%_test_cancel_native_SOURCES = %D%/test_cancel_native.c $(cancel_laws)
%C%_test_cancel_native_CPPFLAGS = $(AM_CPPFLAGS) $(cancel_io)
%C%_test_cancel_native_LDADD = $(cancel_libs)
%C%_test_cancel_opencl_SOURCES = %D%/test_cancel_opencl.c $(cancel_laws)
%C%_test_cancel_opencl_CPPFLAGS = $(AM_CPPFLAGS) $(cancel_io)
%C%_test_cancel_opencl_LDADD = $(cancel_libs)

# Every function in a forked child.
forked_laws = %D%/forked_laws.c %D%/forked_laws.h %D%/forked_analysis.def %D%/forked_compute.def %D%/forked_io.def %D%/forked_memory.def
if BUILD_PROGRAM
forked_io = -DWITH_IO
forked_libs = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
else
forked_libs = $(LDADD)
endif
clpac_tests += %D%/test_forked_native %D%/test_forked_opencl
%C%_test_forked_native_SOURCES = %D%/test_forked_native.c $(forked_laws)
%C%_test_forked_native_CPPFLAGS = $(AM_CPPFLAGS) $(forked_io)
%C%_test_forked_native_LDADD = $(forked_libs)
%C%_test_forked_opencl_SOURCES = %D%/test_forked_opencl.c $(forked_laws) %D%/targets.c %D%/targets.h
%C%_test_forked_opencl_CPPFLAGS = $(AM_CPPFLAGS) $(forked_io)
%C%_test_forked_opencl_LDADD = $(forked_libs)

# Closing in any order.
closing_laws = %D%/closing_laws.c %D%/closing_laws.h %D%/targets.c %D%/targets.h
clpac_tests += %D%/test_closing_native %D%/test_closing_opencl %D%/test_closing_simulated
%C%_test_closing_native_SOURCES = %D%/test_closing_native.c $(closing_laws)
%C%_test_closing_opencl_SOURCES = %D%/test_closing_opencl.c $(closing_laws)
%C%_test_closing_simulated_SOURCES = %D%/test_closing_simulated.c $(closing_laws)
