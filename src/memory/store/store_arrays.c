/* Several arrays under one key: a list of the parts of an entry's buffer, and saving arrays of the host. */
#include "memory/store/store_parts.h"

#include <string.h>
#include "base/memory.h"

static const char *name_of(const clpac_stored_array *array)
{
	return array->name ? array->name : "";
}

static clpac_status check_array(const char *key, const clpac__arrays *arrays, size_t i, size_t bytes, clpac_error *err)
{
	const clpac_stored_array *array = &arrays->arrays[i];
	const char *name = name_of(array);
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
		if (strcmp(name_of(&arrays->arrays[k]), name) == 0)
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
		names += strlen(name_of(&arrays->arrays[i])) + 1;
	}
	if (clpac__size_mul(arrays->n, sizeof *made, &size) && clpac__size_add(size, names, &size))
		made = clpac__alloc(size);
	if (!made)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "key \"%s\": the host has no memory left for a list of %zu arrays",
			     entry->key, arrays->n);
	char *next = (char *)(made + arrays->n);
	for (size_t i = 0; i < arrays->n; i++) {
		const size_t length = strlen(name_of(&arrays->arrays[i])) + 1;
		made[i] = arrays->arrays[i];
		made[i].data = NULL;
		made[i].name = memcpy(next, name_of(&arrays->arrays[i]), length);
		next += length;
	}
	entry->body->arrays = made;
	entry->body->n_arrays = arrays->n;
	return CLPAC_OK;
}

clpac_status clpac_store_put_arrays(clpac_store *store, const char *key, clpac_buffer *buffer, size_t n,
				    const clpac_stored_array *arrays, const clpac_metadata *metadata, clpac_put mode,
				    clpac_error *err)
{
	NEED(store);
	NEED(key);
	NEED(buffer);
	NEED_AS(arrays || !n, "arrays");
	return clpac__store_put(store, 1, &(clpac_put_item){key, buffer, metadata}, &(clpac__arrays){n, arrays}, mode,
				err);
}

/* Offsets for arrays that follow each other, and the bytes of them all. */
static clpac_status lay_out(const char *key, size_t n, clpac_stored_array *arrays, size_t *bytes, clpac_error *err)
{
	size_t end = 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = name_of(&arrays[i]);
		if (!arrays[i].data)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": the data of array \"%s\" is NULL", key, name);
		if (end > SIZE_MAX - CLPAC_ARRAY_ALIGNMENT)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": array \"%s\" lies beyond any buffer", key,
				     name);
		arrays[i].offset = clpac__round_up(end, CLPAC_ARRAY_ALIGNMENT);
		if (!clpac__size_add(arrays[i].offset, arrays[i].bytes, &end))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "key \"%s\": %zu bytes of array \"%s\" are beyond any buffer", key,
				     arrays[i].bytes, name);
	}
	*bytes = end;
	return CLPAC_OK;
}

clpac_status clpac_store_save(clpac_store *store, const char *key, size_t n, const clpac_stored_array *given,
			      const clpac_metadata *metadata, clpac_put mode, clpac_error *err)
{
	NEED(store);
	NEED(key);
	NEED_AS(given, "arrays");
	clpac_status st = CLPAC_OK;
	clpac_buffer *buffer = NULL;
	size_t bytes = 0;
	clpac_stored_array *arrays = clpac__alloc_array(n, sizeof *arrays);
	if (!arrays)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu arrays", n);
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\": 0 arrays are to be saved: give 1 or more", key);
	memcpy(arrays, given, n * sizeof *arrays);
	TRY(lay_out(key, n, arrays, &bytes, err));
	TRY(clpac_pool_allocate(clpac_store_pool(store), bytes, "store", &buffer, err));
	for (size_t i = 0; i < n; i++)
		TRY(clpac_buffer_write(buffer, arrays[i].offset, arrays[i].bytes, arrays[i].data, err));
	TRY(clpac_store_put_arrays(store, key, buffer, n, arrays, metadata, mode, err));
	buffer = NULL;
done:
	clpac_buffer_release(buffer);
	clpac__free(arrays);
	return st;
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
