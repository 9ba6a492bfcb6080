# Laws, and random problems against the oracle.
# A test is one line: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_tests += %D%/test_context_threads
%C%_test_context_threads_SOURCES = %D%/test_context_threads.c $(sharing_laws)
clpac_tests += %D%/test_option_texts
clpac_test_scripts += %D%/soak.test
# The proof of the numbers, in every place where plans run ($(places) of contract/), a program each, since OpenCL must not be
# forked.
random_problems = %D%/random_problems.c %D%/random_problems.h $(places)
laws = %D%/all_shifts_laws.c %D%/all_shifts_laws.h %D%/cluster_laws.c %D%/cluster_laws.h %D%/coarse_laws.c %D%/coarse_laws.h \
	%D%/coupling_laws.c %D%/coupling_laws.h %D%/coupling_option_laws.c %D%/coupling_option_laws.h \
	%D%/measure_laws.c %D%/measure_laws.h %D%/pair_laws.c %D%/pair_laws.h %D%/plan_laws.c %D%/plan_laws.h %D%/signal_laws.c %D%/signal_laws.h \
	%D%/step_laws.c %D%/step_laws.h %D%/stretch_laws.c %D%/stretch_laws.h %D%/epoch_laws.c %D%/epoch_laws.h \
	%D%/erpac_laws.c %D%/erpac_laws.h %D%/fused_laws.c %D%/fused_laws.h \
	%D%/life_laws.c %D%/life_laws.h \
	%D%/shared_slot_laws.c %D%/shared_slot_laws.h \
	%D%/variant_laws.c %D%/variant_laws.h %D%/slab_laws.c %D%/slab_laws.h $(places)
clpac_long_tests += %D%/test_laws_native %D%/test_laws_opencl
%C%_test_laws_native_SOURCES = %D%/test_laws_native.c $(laws)
%C%_test_laws_opencl_SOURCES = %D%/test_laws_opencl.c $(laws) $(compiled_once)
%C%_test_laws_opencl_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_steps
%C%_test_steps_SOURCES = %D%/test_steps.c %D%/counted_kernels.c %D%/counted_kernels.h $(places)
plan_thread_laws = %D%/plan_thread_laws.c %D%/plan_thread_laws.h $(places)
clpac_tests += %D%/test_plan_threads %D%/test_plan_threads_opencl
%C%_test_plan_threads_SOURCES = %D%/test_plan_threads.c $(plan_thread_laws)
%C%_test_plan_threads_opencl_SOURCES = %D%/test_plan_threads_opencl.c $(plan_thread_laws) $(compiled_once)
%C%_test_plan_threads_opencl_LDFLAGS = $(replaces_opencl)
memory_laws = %D%/memory_laws.c %D%/memory_laws.h $(places)
clpac_long_tests += %D%/test_memory_laws_native %D%/test_memory_laws_opencl
%C%_test_memory_laws_native_SOURCES = %D%/test_memory_laws_native.c $(memory_laws)
%C%_test_memory_laws_opencl_SOURCES = %D%/test_memory_laws_opencl.c $(memory_laws) $(compiled_once)
%C%_test_memory_laws_opencl_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_random_problems_native %D%/test_random_problems_opencl
%C%_test_random_problems_native_SOURCES = %D%/test_random_problems_native.c $(random_problems)
%C%_test_random_problems_opencl_SOURCES = %D%/test_random_problems_opencl.c $(random_problems) $(compiled_once)
%C%_test_random_problems_opencl_LDFLAGS = $(replaces_opencl)
