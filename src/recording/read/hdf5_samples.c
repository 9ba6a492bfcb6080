/* The elements of arrays in HDF5 files: in one piece, or in chunks that are each compressed. */
#include "recording/read/hdf5.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/recording.h"
#include "recording/read/deflate.h"

enum { DEFLATE = 1, SHUFFLE = 2, CHECKSUM = 3, CHECKSUM_BYTES = 4 };
/* A chunk in its tree: a key of sizes and places, and its address. */
enum { LEAST_ENTRY_BYTES = 32 };

/* A chunk in the file. */
typedef struct chunk {
	uint64_t address;
	uint32_t bytes, passed; /* passed: bits of the filters that were left out */
} chunk;

/* An array of three dimensions, some of which may be 1: outer ones, rows, columns. */
typedef struct grid {
	size_t sizes[3], chunk[3], counts[3]; /* of elements, of a chunk, of chunks */
	size_t element_bytes, chunk_bytes;
	chunk *chunks; /* owned; NULL: the array lies in one piece */
	size_t n_chunks;
	uint64_t base, at; /* at: of the array in one piece */
	unsigned filters[CLPAC__HDF5_MOST_FILTERS];
	size_t n_filters;
} grid;

/* --- Where chunks are (III.A.1) ------------------------------------------------------------------ */

static clpac_status fail_chunks(const clpac__hdf5 *h5, clpac_error *err)
{
	RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the tree of an array's chunks cannot be read: it is damaged",
		     h5->file->path);
}

typedef struct noting {
	const grid *to;
	size_t n_dimensions, skip; /* skip: leading dimensions of the grid that the array does not have */
	size_t next;		   /* the least number that the next chunk may have */
} noting;

/* Notes the chunks below a node; its level sinks with each step down.  The chunks ascend through the whole tree, so
 * that a node which is reached again is noticed at its first chunk, and the parts need no other limit.
 * @param level of the node above; 256: none.  A node below another has children. */
static clpac_status note_chunks(clpac__hdf5 *h5, uint64_t node, unsigned level, noting *on, clpac_error *err)
{
	unsigned char head[24], entry[8 + 8 * (CLPAC__HDF5_MOST_DIMENSIONS + 1) + 8];
	const grid *to = on->to;
	const size_t key_bytes = 8 + 8 * (on->n_dimensions + 1);
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, node, head, sizeof head, err));
	const size_t n = (size_t)clpac__hdf5_number(head + 6, 2);
	if (memcmp(head, "TREE", 4) != 0 || head[4] != 1 || head[5] >= level || (!n && level < 256))
		return fail_chunks(h5, err);
	for (size_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(clpac__cancel_check_at((size_t)h5->n_spent++, err));
		RETURN_IF_ERROR(
			clpac__hdf5_bytes(h5, node + sizeof head + i * (key_bytes + 8), entry, key_bytes + 8, err));
		const uint64_t below = clpac__hdf5_number(entry + key_bytes, 8);
		if (head[5]) {
			RETURN_IF_ERROR(note_chunks(h5, below, head[5], on, err));
			continue;
		}
		size_t number = 0;
		for (size_t k = 0; k < 3; k++) {
			const uint64_t first = k < on->skip || k - on->skip >= on->n_dimensions
						       ? 0
						       : clpac__hdf5_number(entry + 8 + 8 * (k - on->skip), 8);
			if (first % to->chunk[k] || first >= to->sizes[k])
				return fail_chunks(h5, err);
			number = number * to->counts[k] + (size_t)first / to->chunk[k];
		}
		if (number < on->next)
			return fail_chunks(h5, err);
		on->next = number + 1;
		to->chunks[number] = (chunk){below, (uint32_t)clpac__hdf5_number(entry, 4),
					     (uint32_t)clpac__hdf5_number(entry + 4, 4)};
	}
	return CLPAC_OK;
}

/* Checks that every chunk is there, and what it claims to hold: all chunks together are no more than the file. */
static clpac_status check_chunks(const clpac__hdf5 *h5, const grid *of, clpac_error *err)
{
	uint64_t left = h5->file->bytes - h5->base;
	bool is_deflated = false;
	for (size_t i = 0; i < of->n_filters; i++)
		is_deflated |= of->filters[i] == DEFLATE;
	for (size_t i = 0; i < of->n_chunks; i++) {
		const chunk *at = &of->chunks[i];
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		if (!at->bytes)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: a part of an array was never written: the array is read when it is whole",
				     h5->file->path);
		if (at->bytes > left ||
		    of->chunk_bytes > (is_deflated ? CLPAC__MOST_DEFLATED : 1) * (uint64_t)at->bytes)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: a chunk of an array claims %lu bytes for %zu, and %llu are left: it is "
				     "damaged or cut short",
				     h5->file->path, (unsigned long)at->bytes, of->chunk_bytes,
				     (unsigned long long)left);
		left -= at->bytes;
	}
	return CLPAC_OK;
}

static clpac_status find_chunks(clpac__hdf5 *h5, const clpac__hdf5_object *array, size_t skip, grid *out,
				clpac_error *err)
{
	const uint64_t most = (h5->file->bytes - h5->base) / LEAST_ENTRY_BYTES;
	out->n_chunks = 1;
	out->chunk_bytes = out->element_bytes;
	for (size_t k = 0; k < 3; k++) {
		const bool is_beside = k < skip || k - skip >= array->space.n_dimensions;
		out->chunk[k] = is_beside ? 1 : array->chunk[k - skip];
		if (!out->chunk[k] || !clpac__size_mul(out->chunk_bytes, out->chunk[k], &out->chunk_bytes) ||
		    out->chunk_bytes > UINT32_MAX)
			return fail_chunks(h5, err);
		out->counts[k] = (out->sizes[k] - 1) / out->chunk[k] + 1;
		if (!clpac__size_mul(out->n_chunks, out->counts[k], &out->n_chunks) || out->n_chunks > most)
			RETURN_ERROR(
				CLPAC_ERROR_FORMAT,
				"%s: an array claims more chunks than fit in %llu bytes: it is damaged or cut short",
				h5->file->path, (unsigned long long)h5->file->bytes);
	}
	memcpy(out->filters, array->filters, sizeof out->filters);
	out->n_filters = array->n_filters;
	RETURN_IF_ERROR(NEW_ARRAY(out->chunks, out->n_chunks));
	noting on = {out, array->space.n_dimensions, skip, 0};
	if (array->at != UINT64_MAX)
		RETURN_IF_ERROR(note_chunks(h5, array->at, 256, &on, err));
	return check_chunks(h5, out, err);
}

/* Finds where an array of elements lies.  Its last dimension is that of the columns, where there are any.
 * @param is_flat all its elements are rows.  @param out its chunks are to be freed with clpac__free in any case. */
static clpac_status find_grid(clpac__hdf5 *h5, const clpac__hdf5_object *array, bool is_flat, grid *out,
			      clpac_error *err)
{
	const size_t n = array->space.n_dimensions;
	*out = (grid){.sizes = {1, 1, 1}, .element_bytes = array->type.bytes, .base = h5->base};
	if (!array->space.is_readable || !array->space.n)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: an array of %zu dimensions and %zu elements cannot be read",
			     h5->file->path, n, array->space.n);
	if (array->is_newer)
		return clpac__hdf5_unread(h5, "an array that lies in another file, or as newer versions of HDF5 lay it",
					  err);
	if (array->unknown_filter) {
		char what[100];
		snprintf(what, sizeof what, "an array packed by filter %u, none of deflate, shuffle and fletcher32",
			 array->unknown_filter);
		return clpac__hdf5_unread(h5, what, err);
	}
	/* One dimension is rows, and so is all of a flat array. */
	const bool is_row = n == 2 && is_flat && array->space.dimensions[1] > 1;
	const size_t skip = n == 3 || is_row ? 0 : 1;
	for (size_t k = 0; k < n; k++)
		out->sizes[k + skip] = array->space.dimensions[k];
	if (array->is_chunked)
		return find_chunks(h5, array, skip, out, err);
	out->at = array->at;
	const uint64_t room = h5->file->bytes - h5->base;
	if (array->at > room || array->space.n > (room - array->at) / out->element_bytes ||
	    array->bytes < (uint64_t)array->space.n * out->element_bytes)
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s: an array claims %zu elements of %zu bytes, and has %llu bytes of %llu: it is damaged, "
			"cut short, or was never written",
			h5->file->path, array->space.n, out->element_bytes, (unsigned long long)array->bytes,
			(unsigned long long)room);
	return CLPAC_OK;
}

/* --- Filters (IV.A.2.l) -------------------------------------------------------------------------- */

/* The checksum of fletcher32 over words of two bytes (H5checksum.c of HDF5), as the file has it. */
static uint32_t checksum_of(const unsigned char *bytes, size_t n)
{
	uint32_t first = 0, second = 0;
	for (size_t i = 0; i + 1 < n; i += 2) {
		first = (first + ((uint32_t)bytes[i] << 8 | bytes[i + 1])) % 65535;
		second = (second + first) % 65535;
	}
	if (n % 2) {
		first = (first + ((uint32_t)bytes[n - 1] << 8)) % 65535;
		second = (second + first) % 65535;
	}
	return second << 16 | first;
}

/* Sums that are 0 and 65535 are the same: HDF5 reduces them in another way. */
static bool is_same_sum(uint32_t a, uint32_t b)
{
	return (a & 0xffff) % 65535 == (b & 0xffff) % 65535 && (a >> 16) % 65535 == (b >> 16) % 65535;
}

/* Undoes the shuffle: the first bytes of all elements, then the second ones. */
static void unshuffle(const unsigned char *from, size_t n, size_t element_bytes, unsigned char *to)
{
	const size_t n_elements = n / element_bytes;
	for (size_t k = 0; k < element_bytes; k++)
		for (size_t i = 0; i < n_elements; i++)
			to[i * element_bytes + k] = from[k * n_elements + i];
	memcpy(to + n_elements * element_bytes, from + n_elements * element_bytes, n % element_bytes);
}

static clpac_status unpack(const char *path, const unsigned char *from, size_t n, unsigned char *to, size_t room,
			   size_t *n_made, clpac_error *err)
{
	z_stream inflater = {.zalloc = clpac__zlib_take, .zfree = clpac__zlib_give};
	if (inflateInit(&inflater) != Z_OK)
		RETURN_NO_MEMORY(room);
	inflater.next_in = (Bytef *)from;
	inflater.avail_in = (uInt)n;
	inflater.next_out = to;
	inflater.avail_out = (uInt)room;
	const int code = inflate(&inflater, Z_FINISH);
	*n_made = room - inflater.avail_out;
	inflateEnd(&inflater);
	if (code == Z_MEM_ERROR)
		RETURN_NO_MEMORY(room);
	if (code != Z_STREAM_END)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: a chunk of an array cannot be unpacked: it is damaged", path);
	return CLPAC_OK;
}

/* Room for a chunk in the file, and on its way through the filters. */
typedef struct chunk_rooms {
	unsigned char *bytes[2]; /* owned, each of room bytes */
	size_t room;
} chunk_rooms;

static clpac_status make_rooms(const grid *of, chunk_rooms *out, clpac_error *err)
{
	out->room = of->chunk_bytes + CHECKSUM_BYTES;
	for (size_t i = 0; i < of->n_chunks; i++)
		out->room = clpac__larger(out->room, of->chunks[i].bytes);
	RETURN_IF_ERROR(NEW_BYTES(out->bytes[0], out->room));
	return NEW_BYTES(out->bytes[1], out->room);
}

/* Reads a chunk and undoes its filters, the last one first.
 * @param[out] out of chunk_bytes, in one of the rooms. */
static clpac_status read_chunk(clpac__source *source, const grid *of, size_t number, const chunk_rooms *rooms,
			       const unsigned char **out, clpac_error *err)
{
	const chunk *at = &of->chunks[number];
	size_t n = at->bytes, now = 0;
	clpac__source_seek(source, of->base + at->address);
	RETURN_IF_ERROR(clpac__source_read(source, rooms->bytes[0], n, err));
	for (size_t i = of->n_filters; i-- > 0;) {
		if (at->passed >> i & 1)
			continue;
		unsigned char *from = rooms->bytes[now], *to = rooms->bytes[!now];
		if (of->filters[i] == CHECKSUM) {
			if (n < CHECKSUM_BYTES ||
			    !is_same_sum(checksum_of(from, n - CHECKSUM_BYTES),
					 (uint32_t)clpac__hdf5_number(from + n - CHECKSUM_BYTES, 4)))
				RETURN_ERROR(CLPAC_ERROR_FORMAT,
					     "%s: the checksum of a chunk of an array is wrong: it is damaged",
					     source->path);
			n -= CHECKSUM_BYTES;
			continue;
		}
		if (of->filters[i] == DEFLATE)
			RETURN_IF_ERROR(unpack(source->path, from, n, to, rooms->room, &n, err));
		else
			unshuffle(from, n, of->element_bytes, to);
		now = !now;
	}
	if (n != of->chunk_bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: a chunk of an array has %zu bytes, not %zu: it is damaged",
			     source->path, n, of->chunk_bytes);
	*out = rooms->bytes[now];
	return CLPAC_OK;
}

/* The elements of a chunk that are in the array: from first on, n in each dimension. */
static void chunk_place(const grid *of, size_t number, size_t first[3], size_t n[3])
{
	for (size_t k = 3; k-- > 0;) {
		first[k] = number % of->counts[k] * of->chunk[k];
		number /= of->counts[k];
		n[k] = clpac__smaller(of->chunk[k], of->sizes[k] - first[k]);
	}
}

/* --- Whole small arrays -------------------------------------------------------------------------- */

static clpac_status read_all(clpac__hdf5 *h5, const clpac__hdf5_object *array, unsigned char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	grid of;
	chunk_rooms rooms = {0};
	unsigned char *made = NULL;
	const unsigned char *from;
	TRY(find_grid(h5, array, true, &of, err));
	TRY(clpac__hdf5_use_up(h5, &h5->unpacked_left,
			       of.chunks ? (uint64_t)of.n_chunks * of.chunk_bytes
					 : (uint64_t)array->space.n * of.element_bytes,
			       "small arrays", err));
	TRY(NEW_BYTES(made, array->space.n * of.element_bytes));
	if (!of.chunks) {
		clpac__source_seek(h5->file, h5->base + of.at);
		TRY(clpac__source_read(h5->file, made, array->space.n * of.element_bytes, err));
	} else {
		TRY(make_rooms(&of, &rooms, err));
	}
	for (size_t i = 0; i < of.n_chunks; i++) {
		size_t first[3], n[3];
		TRY(read_chunk(h5->file, &of, i, &rooms, &from, err));
		chunk_place(&of, i, first, n);
		for (size_t a = 0; a < n[0]; a++)
			for (size_t b = 0; b < n[1]; b++)
				memcpy(made + (((first[0] + a) * of.sizes[1] + first[1] + b) * of.sizes[2] + first[2]) *
						       of.element_bytes,
				       from + (a * of.chunk[1] + b) * of.chunk[2] * of.element_bytes,
				       n[2] * of.element_bytes);
	}
	*out = made, made = NULL;
done:
	FREE_ALL(made, of.chunks, rooms.bytes[0], rooms.bytes[1]);
	return st;
}

clpac_status clpac__hdf5_numbers_read(clpac__hdf5 *h5, const clpac__hdf5_object *array, double **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char *bytes = NULL;
	double *made = NULL;
	*out = NULL;
	if (array->type.kind != CLPAC__HDF5_NUMBERS || !array->space.n)
		return CLPAC_OK;
	TRY(read_all(h5, array, &bytes, err));
	TRY(NEW_ARRAY(made, array->space.n));
	for (size_t i = 0; i < array->space.n; i++)
		clpac__decode_one(array->type.encoding, bytes + i * array->type.bytes, array->type.is_big_endian,
				  &made[i]);
	*out = made, made = NULL;
done:
	FREE_ALL(bytes, made);
	return st;
}

clpac_status clpac__hdf5_references_read(clpac__hdf5 *h5, const clpac__hdf5_object *array, uint64_t **out,
					 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char *bytes = NULL;
	uint64_t *made = NULL;
	*out = NULL;
	if (array->type.kind != CLPAC__HDF5_REFERENCES || !array->space.n)
		return CLPAC_OK;
	TRY(read_all(h5, array, &bytes, err));
	TRY(NEW_ARRAY(made, array->space.n));
	for (size_t i = 0; i < array->space.n; i++)
		made[i] = clpac__hdf5_number(bytes + 8 * i, 8);
	*out = made, made = NULL;
done:
	FREE_ALL(bytes, made);
	return st;
}

clpac_status clpac__hdf5_texts_read(clpac__hdf5 *h5, const clpac__hdf5_object *array, char ***out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char *bytes = NULL;
	char **made = NULL;
	*out = NULL;
	if ((array->type.kind != CLPAC__HDF5_TEXT && array->type.kind != CLPAC__HDF5_TEXTS) || !array->space.n)
		return CLPAC_OK;
	TRY(read_all(h5, array, &bytes, err));
	TRY(NEW_ARRAY(made, array->space.n));
	for (size_t i = 0; i < array->space.n; i++) {
		TRY(clpac__hdf5_text_of(h5, &array->type, bytes + i * array->type.bytes, &made[i], err));
		TRY(clpac__hdf5_use_up(h5, &h5->letters_left, strlen(made[i]), "names", err));
	}
	*out = made, made = NULL;
done:
	for (size_t i = 0; made && i < array->space.n; i++)
		clpac__free(made[i]);
	FREE_ALL(bytes, made);
	return st;
}

/* --- Samples on demand --------------------------------------------------------------------------- */

typedef struct hdf5_samples {
	clpac__sample_file base;
	clpac__source source;
	char *path;
	grid of;
	const clpac__encoding *encoding;
	bool is_big_endian;
	clpac__channel_scale *scales;
} hdf5_samples;

/* What of a chunk is asked for: rows from *from up to *until of an outer one, of all samples; whether there are any. */
static bool rows_of(const grid *of, size_t outer, const size_t first[3], const size_t n[3],
		    const clpac__sample_part *part, size_t *from, size_t *until)
{
	*from = outer * of->sizes[1] + first[1];
	*until = *from + n[1];
	if (part) {
		*from = clpac__larger(*from, part->first);
		*until = clpac__smaller(*until, part->first + part->n);
	}
	return *from < *until;
}

/* The place of the first channel from this number on, among ascending ones: a look at all of them for each chunk would
 * take the square of the channels. */
static size_t place_of(const size_t *channels, size_t n_channels, size_t number)
{
	size_t from = 0, until = n_channels;
	while (from < until) {
		const size_t middle = from + (until - from) / 2;
		if (channels[middle] < number)
			from = middle + 1;
		else
			until = middle;
	}
	return from;
}

static bool is_asked_for(const grid *of, size_t number, const size_t *channels, size_t n_channels,
			 const clpac__sample_part *part)
{
	size_t first[3], n[3], from, until;
	bool has_rows = false;
	chunk_place(of, number, first, n);
	for (size_t a = 0; a < n[0] && !has_rows; a++)
		has_rows = rows_of(of, first[0] + a, first, n, part, &from, &until);
	const size_t c = place_of(channels, n_channels, first[2]);
	return has_rows && c < n_channels && channels[c] - first[2] < n[2];
}

static clpac_status count_bytes(const clpac__sample_file *base, const size_t *channels, size_t n,
				const clpac__sample_part *part, uint64_t *n_bytes, clpac_error *err)
{
	const grid *of = &((const hdf5_samples *)base)->of;
	for (size_t i = 0; i < of->n_chunks; i++) {
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		if (is_asked_for(of, i, channels, n, part))
			*n_bytes += of->chunks[i].bytes;
	}
	return CLPAC_OK;
}

static void take_rows(const hdf5_samples *file, const unsigned char *bytes, size_t number, const size_t *channels,
		      size_t n_channels, const clpac__sample_part *part, void *const *rooms)
{
	const grid *of = &file->of;
	size_t first[3], n[3], from, until;
	chunk_place(of, number, first, n);
	const size_t begin = place_of(channels, n_channels, first[2]);
	for (size_t a = 0; a < n[0]; a++) {
		const size_t outer = first[0] + a;
		if (!rows_of(of, outer, first, n, part, &from, &until))
			continue;
		const size_t row = a * of->chunk[1] + (from - (outer * of->sizes[1] + first[1]));
		for (size_t c = begin; c < n_channels && channels[c] - first[2] < n[2]; c++) {
			const clpac__channel_scale *scale = &file->scales[channels[c]];
			const clpac__sink sink = clpac__sink_of(rooms[c], scale->type, scale->scale, scale->offset);
			file->encoding->decode(bytes + (row * of->chunk[2] + channels[c] - first[2]) *
							       of->element_bytes,
					       of->chunk[2] * of->element_bytes, file->is_big_endian, until - from,
					       &sink, part ? from - part->first : from);
		}
	}
}

static clpac_status read_channels(clpac__sample_file *base, const size_t *channels, size_t n,
				  const clpac__sample_part *part, void *const *rooms, uint64_t *n_bytes,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	hdf5_samples *file = (hdf5_samples *)base;
	const uint64_t before = file->source.n_read;
	chunk_rooms space = {0};
	const unsigned char *bytes;
	TRY(make_rooms(&file->of, &space, err));
	for (size_t i = 0; i < file->of.n_chunks; i++) {
		if (!is_asked_for(&file->of, i, channels, n, part))
			continue;
		TRY(read_chunk(&file->source, &file->of, i, &space, &bytes, err));
		take_rows(file, bytes, i, channels, n, part, rooms);
	}
done:
	*n_bytes += file->source.n_read - before;
	FREE_ALL(space.bytes[0], space.bytes[1]);
	return st;
}

static bool is_finite(const clpac__sample_file *base, size_t channel)
{
	const hdf5_samples *file = (const hdf5_samples *)base;
	return clpac__is_finite_scaled(file->encoding, &file->scales[channel]);
}

static void destroy(clpac__sample_file *base)
{
	hdf5_samples *file = (hdf5_samples *)base;
	clpac__source_close(&file->source);
	FREE_ALL(file->path, file->scales, file->of.chunks, file);
}

/* Gives a recording, whose channels are there, the samples of the chunks, which it takes over. */
static clpac_status attach(const clpac__source *source, grid *of, const clpac__hdf5_type *type, size_t n_channels,
			   const clpac__channel_scale *scales, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	hdf5_samples *made;
	TRY(NEW(made));
	made->base = (clpac__sample_file){read_channels, NULL, count_bytes, is_finite, destroy};
	made->encoding = type->encoding;
	made->is_big_endian = type->is_big_endian;
	TRY(NEW_COPY(made->path, source->path));
	TRY(NEW_ARRAY(made->scales, n_channels));
	memcpy(made->scales, scales, n_channels * sizeof *scales);
	TRY(clpac__source_share(source, made->path, &made->source, err));
	made->of = *of;
	of->chunks = NULL;
	clpac__recording_set_file(recording, &made->base);
	made = NULL;
done:
	if (made)
		destroy(&made->base);
	return st;
}

clpac_status clpac__hdf5_claim_check(const clpac__hdf5 *h5, const clpac__hdf5_object *array, size_t n_channels,
				     clpac_error *err)
{
	const uint64_t bytes = h5->file->bytes - h5->base;
	if (array->space.n / CLPAC__MOST_DEFLATED > bytes / array->type.bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s claims %zu samples of %zu bytes, and its %llu bytes cannot unpack to them: it is "
			     "damaged or "
			     "cut short",
			     h5->file->path, array->space.n, array->type.bytes, (unsigned long long)bytes);
	return clpac__channels_check(h5->file->path, n_channels, n_channels ? array->space.n / n_channels : 0, err);
}

clpac_status clpac__hdf5_channels_add(clpac__hdf5 *h5, const clpac__hdf5_object *array, clpac__sample_layout *layout,
				      const char *const *names, const char *unit, double rate_hz,
				      const clpac__channel_scale *scales, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	grid of;
	layout->encoding = array->type.encoding;
	layout->is_big_endian = array->type.is_big_endian;
	layout->is_by_sample = true;
	layout->n_samples = layout->n_channels ? array->space.n / layout->n_channels : 0;
	TRY(find_grid(h5, array, layout->n_channels == 1, &of, err));
	/* What chunks claim was checked against their bytes. */
	TRY(clpac__layout_check(layout, h5->file->path, of.chunks ? UINT64_MAX : h5->file->bytes - h5->base, err));
	for (size_t c = 0; c < layout->n_channels; c++) {
		char name[24];
		snprintf(name, sizeof name, "%zu", c);
		TRY(clpac__recording_add_stored_channel(recording, names ? names[c] : name, unit, rate_hz,
							layout->n_samples, scales[c].type, err));
	}
	if (of.chunks)
		TRY(attach(h5->file, &of, &array->type, layout->n_channels, scales, recording, err));
	else
		TRY(clpac__layout_file_attach(h5->file, h5->base + of.at, layout, scales, recording, err));
done:
	clpac__free(of.chunks);
	return st;
}
