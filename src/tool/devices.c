/* clpac devices: what is here, what would be chosen, and why. */
#include <stdio.h>
#include <string.h>
#include <clpac/device.h>
#include "tool/commands.h"
#include "tool/json.h"
#include "tool/words.h"

static const tool_group *const groups[] = { &tool_group_json, &tool_group_common, NULL };

enum { SELECTION_SIZE = 32 };

/* The choice as `run` would make it without --device. */
typedef struct choice {
	const clpac_device *device; /* NULL when nothing fits CLPAC_DEVICE */
	char why[512];
} choice;

static clpac_status choose(const clpac_device_list *list, choice *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_options options = { 0 };
	TRY(clpac_options_from_environment(&options, err));
	TRY(clpac_devices_select(list, options.device, 0, &out->device, err));
	if (*options.device && strcmp(options.device, "best") != 0) {
		snprintf(out->why, sizeof out->why, "it is the first that fits CLPAC_DEVICE=%s", options.device);
		goto done;
	}
	int n = snprintf(out->why, sizeof out->why, "it is the first available in the order ");
	for (int kind = 0; kind < CLPAC_DEVICE_OTHER && n > 0 && (size_t)n < sizeof out->why; kind++)
		n += snprintf(out->why + n, sizeof out->why - (size_t)n, "%s%s", kind ? ", " : "",
			      clpac_device_kind_text((clpac_device_kind)kind));
done:
	return st;
}

static bool is_same(const clpac_device *a, const clpac_device *b)
{
	return a && b && a->platform == b->platform && a->index == b->index;
}

static void print_devices(const clpac_device_list *list, const clpac_device *chosen)
{
	size_t n = clpac_devices_count(list), name_width = 6, kind_width = 4;
	char selection[SELECTION_SIZE], memory[32];
	bool has_colour = tool_has_colour(stdout);
	for (size_t i = 0; i < n; i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		size_t name = tool_width(device->name), kind = tool_width(clpac_device_kind_text(device->kind));
		name_width = name > name_width ? name : name_width;
		kind_width = kind > kind_width ? kind : kind_width;
	}
	printf("   %-8s", "select");
	tool_print_column(stdout, "kind", kind_width + 2);
	tool_print_column(stdout, "device", name_width + 2);
	printf("%5s  %10s  %s\n", "units", "memory", "platform");
	for (size_t i = 0; i < n; i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		bool is_chosen = is_same(device, chosen);
		clpac_device_selection(device, selection, sizeof selection);
		printf("%s%s  ", has_colour && is_chosen ? "\033[1m" : "", is_chosen ? "*" : " ");
		tool_print_column(stdout, selection, 8);
		tool_print_column(stdout, clpac_device_kind_text(device->kind), kind_width + 2);
		tool_print_column(stdout, device->name, name_width + 2);
		printf("%5u  %10s  ", device->compute_units, tool_bytes_text(device->memory_bytes, memory));
		tool_print_column(stdout, device->platform_name, 0);
		if (*device->driver)
			printf(" %s", device->driver);
		printf("%s%s%s\n", device->is_available ? "" : "  (not available)",
		       device->is_duplicate ? "  (the same as one above)" : "",
		       has_colour && is_chosen ? "\033[0m" : "");
	}
}

static void print_trouble(const clpac_device_list *list)
{
	bool has_title = false;
	for (size_t i = 0; i < clpac_platforms_count(list); i++) {
		const clpac_platform *platform = clpac_platforms_get(list, i);
		if (!*platform->trouble)
			continue;
		if (!has_title)
			printf("\nnot usable:\n");
		has_title = true;
		printf("   platform %d, ", platform->index);
		tool_print_column(stdout, *platform->name ? platform->name : "without a name", 0);
		printf(": %s\n", platform->trouble);
	}
}

static void print_choice(const choice *choice)
{
	char selection[SELECTION_SIZE];
	if (!choice->device)
		return;
	clpac_device_selection(choice->device, selection, sizeof selection);
	printf("\n* clpac computes on %s: %s.\n  Another one: --device SELECT, or CLPAC_DEVICE=SELECT in the "
	       "environment.\n",
	       selection, choice->why);
}

static void set_bool(json_t *object, const char *key, bool value)
{
	json_object_set_new(object, key, json_boolean(value));
}

static json_t *device_json(const clpac_device *d)
{
	char selection[SELECTION_SIZE];
	json_t *o = json_object();
	clpac_device_selection(d, selection, sizeof selection);
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "selection", selection },    { "kind", clpac_device_kind_text(d->kind) },
		{ "backend", d->backend },     { "name", d->name },
		{ "vendor", d->vendor },       { "platform_name", d->platform_name },
		{ "driver", d->driver },       { "version", d->version },
		{ "c_version", d->c_version }, { "pci", d->pci },
		{ "uuid", d->uuid },	       { "extensions", d->extensions },
	};
	const struct {
		const char *key;
		double value;
	} numbers[] = {
		{ "platform", d->platform },
		{ "index", d->index },
		{ "vendor_id", d->vendor_id },
		{ "compute_units", d->compute_units },
		{ "clock_mhz", d->clock_mhz },
		{ "memory_bytes", (double)d->memory_bytes },
		{ "free_bytes", (double)d->free_bytes },
		{ "max_allocation_bytes", (double)d->max_allocation_bytes },
		{ "cache_bytes", (double)d->cache_bytes },
		{ "local_bytes", (double)d->local_bytes },
		{ "base_align_bits", d->base_align_bits },
		{ "vector_width_float", d->vector_width_float },
	};
	const struct {
		const char *key;
		bool value;
	} answers[] = {
		{ "has_unified_memory", d->has_unified_memory },
		{ "has_fp64", d->has_fp64 },
		{ "has_fp16", d->has_fp16 },
		{ "has_device_clock", d->has_device_clock },
		{ "is_available", d->is_available },
		{ "is_duplicate", d->is_duplicate },
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		tool_json_text(o, texts[i].key, texts[i].text);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		tool_json_number(o, numbers[i].key, numbers[i].value);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		set_bool(o, answers[i].key, answers[i].value);
	return o;
}

static json_t *platform_json(const clpac_platform *p)
{
	json_t *o = json_object();
	tool_json_number(o, "index", p->index);
	tool_json_text(o, "backend", p->backend);
	tool_json_text(o, "name", p->name);
	tool_json_text(o, "vendor", p->vendor);
	tool_json_text(o, "version", p->version);
	tool_json_number(o, "n_devices", p->n_devices);
	tool_json_number(o, "status", p->status);
	tool_json_text(o, "trouble", p->trouble);
	return o;
}

static clpac_status print_json(const clpac_device_list *list, const choice *choice, clpac_error *err)
{
	char selection[SELECTION_SIZE];
	json_t *root = json_object(), *devices = json_array(), *platforms = json_array();
	for (size_t i = 0; i < clpac_devices_count(list); i++)
		json_array_append_new(devices, device_json(clpac_devices_get(list, i)));
	for (size_t i = 0; i < clpac_platforms_count(list); i++)
		json_array_append_new(platforms, platform_json(clpac_platforms_get(list, i)));
	if (choice->device)
		clpac_device_selection(choice->device, selection, sizeof selection);
	tool_json_text(root, "chosen", choice->device ? selection : NULL);
	tool_json_text(root, "why", choice->device ? choice->why : NULL);
	json_object_set_new(root, "devices", devices);
	json_object_set_new(root, "platforms", platforms);
	return tool_json_print(root, err);
}

static clpac_status devices(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK, chosen;
	clpac_device_list *list = NULL;
	choice choice = { 0 };
	TRY(clpac_devices_find(&list, err));
	/* What is here is told even where nothing of it fits, or where a variable cannot be read. */
	chosen = choose(list, &choice, err);
	if (call->values.json) {
		TRY(print_json(list, &choice, err));
	} else {
		print_devices(list, choice.device);
		print_trouble(list);
		print_choice(&choice);
	}
	TRY(chosen);
done:
	clpac_devices_destroy(list);
	return st;
}

const tool_command tool_command_devices = {
	.name = "devices",
	.usage = "[OPTIONS]",
	.summary = "list where clpac can compute, and what it would choose",
	.help = "Lists the native CPU and every OpenCL device, what keeps others from being used, and what would be "
		"chosen.\n",
	.groups = groups,
	.run = devices,
};
