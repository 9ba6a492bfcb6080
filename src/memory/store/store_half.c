/* Arrays of single precision, stored in half precision with a power of two.
 *
 * The power is chosen so that the largest magnitude, scaled, lies in [2^14, 2^15): nothing is out of range, and the
 * smallest halves are 2^-39 of the largest value. */
#include "memory/store/store_parts.h"

#include <math.h>
#include <string.h>
#include "base/half.h"
#include "base/memory.h"

enum { PIECE = 4096 };

static const char FLOAT_TYPE[] = "float32";

/* The power for n values, of which infinities and NaN do not count. */
static int find_power(const float *values, size_t n)
{
	float largest = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]))
			largest = fmaxf(largest, fabsf(values[i]));
	return clpac__half_power((double)largest);
}

static clpac_status make_array(const char *key, const clpac_stored_array *given, clpac_stored_array *out,
			       uint16_t **halves, clpac_error *err)
{
	const size_t n = given->bytes / sizeof(float);
	const char *name = given->name ? given->name : "";
	if (!given->data)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\": the data of array \"%s\" is NULL", key, name);
	if (!n || given->bytes % sizeof(float) || strncmp(given->type, FLOAT_TYPE, sizeof FLOAT_TYPE) != 0)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"key \"%s\": array \"%s\" has %zu bytes of type \"%.*s\": half precision is made of 1 or more "
			"values of type \"float32\"",
			key, name, given->bytes, CLPAC_TYPE_SIZE - 1, given->type);
	*halves = clpac__alloc_array(n, sizeof **halves);
	if (!*halves)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "key \"%s\": the host has no memory left for %zu values", key, n);
	const int power = find_power(given->data, n);
	for (size_t i = 0; i < n; i++)
		(*halves)[i] = clpac__half_of_scaled((double)((const float *)given->data)[i], power);
	*out = *given;
	clpac__half_type_write(power, out->type, sizeof out->type);
	out->bytes = n * sizeof **halves;
	out->data = *halves;
	return CLPAC_OK;
}

clpac_status clpac_store_save_half(clpac_store *store, const char *key, size_t n, const clpac_stored_array *given,
				   const clpac_metadata *metadata, clpac_put mode, clpac_error *err)
{
	NEED(store, key);
	NEED_AS(given, "arrays");
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac_stored_array *arrays = clpac__alloc_array(n, sizeof *arrays);
	uint16_t **halves = clpac__alloc_array(n, sizeof *halves);
	if (!arrays || !halves)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu arrays", n);
	for (size_t i = 0; i < n; i++)
		TRY(make_array(key, &given[i], &arrays[i], &halves[i], err));
	TRY(clpac_store_save(store, key, n, arrays, metadata, mode, err));
done:
	for (size_t i = 0; halves && i < n; i++)
		clpac__free(halves[i]);
	FREE_ALL(halves, arrays);
	return st;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static clpac_status get_halves(clpac_store *store, const char *key, size_t offset, size_t n, int power, float *out,
			       clpac_error *err)
{
	uint16_t halves[PIECE];
	for (size_t at = 0; at < n; at += PIECE) {
		const size_t here = n - at < PIECE ? n - at : PIECE;
		RETURN_IF_ERROR(
			clpac_store_get(store, key, offset + at * sizeof *halves, here * sizeof *halves, halves, err));
		for (size_t i = 0; i < here; i++)
			out[at + i] = (float)clpac__half_scaled_value(halves[i], power);
	}
	return CLPAC_OK;
}

clpac_status clpac_store_get_floats(clpac_store *store, const char *key, const char *name, size_t first, size_t n,
				    float *out, clpac_error *err)
{
	NEED(store, key, name, out);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac_entry *entry = NULL;
	int power = 0;
	TRY(clpac_store_look(store, key, &entry, err));
	const clpac_stored_array *array = clpac_entry_array(entry, name);
	if (!array)
		FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\": it has no array \"%s\"", key, name);
	const bool is_half = clpac__half_type_read(array->type, &power);
	if (!is_half && strcmp(array->type, FLOAT_TYPE) != 0)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "key \"%s\": array \"%s\" is of type \"%s\", neither \"float32\" nor \"float16*2^k\"", key, name,
		     array->type);
	const size_t each = is_half ? sizeof(uint16_t) : sizeof(float), all = array->bytes / each;
	if (first > all || n > all - first)
		FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\": %zu values from number %zu on are not in array \"%s\" of %zu",
		     key, n, first, name, all);
	const size_t offset = array->offset + first * each;
	if (is_half)
		TRY(get_halves(store, key, offset, n, power, out, err));
	else if (n)
		TRY(clpac_store_get(store, key, offset, n * each, out, err));
done:
	clpac_entry_release(entry);
	return st;
}
