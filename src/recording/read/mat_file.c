/* Variables and elements.  Everything a tag claims is checked against the bytes around it before it is used: an element
 * ends within its matrix, a matrix within its variable, a variable within the file or within what its compressed bytes
 * can unpack to. */
#include "recording/read/mat.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "recording/file_text.h"
#include "recording/read/deflate.h"

/* Types of elements. */
enum {
	MAT_INT8 = 1,
	MAT_UINT8 = 2,
	MAT_INT16 = 3,
	MAT_UINT16 = 4,
	MAT_INT32 = 5,
	MAT_UINT32 = 6,
	MAT_SINGLE = 7,
	MAT_DOUBLE = 9,
	MAT_INT64 = 12,
	MAT_UINT64 = 13,
	MAT_MATRIX = 14,
	MAT_COMPRESSED = 15,
	MAT_UTF8 = 16,
	MAT_UTF16 = 17,
	MAT_UTF32 = 18
};

enum { TAG_BYTES = 8 };

/* --- Bytes ------------------------------------------------------------------------------------- */

/* The file, read ahead in parts: tags are a few bytes each. */
static clpac_status read_ahead(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err)
{
	clpac__mat *mat = source->member;
	const uint64_t at = source->position;
	if (n >= sizeof mat->ahead) {
		clpac__source_seek(mat->file, at);
		return clpac__source_read_upto(mat->file, to, n, n_read, err);
	}
	if (at < mat->ahead_at || at >= mat->ahead_at + mat->ahead_bytes) {
		mat->ahead_at = at;
		mat->ahead_bytes = 0;
		clpac__source_seek(mat->file, at);
		RETURN_IF_ERROR(
			clpac__source_read_upto(mat->file, mat->ahead, sizeof mat->ahead, &mat->ahead_bytes, err));
	}
	const uint64_t from = at - mat->ahead_at;
	*n_read = clpac__smaller(n, mat->ahead_bytes - (size_t)from);
	memcpy(to, mat->ahead + from, *n_read);
	return CLPAC_OK;
}

static clpac_status refill(clpac__mat *mat, clpac_error *err)
{
	size_t n;
	clpac__source_seek(mat->file, mat->packed_at);
	RETURN_IF_ERROR(clpac__source_read_upto(
		mat->file, mat->input, (size_t)clpac__smaller64(sizeof mat->input, mat->packed_end - mat->packed_at),
		&n, err));
	mat->packed_at += n;
	mat->inflater.next_in = mat->input;
	mat->inflater.avail_in = (uInt)n;
	return CLPAC_OK;
}

static clpac_status unpack(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err)
{
	clpac__mat *mat = source->member;
	z_stream *inflater = &mat->inflater;
	const size_t wanted = clpac__smaller(n, 1 << 20);
	inflater->next_out = to;
	inflater->avail_out = (uInt)wanted;
	while (inflater->avail_out && !mat->is_unpacked) {
		if (!inflater->avail_in)
			RETURN_IF_ERROR(refill(mat, err));
		const int code = inflate(inflater, Z_NO_FLUSH);
		if (code == Z_MEM_ERROR)
			RETURN_NO_MEMORY(wanted);
		mat->is_unpacked = code == Z_STREAM_END;
		if (code != Z_OK && code != Z_STREAM_END)
			RETURN_ERROR(
				CLPAC_ERROR_FORMAT,
				"%s: its variable at byte %llu cannot be unpacked (%s): it is damaged or cut short",
				mat->file->path, (unsigned long long)mat->place,
				inflater->msg ? inflater->msg : "its end is missing");
	}
	*n_read = wanted - inflater->avail_out;
	return CLPAC_OK;
}

static clpac_status begin_unpacking(clpac__mat *mat, uint64_t at, uint64_t end, clpac_error *err)
{
	int code = Z_OK;
	mat->inflater.next_in = mat->input;
	mat->inflater.avail_in = 0;
	if (mat->has_inflater) {
		code = inflateReset(&mat->inflater);
	} else {
		mat->inflater.zalloc = clpac__zlib_take;
		mat->inflater.zfree = clpac__zlib_give;
		code = inflateInit(&mat->inflater);
		mat->has_inflater = code == Z_OK;
	}
	if (code != Z_OK)
		RETURN_NO_MEMORY(sizeof mat->inflater);
	mat->packed_at = at;
	mat->packed_end = end;
	mat->is_unpacked = false;
	const uint64_t bytes = end - at;
	mat->packed = (clpac__source){
		.path = mat->file->path,
		.bytes = bytes > UINT64_MAX / CLPAC__MOST_DEFLATED ? UINT64_MAX : bytes * CLPAC__MOST_DEFLATED,
		.read_some = unpack,
		.member = mat,
	};
	return CLPAC_OK;
}

/* Passes over bytes of the present variable, up to a later one. */
static clpac_status skip_to(clpac__mat *mat, uint64_t position, clpac_error *err)
{
	unsigned char passed[512];
	if (mat->bytes == &mat->plain)
		clpac__source_seek(mat->bytes, position);
	while (mat->bytes->position < position)
		RETURN_IF_ERROR(clpac__source_read(
			mat->bytes, passed, (size_t)clpac__smaller64(sizeof passed, position - mat->bytes->position),
			err));
	return CLPAC_OK;
}

clpac_status clpac__mat_finish(clpac__mat *mat, clpac_error *err)
{
	unsigned char passed[512];
	size_t n = mat->bytes == &mat->packed;
	while (n)
		RETURN_IF_ERROR(clpac__source_read_upto(mat->bytes, passed, sizeof passed, &n, err));
	return CLPAC_OK;
}

/* --- Elements ---------------------------------------------------------------------------------- */

typedef struct element {
	unsigned type;
	size_t n;     /* bytes */
	uint64_t end; /* the byte behind it and its padding */
} element;

static uint32_t number_of(const clpac__mat *mat, const unsigned char b[4])
{
	return mat->is_big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
				  : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static clpac_status read_number(clpac__mat *mat, uint32_t *out, clpac_error *err)
{
	unsigned char bytes[4];
	RETURN_IF_ERROR(clpac__source_read(mat->bytes, bytes, sizeof bytes, err));
	*out = number_of(mat, bytes);
	return CLPAC_OK;
}

/* Reads a tag, up to the content.  An element of four bytes or less stands in its tag, with its size in the upper half
 * of the type.
 * @param limit the byte behind all that it is part of. */
static clpac_status read_tag(clpac__mat *mat, uint64_t limit, element *out, clpac_error *err)
{
	uint32_t type, n;
	const uint64_t begin = mat->bytes->position;
	if (limit < TAG_BYTES || begin > limit - TAG_BYTES)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: an element is missing at byte %llu of %llu%s: it is damaged or cut short",
			     mat->file->path, (unsigned long long)begin, (unsigned long long)limit,
			     mat->bytes == &mat->packed ? " of a variable, unpacked" : "");
	RETURN_IF_ERROR(read_number(mat, &type, err));
	if (type >> 16) {
		*out = (element){type & 0xffff, type >> 16, begin + TAG_BYTES};
		if (out->n > 4)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: the element at byte %llu claims %zu bytes in a tag for 4: it is damaged",
				     mat->file->path, (unsigned long long)begin, out->n);
		return CLPAC_OK;
	}
	RETURN_IF_ERROR(read_number(mat, &n, err));
	const uint64_t left = limit - (begin + TAG_BYTES);
	if (n > left)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: the element at byte %llu claims %lu bytes, where %llu can be: it is damaged or cut "
			     "short",
			     mat->file->path, (unsigned long long)begin, (unsigned long)n, (unsigned long long)left);
	/* A compressed variable is not padded. */
	const uint64_t padded = type == MAT_COMPRESSED ? n : ((uint64_t)n + 7) / 8 * 8;
	*out = (element){type, n, begin + TAG_BYTES + clpac__smaller64(padded, left)};
	return CLPAC_OK;
}

/* The dimensions and the number of elements. */
static clpac_status read_dimensions(clpac__mat *mat, const element *from, clpac__mat_array *out, clpac_error *err)
{
	uint32_t size;
	const size_t n = from->n / 4;
	if (from->type != MAT_INT32 || from->n % 4 || n < 2)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the dimensions of a matrix cannot be read: it is damaged",
			     mat->file->path);
	if (n > CLPAC__MAT_MOST_DIMENSIONS) {
		out->kind = CLPAC__MAT_NONE;
		return CLPAC_OK;
	}
	out->n = 1;
	out->n_dimensions = n;
	for (size_t k = 0; k < n; k++) {
		RETURN_IF_ERROR(read_number(mat, &size, err));
		out->dimensions[k] = size;
		if (size > INT32_MAX || !clpac__size_mul(out->n, size, &out->n))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: a matrix claims a size of %lu, among others: it is damaged", mat->file->path,
				     (unsigned long)size);
	}
	return CLPAC_OK;
}

/* Reads a matrix up to its content, whose tag was read. */
static clpac_status read_array(clpac__mat *mat, const element *matrix, clpac__mat_array *out, clpac_error *err)
{
	element part;
	uint32_t flags, most;
	*out = (clpac__mat_array){.end = matrix->end};
	if (matrix->type != MAT_MATRIX)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: an element of type %u stands where a matrix is needed: it is damaged",
			     mat->file->path, matrix->type);
	if (!matrix->n)
		return CLPAC_OK;
	RETURN_IF_ERROR(read_tag(mat, out->end, &part, err));
	if (part.type != MAT_UINT32 || part.n != 8)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the class of a matrix cannot be read: it is damaged",
			     mat->file->path);
	RETURN_IF_ERROR(read_number(mat, &flags, err));
	RETURN_IF_ERROR(read_number(mat, &most, err)); /* of sparse ones alone */
	out->kind = flags & 0xff;
	out->is_complex = flags & 0x0800;
	if (out->kind == CLPAC__MAT_OPAQUE)
		return CLPAC_OK;
	RETURN_IF_ERROR(read_tag(mat, out->end, &part, err));
	RETURN_IF_ERROR(read_dimensions(mat, &part, out, err));
	RETURN_IF_ERROR(skip_to(mat, part.end, err));
	RETURN_IF_ERROR(read_tag(mat, out->end, &part, err));
	if (part.n < sizeof out->name)
		RETURN_IF_ERROR(clpac__source_read(mat->bytes, out->name, part.n, err));
	return skip_to(mat, part.end, err);
}

clpac_status clpac__mat_open(clpac__source *file, clpac__mat **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__mat *made;
	unsigned char head[CLPAC__MAT_HEAD_BYTES];
	TRY(NEW(made));
	made->file = file;
	made->plain =
		(clpac__source){.path = file->path, .bytes = file->bytes, .read_some = read_ahead, .member = made};
	made->bytes = &made->plain;
	TRY(clpac__source_read(made->bytes, head, sizeof head, err));
	made->is_big_endian = memcmp(head + 126, "MI", 2) == 0;
	if (!made->is_big_endian && memcmp(head + 126, "IM", 2) != 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s: its header does not say in which order its bytes are: it is damaged",
		     file->path);
	clpac__mat_go_to(made, sizeof head);
	*out = made, made = NULL;
done:
	clpac__mat_close(made);
	return st;
}

void clpac__mat_close(clpac__mat *mat)
{
	if (mat && mat->has_inflater)
		inflateEnd(&mat->inflater);
	clpac__free(mat);
}

void clpac__mat_go_to(clpac__mat *mat, uint64_t place)
{
	mat->next = place;
}

clpac_status clpac__mat_next(clpac__mat *mat, clpac__mat_array *out, bool *is_there, clpac_error *err)
{
	element variable;
	*is_there = false;
	if (mat->next >= mat->file->bytes)
		return CLPAC_OK;
	mat->bytes = &mat->plain;
	mat->place = mat->next;
	clpac__source_seek(mat->bytes, mat->place);
	RETURN_IF_ERROR(read_tag(mat, mat->plain.bytes, &variable, err));
	mat->next = variable.end;
	if (variable.type == MAT_COMPRESSED) {
		RETURN_IF_ERROR(begin_unpacking(mat, mat->plain.position, variable.end, err));
		mat->bytes = &mat->packed;
		RETURN_IF_ERROR(read_tag(mat, mat->packed.bytes, &variable, err));
		mat->packed.bytes = variable.end;
	}
	RETURN_IF_ERROR(read_array(mat, &variable, out, err));
	*is_there = true;
	return CLPAC_OK;
}

/* --- Content ----------------------------------------------------------------------------------- */

static const struct {
	unsigned type;
	const char *encoding;
} encodings[] = {
	{MAT_INT8, "i1"},   {MAT_UINT8, "u1"},	{MAT_INT16, "i2"},  {MAT_UINT16, "u2"}, {MAT_INT32, "i4"},
	{MAT_UINT32, "u4"}, {MAT_SINGLE, "f4"}, {MAT_DOUBLE, "f8"}, {MAT_INT64, "i8"},	{MAT_UINT64, "u8"},
	{MAT_UTF8, "u1"},   {MAT_UTF16, "u2"},	{MAT_UTF32, "u4"},
};

static const clpac__encoding *encoding_of(unsigned type)
{
	for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
		if (encodings[i].type == type)
			return clpac__encoding_find(encodings[i].encoding);
	return NULL;
}

/* Goes to the first number of a numeric array.
 * @param[out] encoding of each, which may be a smaller one than that of the class.
 * Errors: CLPAC_ERROR_FORMAT where the numbers are not all there. */
static clpac_status numbers_find(clpac__mat *mat, const clpac__mat_array *array, const clpac__encoding **encoding,
				 clpac_error *err)
{
	element numbers = {0};
	RETURN_IF_ERROR(read_tag(mat, array->end, &numbers, err));
	*encoding = encoding_of(numbers.type);
	if (!*encoding)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: the numbers of \"%s\" are of type %u, which there is not: it is damaged",
			     mat->file->path, array->name, numbers.type);
	if (array->n > numbers.n / (*encoding)->bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: \"%s\" claims %zu numbers of %zu bytes, and has %zu bytes: it is damaged",
			     mat->file->path, array->name, array->n, (*encoding)->bytes, numbers.n);
	return CLPAC_OK;
}

clpac_status clpac__mat_samples_find(clpac__mat *mat, uint64_t place, uint64_t at, const clpac__mat_array *array,
				     clpac__sample_layout *layout, clpac__source **from, clpac_error *err)
{
	clpac__mat_array variable;
	bool is_there;
	if (!clpac__mat_is_numeric(array) || array->is_complex)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: \"%s\" holds no real numbers: a full array of them is read",
			     mat->file->path, *array->name ? array->name : "data");
	clpac__mat_go_to(mat, place);
	RETURN_IF_ERROR(clpac__mat_next(mat, &variable, &is_there, err));
	RETURN_IF_ERROR(skip_to(mat, at, err));
	RETURN_IF_ERROR(numbers_find(mat, array, &layout->encoding, err));
	layout->is_big_endian = mat->is_big_endian;
	*from = mat->bytes;
	if (mat->bytes == &mat->plain) {
		clpac__source_seek(mat->file, mat->plain.position);
		*from = mat->file;
	}
	return CLPAC_OK;
}

static clpac_status decode_one(clpac__mat *mat, const clpac__encoding *encoding, double *out, clpac_error *err)
{
	unsigned char bytes[8];
	RETURN_IF_ERROR(clpac__source_read(mat->bytes, bytes, encoding->bytes, err));
	clpac__decode_one(encoding, bytes, mat->is_big_endian, out);
	return CLPAC_OK;
}

clpac_status clpac__mat_number_read(clpac__mat *mat, const clpac__mat_array *array, double *out, clpac_error *err)
{
	const clpac__encoding *encoding;
	*out = NAN;
	if (!clpac__mat_is_numeric(array) || array->n != 1)
		return CLPAC_OK;
	RETURN_IF_ERROR(numbers_find(mat, array, &encoding, err));
	return decode_one(mat, encoding, out, err);
}

size_t clpac__mat_join_halves(uint32_t *points, size_t n)
{
	size_t made = 0;
	for (size_t i = 0; i < n; i++) {
		const bool is_pair = i + 1 < n && points[i] >= 0xd800 && points[i] < 0xdc00 &&
				     points[i + 1] >= 0xdc00 && points[i + 1] < 0xe000;
		points[made++] =
			is_pair ? 0x10000 + ((points[i] - 0xd800) << 10) + (points[i + 1] - 0xdc00) : points[i];
		i += is_pair;
	}
	return made;
}

/* Reads text that is stored as numbers: code units of UTF-8, UTF-16 or UTF-32. */
static clpac_status read_letters(clpac__mat *mat, const clpac__encoding *encoding, size_t n, char *text,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint32_t *points;
	TRY(NEW_ARRAY(points, n));
	for (size_t i = 0; i < n; i++) {
		double letter;
		TRY(decode_one(mat, encoding, &letter, err));
		points[i] = letter >= 0 && letter <= 0x10ffff ? (uint32_t)letter : 0xfffd;
	}
	clpac__utf8_from_code_points(points, clpac__mat_join_halves(points, n), text);
done:
	clpac__free(points);
	return st;
}

clpac_status clpac__mat_text_read(clpac__mat *mat, const clpac__mat_array *array, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	element letters;
	char *text = NULL;
	*out = NULL;
	if (array->kind != CLPAC__MAT_CHAR || !array->n)
		return CLPAC_OK;
	TRY(read_tag(mat, array->end, &letters, err));
	const clpac__encoding *encoding = encoding_of(letters.type);
	if (!encoding)
		FAIL(CLPAC_ERROR_FORMAT, "%s: the letters of a text are of type %u, which there is not: it is damaged",
		     mat->file->path, letters.type);
	const size_t n = letters.n / encoding->bytes;
	TRY(NEW_BYTES(text, 4 * n + 1));
	if (letters.type == MAT_UTF8) {
		TRY(clpac__source_read(mat->bytes, text, n, err));
		text[n] = 0;
	} else {
		TRY(read_letters(mat, encoding, n, text, err));
	}
	if (!(*out = clpac__utf8(text, strlen(text), NULL)))
		FAIL_NO_MEMORY(4 * n);
done:
	clpac__free(text);
	return st;
}

/* Finds the wanted fields among the names of a struct, which all have one width. */
static clpac_status read_fields(clpac__mat *mat, const clpac__mat_array *array, const char *const *wanted,
				size_t n_wanted, size_t **out, size_t *n_fields, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	element part;
	uint32_t width = 0;
	char name[CLPAC__MAT_NAME_SIZE];
	size_t *made = NULL;
	TRY(read_tag(mat, array->end, &part, err));
	if (part.type == MAT_INT32 && part.n == 4)
		TRY(read_number(mat, &width, err));
	TRY(skip_to(mat, part.end, err));
	TRY(read_tag(mat, array->end, &part, err));
	if (width < 1 || width > sizeof name || part.n % width)
		FAIL(CLPAC_ERROR_FORMAT, "%s: the names of a struct's fields cannot be read: it is damaged",
		     mat->file->path);
	*n_fields = part.n / width;
	TRY(NEW_ARRAY(made, *n_fields));
	for (size_t i = 0; i < *n_fields; i++) {
		TRY(clpac__source_read(mat->bytes, name, width, err));
		made[i] = SIZE_MAX;
		for (size_t k = 0; k < n_wanted; k++)
			if (strlen(wanted[k]) < width && strncmp(name, wanted[k], width) == 0)
				made[i] = k;
	}
	TRY(skip_to(mat, part.end, err));
	*out = made, made = NULL;
done:
	clpac__free(made);
	return st;
}

clpac_status clpac__mat_each(clpac__mat *mat, const clpac__mat_array *array, const char *const *wanted, size_t n_wanted,
			     clpac__mat_take *take, void *user, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t *fields = NULL, n_fields = 1;
	element value = {0};
	clpac__mat_array part;
	if (n_wanted)
		TRY(read_fields(mat, array, wanted, n_wanted, &fields, &n_fields, err));
	for (size_t element = 0; n_fields && element < array->n; element++)
		for (size_t f = 0; f < n_fields; f++) {
			TRY(read_tag(mat, array->end, &value, err));
			const size_t field = fields ? fields[f] : 0;
			if (field != SIZE_MAX) {
				TRY(read_array(mat, &value, &part, err));
				TRY(take(user, mat, element, field, &part, err));
			}
			TRY(skip_to(mat, value.end, err));
		}
done:
	clpac__free(fields);
	return st;
}
