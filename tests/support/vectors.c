/* Reads JSON of tests/data through Jansson. */
#include "config.h"
#include "vectors.h"

#include "test_thread.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_JANSSON
#include <jansson.h>

const char *vectors_missing(void)
{
	return getenv("CLPAC_TEST_DATA") ? NULL : "CLPAC_TEST_DATA is not set: run it by make check";
}

vectors *vectors_load(const char *name)
{
	char path[4096];
	json_error_t error;
	snprintf(path, sizeof path, "%s/%s", getenv("CLPAC_TEST_DATA"), name);
	json_t *file = json_load_file(path, 0, &error);
	if (!file)
		ck_abort_msg("%s: line %d: %s", path, error.line, error.text);
	return file;
}

void vectors_free(vectors *file)
{
	json_decref(file);
}

const vectors *vectors_get(const vectors *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!value)
		ck_abort_msg("the vectors have no member '%s'", key);
	return value;
}

bool vectors_has(const vectors *object, const char *key)
{
	return json_object_get(object, key) != NULL;
}

const vectors *vectors_at(const vectors *array, size_t i)
{
	const json_t *value = json_array_get(array, i);
	if (!value)
		ck_abort_msg("the vectors have no element %zu", i);
	return value;
}

size_t vectors_count(const vectors *array)
{
	return json_array_size(array);
}

double vectors_value(const vectors *number)
{
	if (!json_is_number(number))
		ck_abort_msg("a number was expected in the vectors");
	return json_number_value(number);
}

double vectors_number(const vectors *object, const char *key)
{
	return vectors_value(vectors_get(object, key));
}

const char *vectors_text(const vectors *object, const char *key)
{
	const char *text = json_string_value(vectors_get(object, key));
	if (!text)
		ck_abort_msg("'%s' is not a text in the vectors", key);
	return text;
}

static size_t collect(const json_t *value, double *out)
{
	size_t n = 0;
	if (!json_is_array(value)) {
		if (out)
			*out = vectors_value(value);
		return 1;
	}
	for (size_t i = 0; i < json_array_size(value); i++)
		n += collect(json_array_get(value, i), out ? out + n : NULL);
	return n;
}

double *vectors_numbers(const vectors *array, size_t *n)
{
	size_t count = collect(array, NULL);
	double *numbers = malloc(count ? count * sizeof *numbers : 1);
	if (!numbers)
		ck_abort_msg("no memory for %zu numbers", count);
	collect(array, numbers);
	if (n)
		*n = count;
	return numbers;
}

#else

const char *vectors_missing(void)
{
	return "built without Jansson, which reads tests/data";
}

/* Never reached: a program with a reason to skip ends before. */
vectors *vectors_load(const char *name)
{
	ck_abort_msg("%s: %s", name, vectors_missing());
	return NULL;
}
void vectors_free(vectors *file)
{
	(void)file;
}
const vectors *vectors_get(const vectors *object, const char *key)
{
	(void)key;
	return object;
}
bool vectors_has(const vectors *object, const char *key)
{
	(void)object;
	(void)key;
	return false;
}
const vectors *vectors_at(const vectors *array, size_t i)
{
	(void)i;
	return array;
}
size_t vectors_count(const vectors *array)
{
	(void)array;
	return 0;
}
double vectors_value(const vectors *number)
{
	(void)number;
	return 0;
}
double vectors_number(const vectors *object, const char *key)
{
	(void)object;
	(void)key;
	return 0;
}
const char *vectors_text(const vectors *object, const char *key)
{
	(void)object;
	return key;
}
double *vectors_numbers(const vectors *array, size_t *n)
{
	(void)array;
	*n = 0;
	return NULL;
}

#endif
