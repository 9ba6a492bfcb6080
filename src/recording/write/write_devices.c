/* The devices of a machine as JSON, to be recorded, attached to a bug report and examined elsewhere.
 *
 * Members have the names of clpac_device and clpac_platform.  Facts that a driver did not report are null, so that 0
 * and false remain answers.  doc/machines.md lists the members. */
#include "recording/devices_format.h"

#include <clpac/version.h>
#include <clpac/devices.h>

#include "recording/json_text.h"
#include "recording/output.h"
#include "recording/file_text.h"
#include "base/memory.h"
#include "base/sized.h"

#include <stdio.h>
#include <string.h>

/* Sets `failed` when memory ran out.  Jansson passes a failed allocation on: NULL in, -1 out. */
static void set(bool *failed, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		*failed = true;
}

/* Drivers' texts are cleaned when they are read.  In one that was not, bytes that are not UTF-8 and control
 * characters become "?", so that the file can be read back and the text still fits its member. */
static json_t *text(const char *bytes)
{
	unsigned oddities = 0;
	char *copy = clpac__strdup(bytes), *utf8 = clpac__utf8(bytes, strlen(bytes), &oddities);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127 ||
		    ((oddities & CLPAC__WAS_LATIN1) && (unsigned char)*c >= 0x80))
			*c = '?';
	json_t *made = copy && utf8 ? json_string(copy) : NULL;
	FREE_ALL(copy, utf8);
	return made;
}

/* Numbers from 2^63 on, which drivers do report, are written as text: JSON integers end there. */
static json_t *count(uint64_t value)
{
	char digits[24];
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
	return json_string(digits);
}

static json_t *property(const clpac_device *device, clpac_device_property which)
{
	const clpac_property_info *info = clpac_device_property_info(which);
	const char *member = (const char *)device + info->offset;
	unsigned small;
	uint64_t large;
	bool answer;
	if (!clpac_device_knows(device, which))
		return json_null();
	switch (info->type) {
	case CLPAC_PROPERTY_IS_KIND:
		return json_string(clpac_device_kind_text(device->kind));
	case CLPAC_PROPERTY_IS_TEXT:
		return text(member);
	case CLPAC_PROPERTY_IS_ANSWER:
		memcpy(&answer, member, sizeof answer);
		return json_boolean(answer);
	case CLPAC_PROPERTY_IS_NUMBER:
		break;
	}
	if (info->size == sizeof large) {
		memcpy(&large, member, sizeof large);
		return count(large);
	}
	memcpy(&small, member, sizeof small);
	return count(small);
}

static json_t *device_json(bool *failed, const clpac_device *device)
{
	char selection[24];
	json_t *object = json_object();
	clpac_device_selection(device, selection, sizeof selection);
	set(failed, object, "selection", json_string(selection));
	set(failed, object, "backend", text(device->backend));
	set(failed, object, "platform", json_integer(device->platform));
	set(failed, object, "index", json_integer(device->index));
	set(failed, object, "platform_name", text(device->platform_name));
	set(failed, object, "is_available", json_boolean(device->is_available));
	set(failed, object, "is_duplicate", json_boolean(device->is_duplicate));
	set(failed, object, "free_knowledge",
	    json_string(clpac__knowledge_words[device->free_knowledge % CLPAC__N_KNOWLEDGES]));
	for (int i = 0; i < CLPAC_PROPERTY_COUNT; i++)
		set(failed, object, clpac_device_property_info((clpac_device_property)i)->name,
		    property(device, (clpac_device_property)i));
	return object;
}

static json_t *platform_json(bool *failed, const clpac_platform *platform)
{
	json_t *object = json_object();
	set(failed, object, "index", json_integer(platform->index));
	set(failed, object, "backend", text(platform->backend));
	set(failed, object, "name", text(platform->name));
	set(failed, object, "vendor", text(platform->vendor));
	set(failed, object, "version", text(platform->version));
	set(failed, object, "n_devices", json_integer(platform->n_devices));
	set(failed, object, "status", json_integer(platform->status));
	set(failed, object, "trouble", text(platform->trouble));
	return object;
}

clpac_status clpac_devices_json(const clpac_device_list *list, char **out, clpac_error *err)
{
	NEED(list);
	NEED_AS(out, "text");
	clpac_status st = CLPAC_OK;
	bool failed = false;
	char *made = NULL;
	json_t *root = json_object(), *devices = json_array(), *platforms = json_array();
	for (size_t i = 0; i < clpac_devices_count(list); i++)
		if (json_array_append_new(devices, device_json(&failed, clpac_devices_get(list, i))) != 0)
			failed = true;
	for (size_t i = 0; i < clpac_platforms_count(list); i++)
		if (json_array_append_new(platforms, platform_json(&failed, clpac_platforms_get(list, i))) != 0)
			failed = true;
	set(&failed, root, "format", json_string(CLPAC__DEVICES_FORMAT));
	set(&failed, root, "format_version", json_integer(CLPAC__DEVICES_FORMAT_VERSION));
	set(&failed, root, "program", json_string("clpac"));
	set(&failed, root, "version", json_string(CLPAC_VERSION_STRING));
	set(&failed, root, "devices", devices);
	set(&failed, root, "platforms", platforms);
	if (failed || !(made = clpac__json_text(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "writing devices as JSON: the host has no memory left");
	*out = made;
done:
	json_decref(root);
	return st;
}

clpac_status clpac_devices_write(const clpac_device_list *list, const char *path, const clpac_write_options *options,
				 clpac_error *err)
{
	NEED(list, path);
	clpac_status st = CLPAC_OK;
	clpac__output *output = NULL;
	char *text = NULL;
	clpac_write_options own;
	TRY(clpac__take_sized(&own, options, clpac_write_options, err));
	TRY(clpac_devices_json(list, &text, err));
	TRY(clpac__output_open(path, own.overwrite, &output, err));
	TRY(clpac__output_join(output, own.set, err));
	TRY(clpac__output_write(output, text, strlen(text), err));
	TRY(clpac__output_write(output, "\n", 1, err));
	TRY(clpac__output_commit(output, err));
done:
	clpac__output_discard(output);
	clpac__free(text);
	return st;
}
