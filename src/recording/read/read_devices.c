/* The devices of a machine from a file written by clpac_devices_write, or by hand following doc/machines.md.
 *
 * Such files come with bug reports and are not trusted: sizes and counts are limited, texts must be safe for a
 * terminal, and no two devices share a number. */
#include "recording/devices_format.h"

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/devices.h>

#include "base/error.h"
#include "base/memory.h"
#include "recording/file_text.h"
#include "recording/json_text.h"
#include "recording/read/samples.h"

/* A file of JSON that is not trusted, as a tree. */

/* The tree is freed with json_decref.  The size is checked before memory is allocated.
 *  what: "list of devices", for the error of a file that is larger.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with line and column, CLPAC_ERROR_NO_MEMORY. */
static clpac_status read_json_file(const char *path, uint64_t most_bytes, const char *what, json_t **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__source source = {0};
	char *text = NULL;
	size_t length;
	json_error_t wrong;
	TRY(clpac__source_open(path, &source, err));
	if (source.bytes > most_bytes)
		FAIL(CLPAC_ERROR_FORMAT, "%s: %llu bytes are more than any %s has", path,
		     (unsigned long long)source.bytes, what);
	text = clpac__alloc((size_t)source.bytes + 1);
	if (!text)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its bytes", path);
	TRY(clpac__source_read_upto(&source, text, (size_t)source.bytes, &length, err));
	errno = 0;
	*out = clpac__json_read(text, length, JSON_REJECT_DUPLICATES, &wrong);
	/* Jansson's parser takes a failed allocation for wrong syntax; errno tells them apart. */
	if (!*out && errno == ENOMEM)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its content", path);
	if (!*out) {
		char shown[CLPAC__SHOWN_SIZE];
		clpac__show(wrong.text, strcspn(wrong.text, "\n"), shown);
		st = clpac__fail(err, CLPAC_ERROR_FORMAT, "%s: line %d, column %d: not JSON: %s", path, wrong.line,
				 wrong.column, shown);
		TRY(clpac__of_line(err, st, wrong.line > 0 ? (uint64_t)wrong.line : 0));
	}
done:
	clpac__free(text);
	clpac__source_close(&source);
	return st;
}

/* Devices are compared in pairs, which takes a millisecond at this number of entries. */
enum { MOST_BYTES = 16 << 20, MOST_ENTRIES = 512, MOST_NUMBER = 4095 };

/* The place in the file, for error messages: "a.json: devices[3]". */
typedef struct place {
	const char *path, *list;
	size_t index;
} place;

#define RETURN_AT(place_, member, what, ...)                                                                           \
	RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s[%zu].%s " what, (place_)->path, (place_)->list, (place_)->index,      \
		     member, __VA_ARGS__)

/* --- One member ------------------------------------------------------------------------------- */

/* A text that fits and has no control characters.  Absent or null leaves *is_there false. */
static clpac_status get_text(const place *at, const json_t *object, const char *member, char *out, size_t size,
			     bool *is_there, clpac_error *err)
{
	const json_t *value = json_object_get(object, member);
	*out = 0;
	*is_there = value && !json_is_null(value);
	if (!*is_there)
		return CLPAC_OK;
	const char *text = json_string_value(value);
	if (!text)
		RETURN_AT(at, member, "must be a text%s", "");
	if (strlen(text) >= size)
		RETURN_AT(at, member, "is longer than %zu bytes", size - 1);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			RETURN_AT(at, member, "holds a control character%s", "");
	memcpy(out, text, strlen(text) + 1);
	return CLPAC_OK;
}

static clpac_status get_whole(const place *at, const json_t *object, const char *member, long long least,
			      long long most, int *out, clpac_error *err)
{
	const json_t *value = json_object_get(object, member);
	if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most)
		RETURN_AT(at, member, "must be a whole number from %lld to %lld", least, most);
	*out = (int)json_integer_value(value);
	return CLPAC_OK;
}

static clpac_status get_required_text(const place *at, const json_t *object, const char *member, char *out, size_t size,
				      clpac_error *err)
{
	bool is_there;
	RETURN_IF_ERROR(get_text(at, object, member, out, size, &is_there, err));
	if (!is_there)
		RETURN_AT(at, member, "is missing%s", "");
	return CLPAC_OK;
}

/* "native", whose numbers are -1, or "opencl". */
static clpac_status get_backend(const place *at, const json_t *object, char *out, size_t size, clpac_error *err)
{
	RETURN_IF_ERROR(get_required_text(at, object, "backend", out, size, err));
	if (strcmp(out, "native") != 0 && strcmp(out, "opencl") != 0)
		RETURN_AT(at, "backend", "must be native or opencl%s", "");
	return CLPAC_OK;
}

/* --- A device's property ---------------------------------------------------------------------- */

static bool read_kind(const json_t *value, clpac_device *device)
{
	const char *word = json_string_value(value);
	for (int kind = 0; word && kind < CLPAC_DEVICE_KIND_COUNT; kind++) {
		if (strcmp(word, clpac_device_kind_text((clpac_device_kind)kind)) == 0) {
			device->kind = (clpac_device_kind)kind;
			return true;
		}
	}
	return false;
}

/* A number from 0, or its digits as text where it exceeds the integers of JSON. */
static bool read_count(const json_t *value, uint64_t *out)
{
	const char *digits = json_string_value(value);
	char *end;
	if (digits) {
		errno = 0;
		*out = strtoull(digits, &end, 10);
		return *digits >= '0' && *digits <= '9' && !*end && errno == 0;
	}
	*out = json_is_integer(value) && json_integer_value(value) >= 0 ? (uint64_t)json_integer_value(value) : 0;
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static clpac_status get_property(const place *at, const json_t *object, clpac_device_property property,
				 clpac_device *device, clpac_error *err)
{
	const clpac_property_info *info = clpac_device_property_info(property);
	char *member = (char *)device + info->offset;
	const json_t *value = json_object_get(object, info->name);
	uint64_t count;
	bool is_there = value && !json_is_null(value);
	if (!is_there)
		return CLPAC_OK;
	switch (info->type) {
	case CLPAC_PROPERTY_IS_KIND:
		if (!read_kind(value, device))
			RETURN_AT(at, info->name, "is no kind of device%s", "");
		break;
	case CLPAC_PROPERTY_IS_TEXT:
		RETURN_IF_ERROR(get_text(at, object, info->name, member, info->size, &is_there, err));
		break;
	case CLPAC_PROPERTY_IS_ANSWER:
		if (!json_is_boolean(value))
			RETURN_AT(at, info->name, "must be true or false%s", "");
		memcpy(member, &(bool){json_is_true(value)}, sizeof(bool));
		break;
	case CLPAC_PROPERTY_IS_NUMBER:
		if (!read_count(value, &count) || (info->size < sizeof count && count > UINT_MAX))
			RETURN_AT(at, info->name, "must be a whole number from 0 that the member can hold%s", "");
		if (info->size == sizeof count)
			memcpy(member, &count, sizeof count);
		else
			memcpy(member, &(unsigned){(unsigned)count}, sizeof(unsigned));
		break;
	}
	device->known |= (uint64_t)1 << property;
	return CLPAC_OK;
}

/* --- A device, a platform --------------------------------------------------------------------- */

static clpac_status get_knowledge(const place *at, const json_t *object, clpac_knowledge *out, clpac_error *err)
{
	char word[16];
	bool is_there;
	RETURN_IF_ERROR(get_text(at, object, "free_knowledge", word, sizeof word, &is_there, err));
	for (int i = 0; is_there && i < CLPAC__N_KNOWLEDGES; i++) {
		if (strcmp(word, clpac__knowledge_words[i]) == 0) {
			*out = (clpac_knowledge)i;
			return CLPAC_OK;
		}
	}
	if (is_there)
		RETURN_AT(at, "free_knowledge", "must be unknown, estimated or exact%s", "");
	return CLPAC_OK;
}

static clpac_status get_device(const place *at, const json_t *object, clpac_device *device, clpac_error *err)
{
	const json_t *available = json_object_get(object, "is_available");
	*device = (clpac_device){.kind = CLPAC_DEVICE_OTHER};
	RETURN_IF_ERROR(get_backend(at, object, device->backend, sizeof device->backend, err));
	const int first = strcmp(device->backend, "native") == 0 ? -1 : 0, last = first ? -1 : MOST_NUMBER;
	RETURN_IF_ERROR(get_whole(at, object, "platform", first, last, &device->platform, err));
	RETURN_IF_ERROR(get_whole(at, object, "index", first, last, &device->index, err));
	RETURN_IF_ERROR(get_required_text(at, object, "platform_name", device->platform_name,
					  sizeof device->platform_name, err));
	if (!json_is_boolean(available))
		RETURN_AT(at, "is_available", "must be true or false%s", "");
	device->is_available = json_is_true(available);
	RETURN_IF_ERROR(get_knowledge(at, object, &device->free_knowledge, err));
	for (int i = 0; i < CLPAC_PROPERTY_COUNT; i++)
		RETURN_IF_ERROR(get_property(at, object, (clpac_device_property)i, device, err));
	return CLPAC_OK;
}

static clpac_status get_platform(const place *at, const json_t *object, clpac_platform *platform, clpac_error *err)
{
	bool is_there;
	*platform = (clpac_platform){0};
	RETURN_IF_ERROR(get_backend(at, object, platform->backend, sizeof platform->backend, err));
	RETURN_IF_ERROR(get_whole(at, object, "index", -1, MOST_NUMBER, &platform->index, err));
	RETURN_IF_ERROR(get_whole(at, object, "n_devices", 0, MOST_ENTRIES, &platform->n_devices, err));
	RETURN_IF_ERROR(get_whole(at, object, "status", INT_MIN, INT_MAX, &platform->status, err));
	RETURN_IF_ERROR(get_required_text(at, object, "name", platform->name, sizeof platform->name, err));
	RETURN_IF_ERROR(get_text(at, object, "vendor", platform->vendor, sizeof platform->vendor, &is_there, err));
	RETURN_IF_ERROR(get_text(at, object, "version", platform->version, sizeof platform->version, &is_there, err));
	return get_text(at, object, "trouble", platform->trouble, sizeof platform->trouble, &is_there, err);
}

/* --- The whole -------------------------------------------------------------------------------- */

typedef struct machine {
	clpac_device *devices;
	clpac_platform *platforms;
	size_t n_devices, n_platforms;
} machine;

/* A list of objects of plausible length. */
static clpac_status get_list(const char *path, const json_t *root, const char *name, size_t each, void **entries,
			     size_t *n, clpac_error *err)
{
	const json_t *list = json_object_get(root, name);
	if (!json_is_array(list))
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s is missing, or no list", path, name);
	*n = json_array_size(list);
	if (*n > MOST_ENTRIES)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %zu %s are more than any machine has", path, *n, name);
	*entries = clpac__alloc_array(*n + 1, each);
	if (!*entries)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu %s", path, *n, name);
	for (size_t i = 0; i < *n; i++)
		if (!json_is_object(json_array_get(list, i)))
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s[%zu] is no object", path, name, i);
	return CLPAC_OK;
}

/* An entry of the file by what must differ. */
typedef struct place_of_entry {
	const char *backend;
	int platform, index; /* of a platform, its own number and 0 */
	size_t number;
} place_of_entry;

static int compare_places(const void *a, const void *b)
{
	const place_of_entry *x = a, *y = b;
	if (x->platform != y->platform)
		return x->platform < y->platform ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_platforms(const void *a, const void *b)
{
	const place_of_entry *x = a, *y = b;
	return x->platform != y->platform ? (x->platform < y->platform ? -1 : 1) : strcmp(x->backend, y->backend);
}

/* No two devices share their numbers, and every device has its platform. */
static clpac_status check_numbers(const char *path, const machine *read, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	place_of_entry *devices = clpac__alloc_array(read->n_devices + 1, sizeof *devices);
	place_of_entry *platforms = clpac__alloc_array(read->n_platforms + 1, sizeof *platforms);
	if (!devices || !platforms)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu devices", path, read->n_devices);
	for (size_t i = 0; i < read->n_platforms; i++)
		platforms[i] = (place_of_entry){read->platforms[i].backend, read->platforms[i].index, 0, i};
	qsort(platforms, read->n_platforms, sizeof *platforms, compare_platforms);
	for (size_t i = 0; i < read->n_devices; i++) {
		const clpac_device *device = &read->devices[i];
		devices[i] = (place_of_entry){device->backend, device->platform, device->index, i};
		if (!bsearch(&devices[i], platforms, read->n_platforms, sizeof *platforms, compare_platforms))
			FAIL(CLPAC_ERROR_FORMAT, "%s: devices[%zu] is of platform %d, which is not among platforms",
			     path, i, device->platform);
	}
	qsort(devices, read->n_devices, sizeof *devices, compare_places);
	for (size_t i = 1; i < read->n_devices; i++)
		if (devices[i].platform == devices[i - 1].platform && devices[i].index == devices[i - 1].index)
			FAIL(CLPAC_ERROR_FORMAT, "%s: devices[%zu] has the numbers of devices[%zu]", path,
			     devices[i].number, devices[i - 1].number);
done:
	FREE_ALL(devices, platforms);
	return st;
}

static clpac_status get_machine(const char *path, const json_t *root, machine *out, clpac_error *err)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *version = json_object_get(root, "format_version");
	if (!format || strcmp(format, CLPAC__DEVICES_FORMAT) != 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: no list of devices: its format is not \"%s\"; clpac devices --write makes one", path,
			     CLPAC__DEVICES_FORMAT);
	if (!json_is_integer(version) || json_integer_value(version) != CLPAC__DEVICES_FORMAT_VERSION)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: its format_version is not %d, the one that this version of clpac reads", path,
			     CLPAC__DEVICES_FORMAT_VERSION);
	RETURN_IF_ERROR(
		get_list(path, root, "devices", sizeof *out->devices, (void **)&out->devices, &out->n_devices, err));
	RETURN_IF_ERROR(get_list(path, root, "platforms", sizeof *out->platforms, (void **)&out->platforms,
				 &out->n_platforms, err));
	for (size_t i = 0; i < out->n_devices; i++)
		RETURN_IF_ERROR(get_device(&(place){path, "devices", i},
					   json_array_get(json_object_get(root, "devices"), i), &out->devices[i], err));
	for (size_t i = 0; i < out->n_platforms; i++)
		RETURN_IF_ERROR(get_platform(&(place){path, "platforms", i},
					     json_array_get(json_object_get(root, "platforms"), i), &out->platforms[i],
					     err));
	return check_numbers(path, out, err);
}

clpac_status clpac_devices_read(const char *path, clpac_device_list **out, clpac_error *err)
{
	NEED(path, out);
	clpac_status st = CLPAC_OK;
	machine read = {0};
	json_t *root = NULL;
	TRY(read_json_file(path, MOST_BYTES, "list of devices", &root, err));
	TRY(get_machine(path, root, &read, err));
	TRY(clpac_devices_make(read.devices, read.n_devices, read.platforms, read.n_platforms, out, err));
done:
	FREE_ALL(read.devices, read.platforms);
	json_decref(root);
	return st;
}
