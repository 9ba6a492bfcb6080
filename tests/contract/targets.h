/* Devices under test: every device of a backend, in every way in which it can be opened. */
#ifndef CLPAC_TESTS_TARGETS_H
#define CLPAC_TESTS_TARGETS_H

#include <stdbool.h>

#include "memory/backend/backend.h"

typedef struct target {
	const clpac__backend *backend;
	clpac_device device;
	clpac_options options;
	char label[192]; /* for messages */
} target;

enum { MAX_TARGETS = 32 };

/* Finds the targets once, for one backend in a program; native: each instruction set with one thread, and with three;
 * opencl: each available device, or the one that CLPAC_TEST_DEVICE selects; simulated: immediate and lagging, with
 * memory of its own and with the host's; own: those of own_memory.h with segments; one queue at a time. */
size_t targets_find(const char *backend);

/* The same number; where sweeps are sampled (sweeps.h), 1: of several ways that differ in threads and instruction sets,
 * one with several threads becomes target 0.  For tests of what each target computes, whose memory other tests sweep.
 */
size_t targets_sample(const char *backend);

/* NULL, or the reason why none was found: a program's skip_reason. */
const char *targets_missing(const char *backend);

/* Target number i. */
const target *targets_get(size_t i);

/* A queue of the target; the caller ends it with close.  Fails the test where it cannot be opened. */
clpac__queue *target_open(const target *where);

/* Whether an FFT engine serves the target's device: some drivers' compilers refuse clFFT's kernels. */
bool target_takes(const target *where, const char *engine);

#endif
