/* Several arrays under one key: the list of the parts of an entry's buffer. */
#include "memory/store/store_parts.h"

#include <string.h>
#include "base/memory.h"

static clpac_status check_array(const char *key, const clpac__arrays *arrays, size_t i, size_t bytes, clpac_error *err)
{
	const clpac_stored_array *array = &arrays->arrays[i];
	const char *name = clpac__array_name(array);
	if (!memchr(array->type, 0, sizeof array->type))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "key \"%s\": the type tag of array \"%s\" has no end within %d bytes", key, name,
			     CLPAC_TYPE_SIZE);
	if (!array->bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": array \"%s\" has 0 bytes: leave it out", key, name);
	if (array->offset > bytes || array->bytes > bytes - array->offset)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"key \"%s\": the %zu bytes of array \"%s\" from byte %zu on are not in a buffer of %zu bytes",
			key, array->bytes, name, array->offset, bytes);
	for (size_t k = 0; k < i; k++)
		if (strcmp(clpac__array_name(&arrays->arrays[k]), name) == 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": two arrays are called \"%s\"", key, name);
	return CLPAC_OK;
}

clpac_status clpac__entry_set_arrays(clpac_entry *entry, const clpac__arrays *arrays, size_t bytes, clpac_error *err)
{
	size_t size = 0, names = 0;
	clpac_stored_array *made = NULL;
	if (!arrays->n)
		return CLPAC_OK;
	for (size_t i = 0; i < arrays->n; i++) {
		RETURN_IF_ERROR(check_array(entry->key, arrays, i, bytes, err));
		names += strlen(clpac__array_name(&arrays->arrays[i])) + 1;
	}
	if (clpac__size_mul(arrays->n, sizeof *made, &size) && clpac__size_add(size, names, &size))
		made = clpac__alloc(size);
	if (!made)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "key \"%s\": the host has no memory left for a list of %zu arrays",
			     entry->key, arrays->n);
	char *next = (char *)(made + arrays->n);
	for (size_t i = 0; i < arrays->n; i++) {
		const size_t length = strlen(clpac__array_name(&arrays->arrays[i])) + 1;
		made[i] = arrays->arrays[i];
		made[i].data = NULL;
		made[i].name = memcpy(next, clpac__array_name(&arrays->arrays[i]), length);
		next += length;
	}
	entry->body->arrays = made;
	entry->body->n_arrays = arrays->n;
	return CLPAC_OK;
}

const clpac_stored_array *clpac_entry_arrays(const clpac_entry *entry, size_t *n)
{
	if (n)
		*n = entry ? entry->body->n_arrays : 0;
	return entry ? entry->body->arrays : NULL;
}

const clpac_stored_array *clpac_entry_array(const clpac_entry *entry, const char *name)
{
	if (!entry || !name)
		return NULL;
	for (size_t i = 0; i < entry->body->n_arrays; i++)
		if (strcmp(entry->body->arrays[i].name, name) == 0)
			return &entry->body->arrays[i];
	return NULL;
}
