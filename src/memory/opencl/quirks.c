/* Known deviations of drivers from the standard.  Each row cites the public report behind it. */
#include "memory/opencl/opencl.h"

#include <string.h>

static const struct row {
	const char *platform; /* part of the platform's name; case counts */
	const char *device;   /* part of the device's; NULL: all of the platform */
	bool is_of_cpus;      /* only CPUs of the platform */
	clpac__opencl_quirks quirks;
} rows[] = {
	/* Its own cache has each kernel that a run used.  To give a program's binary away it compiles all kernels, for
	 * group sizes that no launch has: 17 of 21 s of the processor at a first run, measured with PoCL 3.1. */
	{"Portable Computing Language", NULL, false, {.keeps_programs = true}},
	/* Buffers' references are not counted while commands use them (apache/tvm pull request 2737); sub-buffers were
	 * read and written at wrong places, or not synchronised (Xilinx/XRT pull requests 148, 4280, issue 5255). */
	{"Xilinx", NULL, false, {.finishes_before_release = true, .has_no_parts = true}},
	/* Copies between sub-buffers crash, or what is done to these next: test_queue_opencl and test_moving_opencl on
	 * an H100, driver 580.159.04. */
	{"NVIDIA CUDA", NULL, false, {.copies_wholes = true}},
	/* Releasing a buffer in use crashes (apache/tvm pull request 2737). */
	{"FPGA SDK for OpenCL", NULL, false, {.finishes_before_release = true}},
	/* The runtime is not thread-safe (jrprice/Oclgrind issue 28). */
	{"Oclgrind", NULL, false, {.is_serialised = true}},
	/* Two threads that wait at once for commands may wait for ever on two cores: the runtime gives one wait to the
	 * other's thread, which then cannot end its own.  Seen with backtraces in test_moving_opencl, runtime 2026. */
	{"Intel(R) OpenCL", NULL, true, {.is_serialised = true}},
	/* clFinish after clFlush returns at once (kpet/clvk issue 241).  Mesa 22.3 does the same: after clFlush and
	 * clFinish a kernel that takes a second is still "submitted" there. */
	{"clvk", NULL, false, {.finish_forgets_flushed = true}},
	/* Several threads in one context of Mesa 22.3 got wrong numbers, or crashed, in half of our test runs. */
	/* Markers between its kernels have the same time: a stage of a batch took 0 s in our tests. */
	/* llvmpipe ends a loop when all loops of a work-item and its neighbours in a vector have taken 65 535 passes
	 * (LP_MAX_TGSI_LOOP_ITERATIONS, "shared between every loop", in Mesa's src/gallium/auxiliary/gallivm). */
	{"rusticl",
	 "llvmpipe",
	 false,
	 {.finish_forgets_flushed = true, .is_serialised = true, .has_no_clock = true, .most_steps = 65535}},
	{"rusticl", NULL, false, {.finish_forgets_flushed = true, .is_serialised = true, .has_no_clock = true}},
};

clpac__opencl_quirks clpac__opencl_quirks_of(const clpac_device *device)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strstr(device->platform_name, rows[i].platform) &&
		    (!rows[i].device || strstr(device->name, rows[i].device)) &&
		    (!rows[i].is_of_cpus || device->kind == CLPAC_DEVICE_OPENCL_CPU))
			return rows[i].quirks;
	return (clpac__opencl_quirks){0};
}
