/* Names of kinds of devices, the selection of one device, and the platforms of a list in words. */
#include <clpac/memory/device.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *const kind_text[] = {
	[CLPAC_DEVICE_DISCRETE_GPU] = "discrete GPU", [CLPAC_DEVICE_INTEGRATED_GPU] = "integrated GPU",
	[CLPAC_DEVICE_ACCELERATOR] = "accelerator",   [CLPAC_DEVICE_NATIVE] = "native CPU",
	[CLPAC_DEVICE_OPENCL_CPU] = "OpenCL CPU",     [CLPAC_DEVICE_OTHER] = "other device",
};
_Static_assert(sizeof kind_text / sizeof *kind_text == CLPAC_DEVICE_KIND_COUNT, "one text per kind");

const char *clpac_device_kind_text(clpac_device_kind kind)
{
	return (unsigned)kind < CLPAC_DEVICE_KIND_COUNT ? kind_text[kind] : "unknown kind";
}

void clpac_device_selection(const clpac_device *device, char *text, size_t size)
{
	if (!text || !size)
		return;
	*text = 0;
	if (!device)
		return;
	if (strcmp(device->backend, "native") == 0)
		snprintf(text, size, "native");
	else
		snprintf(text, size, "%d:%d", device->platform, device->index);
}

/* --- Platforms in words ----------------------------------------------------------------------- */

clpac_status clpac_platforms_text(const clpac_device_list *list, char **out, clpac_error *err)
{
	NEED(list);
	NEED_AS(out, "text");
	clpac__text text = {0};
	const clpac_platform *platform;
	clpac__text_add_bytes(&text, "", 0); /* so that a list of nothing has a text too */
	for (size_t i = 0; (platform = clpac_platforms_get(list, i)); i++) {
		clpac__text_add(&text, "%s: %s", platform->backend, platform->name);
		if (*platform->version)
			clpac__text_add(&text, " (%s)", platform->version);
		clpac__text_add(&text, ", %d device%s", platform->n_devices, platform->n_devices == 1 ? "" : "s");
		clpac__text_add(&text, "%s%s\n", *platform->trouble ? ": " : "", platform->trouble);
	}
	return clpac__text_give(&text, "the platforms as text", out, err);
}

clpac_status clpac_platforms_json(const clpac_device_list *list, char **out, clpac_error *err)
{
	NEED(list);
	NEED_AS(out, "text");
	clpac__text text = {0};
	const clpac_platform *platform;
	clpac__text_add(&text, "[");
	for (size_t i = 0; (platform = clpac_platforms_get(list, i)); i++) {
		clpac__text_add(&text, "%s{\"backend\": ", i ? ", " : "");
		clpac__text_add_json(&text, platform->backend);
		clpac__text_add(&text, ", \"index\": %d, \"name\": ", platform->index);
		clpac__text_add_json(&text, platform->name);
		clpac__text_add(&text, ", \"version\": ");
		clpac__text_add_json(&text, platform->version);
		clpac__text_add(&text, ", \"n_devices\": %d, \"status\": %d, \"trouble\": ", platform->n_devices,
				platform->status);
		clpac__text_add_json(&text, *platform->trouble ? platform->trouble : NULL);
		clpac__text_add(&text, "}");
	}
	clpac__text_add(&text, "]");
	return clpac__text_give(&text, "the platforms as text", out, err);
}
