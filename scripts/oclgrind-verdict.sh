#!/bin/sh
# oclgrind-verdict.sh TEST - fails where Oclgrind's log ($OCLGRIND_LOG) of a test holds a report, which it prints.
#
# Oclgrind's exit status is always 0, so only the log shows a fault.  Reports are paragraphs.  These are no faults of clpac:
#   - clFFT's kernels (fft_fwd, fft_back): a race in global memory where a transform is in place (length 1024, 576, ...).  Each
#     value is read into a register and on into local memory before the barrier that precedes the write, but that barrier fences
#     only local memory;
#   - a store of a constant with "poison" in it: the compiler has split the store of a vector into one store per part, and left an
#     empty store of the whole, which shows no fault in the source.  (A variable that is never set looks the same; clang warns of
#     it, and warnings of kernels are errors in tests/lint/kernels.test.);
#   - clBuildProgram and clCreateProgramWithBinary failing: tests call them with wrong input on purpose;
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
