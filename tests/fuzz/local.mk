# Targets of a fuzzer (scripts/fuzz.sh), each with a test that runs it on generated input, or on inputs of tests/data/fuzz.
clpac_tests += %D%/test_fuzz_offsets
%C%_test_fuzz_offsets_SOURCES = %D%/test_fuzz_offsets.c %D%/fuzz_offsets.c

# Targets that take files or texts, rows of targets.def.  One line per file: fuzz_targets += %D%/fuzz_NAME.c
fuzz_targets = %D%/targets.def %D%/fuzz_input.h %D%/fuzz_input.c %D%/fuzz_numbers.c
fuzz_targets += %D%/fuzz_bands.c
fuzz_targets += %D%/fuzz_brainvision.c
fuzz_targets += %D%/fuzz_channels.c
fuzz_targets += %D%/fuzz_config.c
fuzz_targets += %D%/fuzz_csv.c
fuzz_targets += %D%/fuzz_devices.c
fuzz_targets += %D%/fuzz_edf.c
fuzz_targets += %D%/fuzz_events.c
fuzz_targets += %D%/fuzz_journal.c
fuzz_targets += %D%/fuzz_mat.c
fuzz_targets += %D%/fuzz_npy.c
fuzz_targets += %D%/fuzz_npz.c
fuzz_targets += %D%/fuzz_options.c
fuzz_targets += %D%/fuzz_problem.c
fuzz_targets += %D%/fuzz_program.c
fuzz_targets += %D%/fuzz_raw.c
fuzz_targets += %D%/fuzz_recording.c
fuzz_targets += %D%/fuzz_result.c
fuzz_targets += %D%/fuzz_selection.c
fuzz_targets += %D%/fuzz_store.c
fuzz_targets += %D%/fuzz_trace.c
if BUILD_PROGRAM
clpac_tests += %D%/test_fuzz_inputs
%C%_test_fuzz_inputs_SOURCES = %D%/test_fuzz_inputs.c $(fuzz_targets)
%C%_test_fuzz_inputs_CPPFLAGS = $(AM_CPPFLAGS) $(LIBZIP_CFLAGS)
%C%_test_fuzz_inputs_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS) $(LIBZIP_LIBS)
endif
# The fuzzer's alone.
EXTRA_DIST += $(fuzz_targets) %D%/fuzz_mutator.c %D%/dictionaries
