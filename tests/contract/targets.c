/* The devices, and the ways of opening them. */
#include "targets.h"

#include "assertions.h"
#include "test_thread.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coupling/fft/engine.h"
#include "coupling/registry/registry.h"
#include "memory/native/isa.h"
#include "memory/own/own.h"
#include "memory/registry/backends.h"
#include "own_memory.h"
#include "simulated.h"
#include "sweeps.h"

static target targets[MAX_TARGETS];
static size_t n_targets;

static target *add(const clpac__backend *backend, const clpac_device *device)
{
	if (n_targets == MAX_TARGETS) /* no assertions outside of a test */
		abort();
	target *new = &targets[n_targets++];
	*new = (target){.backend = backend, .device = *device};
	snprintf(new->label, sizeof new->label, "%s", device->name);
	/* The build tree's, not the user's.  PoCL keeps what it compiles by itself, and compiles all kernels of a
	 * program once more to give out its binary, which took most of the time of its tests: clpac's cache has tests
	 * of its own. */
	const char *cache =
		strcmp(device->platform_name, "Portable Computing Language") ? getenv("XDG_CACHE_HOME") : NULL;
	snprintf(new->options.cache, sizeof new->options.cache, "%s%s", cache ? cache : "none", cache ? "/clpac" : "");
	return new;
}

/* Every instruction set with one thread or three, in turn; with each where there is one set, or sweeps are whole. */
static void add_native(const clpac__backend *backend, const clpac_device *device)
{
	static const unsigned threads[] = {1, 3};
	const clpac__isa *isa;
	const bool is_whole = sweeps_are_whole() || !clpac__isa_get(1);
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++)
		for (size_t t = 0; t < COUNT(threads); t++) {
			if (!is_whole && (i + t) % COUNT(threads) != 0)
				continue;
			target *new = add(backend, device);
			new->options.threads = threads[t];
			snprintf(new->options.instruction_set, sizeof new->options.instruction_set, "%s", isa->name);
			snprintf(new->label, sizeof new->label, "native %s, %u threads", isa->name, threads[t]);
		}
}

/* ---- The simulated device as a backend, which takes its kind from the device's index ---- */

enum { IS_LAGGING = 1, IS_UNIFIED = 2, N_SIMULATED = 4 };

static simulated_device simulated;

static clpac_status open_simulated(const clpac_device *device, const clpac_options *options, clpac__queue **out,
				   clpac_error *err)
{
	(void)options, (void)err;
	simulated_open(&simulated, 0, 0);
	simulated_computes(&simulated);
	simulated.is_lagging = device->index & IS_LAGGING;
	simulated.queue.has_unified_memory = device->index & IS_UNIFIED;
	simulated.queue.device = *device;
	*out = &simulated.queue;
	return CLPAC_OK;
}

static size_t find_simulated(void)
{
	static const clpac__backend backend = {.name = "simulated", .open = open_simulated};
	for (int i = 0; i < N_SIMULATED; i++) {
		clpac_device device = {
			.kind = CLPAC_DEVICE_OTHER, .index = i, .backend = "simulated", .name = "simulated"};
		target *new = add(&backend, &device);
		snprintf(new->label, sizeof new->label, "simulated%s%s", i & IS_LAGGING ? ", lagging" : "",
			 i & IS_UNIFIED ? ", unified" : "");
	}
	return n_targets;
}

/* ---- Memory of an application's own ---------------------------------------------------------- */

static clpac_status open_own(const clpac_device *device, const clpac_options *options, clpac__queue **out,
			     clpac_error *err)
{
	(void)options;
	return clpac__own_queue_open(own_memory((enum own_memory_kind)device->index), out, err);
}

static size_t find_own(void)
{
	static const clpac__backend backend = {.name = "own", .open = open_own};
	for (int i = 0; i < OWN_WITH_SEGMENTS; i++) {
		clpac_device device = {.index = i, .backend = "own"};
		snprintf(device.name, sizeof device.name, "%s", own_memory((enum own_memory_kind)i)->name);
		add(&backend, &device);
	}
	return n_targets;
}

size_t targets_find(const char *name)
{
	const clpac__backend *backend = NULL;
	if (strcmp(name, "own") == 0)
		return n_targets ? n_targets : find_own();
	if (strcmp(name, "simulated") == 0)
		return n_targets ? n_targets : find_simulated();
	for (const clpac__backend *const *b = clpac__backends; *b; b++)
		if (strcmp((*b)->name, name) == 0)
			backend = *b;
	if (!backend || n_targets)
		return n_targets;

	clpac_device_list *list;
	clpac_error err;
	if (clpac_devices_find(&list, &err) != CLPAC_OK) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	const char *wanted = getenv("CLPAC_TEST_DEVICE");
	const clpac_device *only = NULL, *device;
	if (wanted && *wanted && clpac_devices_select(list, wanted, 0, &only, &err) != CLPAC_OK) {
		fprintf(stderr, "CLPAC_TEST_DEVICE: %s\n", err.text);
		abort();
	}
	for (size_t i = 0; (device = clpac_devices_get(list, i)); i++) {
		if (strcmp(device->backend, name) != 0 || !device->is_available)
			continue;
		if (device->kind == CLPAC_DEVICE_NATIVE)
			add_native(backend, device);
		else if (!only || only == device)
			add(backend, device);
	}
	clpac_devices_destroy(list);
	return n_targets;
}

size_t targets_sample(const char *name)
{
	if (targets_find(name) < 2 || !sweeps_are_sampled())
		return n_targets;
	for (size_t i = 1; i < n_targets && targets[0].options.threads == 1; i++)
		if (targets[i].options.threads > 1) {
			const target first = targets[0];
			targets[0] = targets[i];
			targets[i] = first;
		}
	return 1;
}

const char *targets_missing(const char *backend)
{
	if (targets_find(backend))
		return NULL;
	return strcmp(backend, "opencl") == 0 ? "no OpenCL device that can be used (clpac devices says why)"
					      : "the native device is missing";
}

const target *targets_get(size_t i)
{
	return &targets[i];
}

clpac__queue *target_open(const target *where)
{
	clpac__queue *queue = NULL;
	clpac_error err = {0};
	ck_assert_msg(where->backend->open(&where->device, &where->options, &queue, &err) == CLPAC_OK, "%s: %s",
		      where->label, err.text);
	ck_assert_ptr_nonnull(queue);
	return queue;
}

bool target_takes(const target *where, const char *engine)
{
	clpac_options options = where->options;
	clpac__queue *queue = NULL;
	const clpac__fft_engine *found = NULL;
	clpac_error err;
	if (where->backend->open(&where->device, &options, &queue, &err) != CLPAC_OK)
		return true; /* the test itself reports this failure */
	const clpac_status st = clpac__fft_engine_find(engine, queue, &found, &err);
	if (st == CLPAC_ERROR_UNSUPPORTED)
		printf("# left out: %s\n", err.text);
	queue->operations->close(queue);
	return st != CLPAC_ERROR_UNSUPPORTED;
}
