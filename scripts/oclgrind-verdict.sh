#!/bin/sh
# oclgrind-verdict.sh TEST - fails where Oclgrind's log ($OCLGRIND_LOG) of a test holds a report, which it prints.
#
# Its exit status stays 0, so the log is what tells.  Reports are paragraphs.  Those that are none of ours:
#   - clFFT's kernels (fft_fwd, fft_back): a race in global memory where a transform is in place (length 1024, 576, ...).  Each value
#     is read into a register and on into local memory before the barrier that the write comes after, but that barrier fences
#     local memory alone;
#   - a store of a constant with "poison" in it: the compiler has torn the store of a vector into one of its parts each, and left
#     an empty one of the whole, which says nothing of the source.  (A variable that is never set ends so too; of that clang
#     warns, and warnings of kernels are errors in tests/lint/kernels.test.);
#   - clBuildProgram and clCreateProgramWithBinary failing: what tests give them is wrong on purpose;
#   - uninitialised values in test_pool_opencl: its tests open and close many contexts in one process, and Oclgrind 21.10 then
#     takes the first 32 bytes of a buffer for unset; the test that it names is clean by itself (CK_RUN_CASE=stages).
log=${OCLGRIND_LOG:?}
[ -f "$log" ] || { echo "Oclgrind left no log of $1"; exit 1; }
cp "$log" "$log.$1"
awk -v test="$1" 'BEGIN { RS = ""; bad = 0 }
	/data race/ && /Kernel: fft_(fwd|back)\n/ { next }
	/store [^%]*poison/ { next }
	/Function: cl(BuildProgram|CreateProgramWithBinary)/ { next }
	/Uninitialized/ && test == "test_pool_opencl" { next }
	/(data race|[Uu]ninitialized|Invalid|error detected|errors generated|not permitted|overflow)/ {
		if (bad++ < 5) print $0 "\n"
	}
	END { if (bad) print bad " reports of Oclgrind"; exit bad > 0 }' "$log"
