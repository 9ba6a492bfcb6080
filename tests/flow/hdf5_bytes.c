#include "hdf5_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "assertions.h"

static void add(bytes *to, uint64_t number, size_t n)
{
	bytes_add_number(to, number, n, 0);
}

static void add_zeros(bytes *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(to, 0, 1);
}

static uint64_t address_of(const hdf5_file *to)
{
	return to->all.n - to->base;
}

void hdf5_begin(hdf5_file *to, bool is_matlab)
{
	static const char text[] = "MATLAB 7.3 MAT-file, Platform: GLNXA64";
	*to = (hdf5_file){{0}, is_matlab ? 512 : 0};
	if (is_matlab) {
		bytes_add_field(&to->all, text, 124);
		bytes_add(&to->all, "\0\2IM", 4);
		add_zeros(&to->all, 512 - to->all.n);
	}
	bytes_add(&to->all, "\x89HDF\r\n\x1a\n\2\x8\x8\0", 12);
	add(&to->all, 0, 8);
	add(&to->all, UINT64_MAX, 8);
	add(&to->all, 0, 8); /* the end of the file */
	add(&to->all, 0, 8); /* the outermost group: hdf5_end */
	add(&to->all, 0, 4);
}

void hdf5_end(hdf5_file *to, uint64_t root)
{
	const uint64_t end = address_of(to);
	for (size_t i = 0; i < 8; i++) {
		to->all.data[to->base + 28 + i] = (unsigned char)(end >> 8 * i);
		to->all.data[to->base + 36 + i] = (unsigned char)(root >> 8 * i);
	}
}

/* --- Messages ----------------------------------------------------------------------------------- */

static void add_type(bytes *to, hdf5_type type)
{
	const unsigned order = type.is_big_endian;
	switch (type.kind) {
	case 'f':
		add(to, 0x11, 1);
		add(to, order | 0x20, 1);
		add(to, 8 * type.bytes - 1, 1);
		add(to, 0, 1);
		add(to, type.bytes, 4);
		add(to, 0, 2);
		add(to, 8 * type.bytes, 2);
		add(to, type.bytes == 8 ? 52 : type.bytes == 4 ? 23 : 10, 1);
		add(to, type.bytes == 8 ? 11 : type.bytes == 4 ? 8 : 5, 1);
		add(to, 0, 1);
		add(to, type.bytes == 8 ? 52 : type.bytes == 4 ? 23 : 10, 1);
		add(to, type.bytes == 8 ? 1023 : type.bytes == 4 ? 127 : 15, 4);
		break;
	case 't':
		add(to, 0x13, 4);
		add(to, type.bytes, 4);
		break;
	case 'r':
		add(to, 0x17, 4);
		add(to, 8, 4);
		break;
	case 'v':
		add(to, 0x119, 4);
		add(to, 16, 4);
		add_type(to, (hdf5_type){'t', 1, false});
		break;
	default:
		add(to, 0x10, 1);
		add(to, order | (type.kind == 'i' ? 8u : 0u), 3);
		add(to, type.bytes, 4);
		add(to, 0, 2);
		add(to, 8 * type.bytes, 2);
	}
}

static void add_space(bytes *to, size_t n, const size_t *dimensions)
{
	add(to, 2, 1);
	add(to, n, 1);
	add(to, 0, 1);
	add(to, n > 0, 1);
	for (size_t i = 0; i < n; i++)
		add(to, dimensions[i], 8);
}

/* Appends a message with its content, which is freed. */
static void add_message(bytes *to, unsigned kind, bytes *content)
{
	add(to, kind, 1);
	add(to, content->n, 2);
	add(to, 0, 1);
	if (content->n)
		bytes_add(to, content->data, content->n);
	bytes_free(content);
	*content = (bytes){0};
}

static void add_attribute(bytes *to, const hdf5_attribute *from)
{
	bytes content = {0}, type = {0}, space = {0};
	const size_t n = from->text ? strlen(from->text) : 8;
	uint64_t bits;
	memcpy(&bits, &from->number, sizeof bits);
	add_type(&type, from->text ? (hdf5_type){'t', n, false} : (hdf5_type){'f', 8, false});
	add_space(&space, 0, NULL);
	add(&content, 3, 2);
	add(&content, strlen(from->name) + 1, 2);
	add(&content, type.n, 2);
	add(&content, space.n, 2);
	add(&content, 0, 1);
	bytes_add(&content, from->name, strlen(from->name) + 1);
	bytes_add(&content, type.data, type.n);
	bytes_add(&content, space.data, space.n);
	if (from->text)
		bytes_add(&content, from->text, n);
	else
		add(&content, bits, 8);
	bytes_free(&type);
	bytes_free(&space);
	add_message(to, 0x0c, &content);
}

/* Writes an object's header with its messages, which are freed. */
static uint64_t write_header(hdf5_file *to, bytes *messages)
{
	const uint64_t address = address_of(to);
	bytes_add(&to->all, "OHDR\2\2", 6);
	add(&to->all, messages->n, 4);
	bytes_add(&to->all, messages->data, messages->n);
	add(&to->all, 0, 4);
	bytes_free(messages);
	return address;
}

/* --- Arrays ------------------------------------------------------------------------------------- */

static void add_checksum(bytes *to)
{
	uint32_t first = 0, second = 0;
	for (size_t i = 0; i < to->n; i += 2) {
		first += (uint32_t)to->data[i] << 8 | (i + 1 < to->n ? to->data[i + 1] : 0u);
		first %= 65535;
		second = (second + first) % 65535;
	}
	add(to, second << 16 | first, 4);
}

/* The chunk that begins at these places, through the array's filters. */
static bytes chunk_of(const hdf5_array *array, const size_t first[3])
{
	bytes made = {0};
	const size_t each = array->type.bytes, n = array->n_dimensions;
	size_t chunk[3] = {1, 1, 1}, size[3] = {1, 1, 1}, n_elements = 1;
	for (size_t k = 0; k < n; k++) {
		chunk[3 - n + k] = array->chunk[k];
		size[3 - n + k] = array->dimensions[k];
		n_elements *= array->chunk[k];
	}
	for (size_t i = 0; i < n_elements; i++) {
		const size_t at[3] = {first[0] + i / chunk[2] / chunk[1], first[1] + i / chunk[2] % chunk[1],
				      first[2] + i % chunk[2]};
		if (at[0] < size[0] && at[1] < size[1] && at[2] < size[2])
			bytes_add(&made,
				  (const char *)array->elements + ((at[0] * size[1] + at[1]) * size[2] + at[2]) * each,
				  each);
		else
			add_zeros(&made, each);
	}
	if (array->is_shuffled) {
		bytes shuffled = {0};
		for (size_t k = 0; k < each; k++)
			for (size_t i = 0; i < n_elements; i++)
				bytes_add(&shuffled, made.data + i * each + k, 1);
		bytes_free(&made);
		made = shuffled;
	}
	if (array->is_packed) {
		uLongf room = compressBound(made.n);
		unsigned char *packed = malloc(room);
		ck_assert_ptr_nonnull(packed);
		ck_assert_int_eq(compress2(packed, &room, made.data, made.n, 6), Z_OK);
		bytes_free(&made);
		made = (bytes){0};
		bytes_add(&made, packed, room);
		free(packed);
	}
	if (array->is_summed)
		add_checksum(&made);
	return made;
}

/* Writes the chunks and their tree, and returns its address. */
static uint64_t write_chunks(hdf5_file *to, const hdf5_array *array)
{
	bytes keys = {0};
	const size_t n = array->n_dimensions;
	size_t counts[3] = {1, 1, 1}, chunk[3] = {1, 1, 1}, n_chunks = 1;
	for (size_t k = 0; k < n; k++) {
		chunk[3 - n + k] = array->chunk[k];
		counts[3 - n + k] = (array->dimensions[k] + array->chunk[k] - 1) / array->chunk[k];
		n_chunks *= counts[3 - n + k];
	}
	for (size_t i = 0; i < n_chunks; i++) {
		const size_t first[3] = {i / counts[2] / counts[1] * chunk[0], i / counts[2] % counts[1] * chunk[1],
					 i % counts[2] * chunk[2]};
		bytes content = chunk_of(array, first);
		const uint64_t address = address_of(to);
		bytes_add(&to->all, content.data, content.n);
		add(&keys, content.n, 4);
		add(&keys, 0, 4);
		for (size_t k = 0; k < n; k++)
			add(&keys, first[3 - n + k], 8);
		add(&keys, 0, 8);
		add(&keys, address, 8);
		bytes_free(&content);
	}
	add_zeros(&keys, 8 + 8 * (n + 1)); /* behind the last */
	const uint64_t address = address_of(to);
	bytes_add(&to->all, "TREE\1\0", 6);
	add(&to->all, n_chunks, 2);
	add(&to->all, UINT64_MAX, 8);
	add(&to->all, UINT64_MAX, 8);
	bytes_add(&to->all, keys.data, keys.n);
	bytes_free(&keys);
	return address;
}

static void add_filters(bytes *to, const hdf5_array *array)
{
	bytes content = {0}, filters = {0};
	unsigned n = 0;
	const struct {
		unsigned number;
		bool is_used;
	} all[] = {
		{2, array->is_shuffled}, {1, array->is_packed}, {3, array->is_summed}, {array->filter, array->filter}};
	for (size_t i = 0; i < COUNT(all); i++) {
		if (!all[i].is_used)
			continue;
		n++;
		add(&filters, all[i].number, 2);
		if (all[i].number >= 256)
			add(&filters, 0, 2);
		add(&filters, 0, 2);
		add(&filters, 1, 2); /* a value, that of the filter */
		add(&filters, 6, 4);
	}
	if (n) {
		add(&content, 2, 1);
		add(&content, n, 1);
		bytes_add(&content, filters.data, filters.n);
		add_message(to, 0x0b, &content);
	}
	bytes_free(&filters);
}

uint64_t hdf5_write_array(hdf5_file *to, const hdf5_array *array)
{
	bytes messages = {0}, content = {0};
	size_t n_bytes = array->type.bytes;
	for (size_t k = 0; k < array->n_dimensions; k++)
		n_bytes *= array->dimensions[k];
	const bool is_chunked = array->chunk[0];
	const uint64_t at = is_chunked ? write_chunks(to, array) : address_of(to);
	if (!is_chunked && n_bytes)
		bytes_add(&to->all, array->elements, n_bytes);
	add_space(&content, array->n_dimensions, array->dimensions);
	add_message(&messages, 0x01, &content);
	add_type(&content, array->type);
	add_message(&messages, 0x03, &content);
	add(&content, 3, 1);
	add(&content, is_chunked ? 2 : 1, 1);
	if (is_chunked) {
		add(&content, array->n_dimensions + 1, 1);
		add(&content, at, 8);
		for (size_t k = 0; k < array->n_dimensions; k++)
			add(&content, array->chunk[k], 4);
		add(&content, array->type.bytes, 4);
	} else {
		add(&content, at, 8);
		add(&content, n_bytes, 8);
	}
	add_message(&messages, 0x08, &content);
	add_filters(&messages, array);
	for (size_t i = 0; i < COUNT(array->attributes) && array->attributes[i].name; i++)
		add_attribute(&messages, &array->attributes[i]);
	return write_header(to, &messages);
}

/* --- Groups, texts and variables ---------------------------------------------------------------- */

uint64_t hdf5_write_group(hdf5_file *to, size_t n, const char *const *names, const uint64_t *members,
			  const hdf5_attribute *attributes, size_t n_attributes)
{
	bytes messages = {0}, content = {0};
	add(&content, 0, 2);
	add(&content, UINT64_MAX, 8);
	add(&content, UINT64_MAX, 8);
	add_message(&messages, 0x02, &content);
	for (size_t i = 0; i < n; i++) {
		add(&content, 1, 2);
		add(&content, strlen(names[i]), 1);
		bytes_add(&content, names[i], strlen(names[i]));
		add(&content, members[i], 8);
		add_message(&messages, 0x06, &content);
	}
	for (size_t i = 0; i < n_attributes; i++)
		add_attribute(&messages, &attributes[i]);
	return write_header(to, &messages);
}

void hdf5_write_texts(hdf5_file *to, size_t n, const char *const *texts, unsigned char *elements)
{
	bytes content = {0};
	const uint64_t heap = address_of(to);
	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(texts[i]);
		bytes element = {0};
		add(&content, i + 1, 2);
		add(&content, 1, 6);
		add(&content, length, 8);
		bytes_add(&content, texts[i], length);
		add_zeros(&content, (8 - length % 8) % 8);
		add(&element, length, 4);
		add(&element, heap, 8);
		add(&element, i + 1, 4);
		memcpy(elements + 16 * i, element.data, 16);
		bytes_free(&element);
	}
	bytes_add(&to->all, "GCOL\1\0\0\0", 8);
	add(&to->all, 16 + content.n + 16, 8);
	bytes_add(&to->all, content.data, content.n);
	add_zeros(&to->all, 16); /* what is free */
	bytes_free(&content);
}

hdf5_array hdf5_variable(hdf5_type type, const char *class, size_t rows, size_t columns, const void *elements)
{
	/* MATLAB's dimensions, the other way round. */
	return (hdf5_array){.type = type,
			    .n_dimensions = 2,
			    .dimensions = {columns, rows},
			    .elements = elements,
			    .attributes = {{"MATLAB_class", class, 0}}};
}

uint64_t hdf5_write_letters(hdf5_file *to, const char *text)
{
	bytes letters = {0};
	const size_t n = strlen(text);
	for (size_t i = 0; i < n; i++)
		add(&letters, (unsigned char)text[i], 2);
	const hdf5_array array = hdf5_variable((hdf5_type){'u', 2, false}, "char", 1, n, letters.data);
	const uint64_t address = hdf5_write_array(to, &array);
	bytes_free(&letters);
	return address;
}
