# Targets of a fuzzer (scripts/fuzz.sh), each with a test that runs it on generated input.
clpac_tests += %D%/test_fuzz_offsets
%C%_test_fuzz_offsets_SOURCES = %D%/test_fuzz_offsets.c %D%/fuzz_offsets.c
