# Targets of a fuzzer (scripts/fuzz.sh), each with a test that lets it see generated input.
clpac_tests += %D%/test_fuzz_offsets
%C%_test_fuzz_offsets_SOURCES = %D%/test_fuzz_offsets.c %D%/fuzz_offsets.c
