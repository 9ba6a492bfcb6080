/* The devices and ways of opening them. */
#include "targets.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/isa.h"

static target targets[MAX_TARGETS];
static size_t n_targets;

static target *add(const clpac__backend *backend, const clpac_device *device)
{
	if (n_targets == MAX_TARGETS) /* outside of a test nothing can be asserted */
		abort();
	target *new = &targets[n_targets++];
	*new = (target){.backend = backend, .device = *device};
	snprintf(new->label, sizeof new->label, "%s", device->name);
	const char *cache = getenv("XDG_CACHE_HOME"); /* the build tree's, and not the user's */
	snprintf(new->options.cache, sizeof new->options.cache, "%s%s", cache ? cache : "none", cache ? "/clpac" : "");
	return new;
}

static void add_native(const clpac__backend *backend, const clpac_device *device)
{
	static const unsigned threads[] = {1, 3};
	const clpac__isa *isa;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++)
		for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
			target *new = add(backend, device);
			new->options.threads = threads[t];
			snprintf(new->options.instruction_set, sizeof new->options.instruction_set, "%s", isa->name);
			snprintf(new->label, sizeof new->label, "native %s, %u threads", isa->name, threads[t]);
		}
}

size_t targets_find(const char *name)
{
	const clpac__backend *backend = NULL;
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

/* Numerical Recipes' generator: enough for test data. */
static unsigned next(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

void random_bytes(unsigned seed, void *out, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)out)[i] = (unsigned char)(next(&seed) >> 8);
}

float random_unit(unsigned *state)
{
	return (float)next(state) * 0x1p-23f - 1.0f;
}
