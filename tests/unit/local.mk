# Each test takes one concept of one file, on the host, in milliseconds.
# A test is one line: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_test_scripts += %D%/embed.test
clpac_tests += %D%/test_ascii
clpac_tests += %D%/test_artefacts
clpac_tests += %D%/test_window_power
clpac_tests += %D%/test_disturbances
clpac_tests += %D%/test_spectral_peak
clpac_tests += %D%/test_wave_shape
clpac_tests += %D%/test_bands
clpac_tests += %D%/test_bank
clpac_tests += %D%/test_cache_folder
clpac_tests += %D%/test_clean
clpac_tests += %D%/test_clusters
clpac_tests += %D%/test_corrections
clpac_tests += %D%/test_error
clpac_tests += %D%/test_filter
clpac_tests += %D%/test_flat
clpac_tests += %D%/test_fused
clpac_tests += %D%/test_group %D%/test_group_calls %D%/test_group_channels %D%/test_group_roundings %D%/test_group_surrogates
clpac_tests += %D%/test_circular_linear
clpac_tests += %D%/test_compare
clpac_tests += %D%/test_half %D%/test_head
clpac_tests += %D%/test_isa
clpac_tests += %D%/test_length
clpac_tests += %D%/test_memory
clpac_tests += %D%/test_modulation_index
clpac_tests += %D%/test_number
clpac_tests += %D%/test_number_locale
clpac_tests += %D%/test_null_compute
if BUILD_PROGRAM
clpac_tests += %D%/test_null_analysis
clpac_tests += %D%/test_null_io
endif
clpac_tests += %D%/test_version
clpac_tests += %D%/test_words
clpac_tests += %D%/test_oracle
clpac_tests += %D%/test_permutations
clpac_tests += %D%/test_pool_fallback
clpac_tests += %D%/test_problem %D%/test_problem_refusals %D%/test_problem_text
clpac_tests += %D%/test_result
clpac_tests += %D%/test_result_stack
clpac_tests += %D%/test_random_phases
clpac_tests += %D%/test_rearranged
clpac_tests += %D%/test_shifts
clpac_tests += %D%/test_sized
clpac_tests += %D%/test_standardized
clpac_tests += %D%/test_statistics
clpac_tests += %D%/test_strategy
# The wrapper watches what is synced.
clpac_tests += %D%/test_test_thread
clpac_tests += %D%/test_text
clpac_tests += %D%/test_utf8
clpac_tests += %D%/test_warps
if HAVE_OPENCL
clpac_tests += %D%/test_program_cache %D%/test_program_cache_full
endif
if HAVE_CLFFT
clpac_tests += %D%/test_clfft_cache
endif
if BUILD_PROGRAM
clpac_tests += %D%/test_exit_code
clpac_tests += %D%/test_json_output
clpac_tests += %D%/test_option_defaults
clpac_tests += %D%/test_file_text
clpac_tests += %D%/test_phase
clpac_tests += %D%/test_report_text
clpac_tests += %D%/test_shard
clpac_tests += %D%/test_bids
clpac_tests += %D%/test_quadrature
clpac_tests += %D%/test_recording
clpac_tests += %D%/test_result_identity
clpac_tests += %D%/test_set_journal
clpac_tests += %D%/test_temporary_name
endif

# A model that bench/transactions takes.
%C%_test_warps_SOURCES = %D%/test_warps.c bench/warps.c bench/warps.h

# Problems.
some_problems = %D%/some_problems.c %D%/some_problems.h
%C%_test_problem_SOURCES = %D%/test_problem.c $(some_problems)
%C%_test_problem_refusals_SOURCES = %D%/test_problem_refusals.c $(some_problems)
%C%_test_problem_text_SOURCES = %D%/test_problem_text.c $(some_problems)

# Subjects.
some_subjects = %D%/some_subjects.c %D%/some_subjects.h
%C%_test_group_SOURCES = %D%/test_group.c $(some_subjects)
%C%_test_group_calls_SOURCES = %D%/test_group_calls.c $(some_subjects)
%C%_test_group_channels_SOURCES = %D%/test_group_channels.c $(some_subjects)
%C%_test_group_roundings_SOURCES = %D%/test_group_roundings.c $(some_subjects)
%C%_test_group_surrogates_SOURCES = %D%/test_group_surrogates.c $(some_subjects)

# The rule for NULL: a table for each library, and what is done with it.
null_rule = %D%/null_rule.h
%C%_test_null_compute_SOURCES = %D%/test_null_compute.c %D%/null_compute.def $(null_rule)
%C%_test_null_analysis_SOURCES = %D%/test_null_analysis.c %D%/null_analysis.def $(null_rule)
%C%_test_null_analysis_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_null_io_SOURCES = %D%/test_null_io.c %D%/null_io.def $(null_rule)

# Parts of the program.
%C%_test_exit_code_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_json_output_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_option_defaults_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_bids_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_report_text_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_shard_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_shard_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_test_phase_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS)
