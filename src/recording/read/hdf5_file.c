/* Groups, headers of objects, and attributes of HDF5 files.  Sections are those of the HDF5 File Format Specification,
 * version 3.0. */
#include "recording/read/hdf5.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "recording/read/deflate.h"

/* Parts that are looked at, beside those of chunks' trees: those of 100 000 channels are a quarter of it. */
enum { MOST_LOOKS = 1 << 24 };

/* An address that is not there. */
static const uint64_t nowhere = UINT64_MAX;

/* --- Bytes ------------------------------------------------------------------------------------- */

clpac_status clpac__hdf5_bytes(clpac__hdf5 *h5, uint64_t address, void *to, size_t n, clpac_error *err)
{
	const uint64_t room = h5->file->bytes - h5->base;
	if (address > room || n > room - address)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: %zu bytes at byte %llu are needed, and it has %llu: it is damaged or cut short",
			     h5->file->path, n, (unsigned long long)address, (unsigned long long)room);
	const uint64_t at = h5->base + address;
	if (n > sizeof h5->ahead) {
		clpac__source_seek(h5->file, at);
		return clpac__source_read(h5->file, to, n, err);
	}
	if (at < h5->ahead_at || at + n > h5->ahead_at + h5->ahead_bytes) {
		h5->ahead_at = at;
		h5->ahead_bytes = 0;
		clpac__source_seek(h5->file, at);
		RETURN_IF_ERROR(clpac__source_read_upto(h5->file, h5->ahead, sizeof h5->ahead, &h5->ahead_bytes, err));
		if (h5->ahead_bytes < n)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s ends at byte %llu: it is cut short", h5->file->path,
				     (unsigned long long)(at + h5->ahead_bytes));
	}
	memcpy(to, h5->ahead + (at - h5->ahead_at), n);
	return CLPAC_OK;
}

clpac_status clpac__hdf5_spend(clpac__hdf5 *h5, clpac_error *err)
{
	if (!h5->n_left)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s leads to %llu parts, more than any file of its %llu bytes has: it is damaged",
			     h5->file->path, (unsigned long long)h5->n_spent, (unsigned long long)h5->file->bytes);
	h5->n_left--;
	return clpac__cancel_check_at((size_t)h5->n_spent++, err);
}

clpac_status clpac__hdf5_use_up(const clpac__hdf5 *h5, uint64_t *left, uint64_t n, const char *what, clpac_error *err)
{
	if (n > *left)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds more %s than fit in its %llu bytes: it is damaged",
			     h5->file->path, what, (unsigned long long)h5->file->bytes);
	*left -= n;
	return CLPAC_OK;
}

/* Reads the four letters that begin a part. */
static clpac_status check_letters(clpac__hdf5 *h5, uint64_t address, const char letters[4], clpac_error *err)
{
	char found[4];
	RETURN_IF_ERROR(clpac__hdf5_spend(h5, err));
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, address, found, sizeof found, err));
	if (memcmp(found, letters, sizeof found) != 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: no %.4s stands at byte %llu: it is damaged", h5->file->path,
			     letters, (unsigned long long)address);
	return CLPAC_OK;
}

clpac_status clpac__hdf5_unread(const clpac__hdf5 *h5, const char *what, clpac_error *err)
{
	RETURN_ERROR(CLPAC_ERROR_FORMAT,
		     "%s has %s, which is not read: python3 -c \"import h5py, numpy; numpy.save('x.npy', "
		     "h5py.File('%s')['NAME'][:].T)\" makes x.npy of its array NAME, which is (pip install h5py numpy)",
		     h5->file->path, what, h5->file->path);
}

/* --- The beginning (II.A) ------------------------------------------------------------------------ */

clpac_status clpac__hdf5_open(clpac__source *file, clpac__hdf5 **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__hdf5 *made;
	unsigned char head[96] = {0};
	uint64_t base = 0;
	TRY(NEW(made));
	made->file = file;
	/* Each part takes eight bytes or more; names and attributes are looked at several times.  What a file of many
	 * bytes has many of is chunks. */
	made->n_left = 100000 + (file->bytes < MOST_LOOKS ? file->bytes : MOST_LOOKS);
	made->unpacked_left =
		file->bytes > UINT64_MAX / CLPAC__MOST_DEFLATED ? UINT64_MAX : CLPAC__MOST_DEFLATED * file->bytes;
	/* Texts of equal length may be packed: a mebibyte more. */
	made->letters_left = (1 << 20) + file->bytes;
	for (;;) {
		size_t n = 0;
		clpac__source_seek(file, base);
		if (base < file->bytes)
			TRY(clpac__source_read_upto(file, head, sizeof head, &n, err));
		if (n < 48)
			FAIL(CLPAC_ERROR_FORMAT, "%s: the beginning of HDF5 is missing: it is damaged or cut short",
			     file->path);
		if (memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0)
			break;
		base = base ? 2 * base : 512;
	}
	const unsigned version = head[8];
	if (version > 3)
		FAIL(CLPAC_ERROR_FORMAT, "%s is of version %u of HDF5's files: versions 0 to 3 are read", file->path,
		     version);
	const unsigned offset_bytes = version < 2 ? head[13] : head[9],
		       length_bytes = version < 2 ? head[14] : head[10];
	if (offset_bytes != 8 || length_bytes != 8)
		FAIL(CLPAC_ERROR_FORMAT, "%s has addresses of %u bytes and sizes of %u: those of 8 are read",
		     file->path, offset_bytes, length_bytes);
	made->base = base;
	made->root = clpac__hdf5_number(head + (version < 2 ? 64 + 4 * version : 36), 8);
	*out = made, made = NULL;
done:
	clpac__free(made);
	return st;
}

/* --- Headers of objects (IV.A.1) ----------------------------------------------------------------- */

/* Messages of a header. */
enum {
	MESSAGE_SPACE = 0x01,
	MESSAGE_LINKS = 0x02,
	MESSAGE_TYPE = 0x03,
	MESSAGE_LINK = 0x06,
	MESSAGE_EXTERNAL = 0x07,
	MESSAGE_LAYOUT = 0x08,
	MESSAGE_FILTERS = 0x0b,
	MESSAGE_ATTRIBUTE = 0x0c,
	MESSAGE_CONTINUED = 0x10,
	MESSAGE_TABLE = 0x11,
	MESSAGE_ATTRIBUTES = 0x15
};

/* In a header: HDF5 keeps up to 65535 links there, and as many attributes. */
enum { MOST_MESSAGE_BYTES = 65536, MOST_MESSAGES = 200000 };

/* Takes a message.  @param is_shared its content stands elsewhere.  @param more = 0 ends the walk. */
typedef clpac_status take_message(void *user, clpac__hdf5 *h5, unsigned kind, bool is_shared, uint64_t at, size_t n,
				  clpac_error *err);

/* The parts of a header that are still to be read. */
typedef struct header_part {
	uint64_t at, bytes;
} header_part;

enum { MOST_PARTS = 256 };

typedef struct walk {
	bool is_second;	     /* version 2 */
	size_t prefix_bytes; /* of a message */
	header_part parts[MOST_PARTS];
	size_t n_parts, n_messages;
} walk;

static clpac_status add_part(clpac__hdf5 *h5, walk *on, const unsigned char content[16], clpac_error *err)
{
	header_part part = {clpac__hdf5_number(content, 8), clpac__hdf5_number(content + 8, 8)};
	if (on->n_parts == MOST_PARTS)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the header of an object has more than %d parts: it is damaged",
			     h5->file->path, MOST_PARTS);
	if (on->is_second) {
		RETURN_IF_ERROR(check_letters(h5, part.at, "OCHK", err));
		if (part.bytes < 8)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: a part of a header has %llu bytes: it is damaged",
				     h5->file->path, (unsigned long long)part.bytes);
		part = (header_part){part.at + 4, part.bytes - 8};
	}
	on->parts[on->n_parts++] = part;
	return CLPAC_OK;
}

static clpac_status walk_part(clpac__hdf5 *h5, walk *on, const header_part *part, take_message *take, void *user,
			      clpac_error *err)
{
	unsigned char prefix[8], content[16];
	for (uint64_t at = part->at, left = part->bytes; left >= on->prefix_bytes;) {
		if (on->n_messages++ == MOST_MESSAGES)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: the header of an object has more than %d messages: it is damaged",
				     h5->file->path, MOST_MESSAGES);
		RETURN_IF_ERROR(clpac__hdf5_spend(h5, err));
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, prefix, on->prefix_bytes, err));
		const unsigned kind = on->is_second ? prefix[0] : (unsigned)clpac__hdf5_number(prefix, 2);
		const size_t n = (size_t)clpac__hdf5_number(prefix + (on->is_second ? 1 : 2), 2);
		const unsigned flags = prefix[on->is_second ? 3 : 4];
		at += on->prefix_bytes;
		left -= on->prefix_bytes;
		if (n > left)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: a message at byte %llu claims %zu bytes, where %llu can be: it is damaged",
				     h5->file->path, (unsigned long long)at, n, (unsigned long long)left);
		if (kind == MESSAGE_CONTINUED && n >= sizeof content) {
			RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, content, sizeof content, err));
			RETURN_IF_ERROR(add_part(h5, on, content, err));
		} else {
			RETURN_IF_ERROR(take(user, h5, kind, flags & 2, at, n, err));
		}
		at += n;
		left -= n;
	}
	return CLPAC_OK;
}

static clpac_status walk_header(clpac__hdf5 *h5, uint64_t address, take_message *take, void *user, clpac_error *err)
{
	unsigned char head[16];
	walk on = {.prefix_bytes = 8};
	RETURN_IF_ERROR(clpac__hdf5_spend(h5, err));
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, address, head, sizeof head, err));
	if (memcmp(head, "OHDR", 4) == 0) {
		const unsigned flags = head[5];
		const size_t n = (size_t)1 << (flags & 3),
			     at = 6 + (flags & 0x20 ? 16u : 0u) + (flags & 0x10 ? 4u : 0u);
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, address + at, head, n, err));
		on.is_second = true;
		on.prefix_bytes = flags & 4 ? 6 : 4;
		on.parts[on.n_parts++] = (header_part){address + at + n, clpac__hdf5_number(head, n)};
	} else if (head[0] == 1) {
		on.parts[on.n_parts++] = (header_part){address + 16, clpac__hdf5_number(head + 8, 4)};
	} else {
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: no object stands at byte %llu: it is damaged", h5->file->path,
			     (unsigned long long)address);
	}
	for (size_t i = 0; i < on.n_parts; i++)
		RETURN_IF_ERROR(walk_part(h5, &on, &on.parts[i], take, user, err));
	return CLPAC_OK;
}

/* --- Messages (IV.A.2) --------------------------------------------------------------------------- */

/* A message, or as much of it as fits. */
typedef struct content {
	const unsigned char *bytes;
	size_t n;
} content;

static clpac_status fail_message(const clpac__hdf5 *h5, const char *what, clpac_error *err)
{
	RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s cannot be read: it is damaged", h5->file->path, what);
}

static clpac_status read_space(clpac__hdf5 *h5, content from, clpac__hdf5_space *out, clpac_error *err)
{
	const size_t head = from.n && from.bytes[0] == 1 ? 8 : 4;
	*out = (clpac__hdf5_space){.n = 1};
	if (from.n < head || from.bytes[0] < 1 || from.bytes[0] > 2 || (from.n - head) / 8 < from.bytes[1])
		return fail_message(h5, "the size of an array", err);
	out->n_dimensions = from.bytes[1];
	out->is_readable = out->n_dimensions <= CLPAC__HDF5_MOST_DIMENSIONS;
	if (from.bytes[0] == 2 && from.bytes[3] == 2)
		out->n = 0; /* no element at all */
	for (size_t k = 0; k < out->n_dimensions; k++) {
		const uint64_t size = clpac__hdf5_number(from.bytes + head + 8 * k, 8);
		if (out->is_readable)
			out->dimensions[k] = (size_t)size;
		if (size > SIZE_MAX || !clpac__size_mul(out->n, (size_t)size, &out->n))
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: an array claims a size of %llu, among others: it is damaged", h5->file->path,
				     (unsigned long long)size);
	}
	return CLPAC_OK;
}

/* Floating-point numbers of IEEE 754 alone: sign, exponent and fraction where they belong. */
static bool is_ieee(const unsigned char *properties, size_t bytes, unsigned sign)
{
	static const struct {
		unsigned char bytes, exponent_at, exponent_bits, fraction_bits;
	} known[] = {{2, 10, 5, 10}, {4, 23, 8, 23}, {8, 52, 11, 52}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (bytes == known[i].bytes && sign == 8 * bytes - 1 && properties[4] == known[i].exponent_at &&
		    properties[5] == known[i].exponent_bits && properties[6] == 0 &&
		    properties[7] == known[i].fraction_bits)
			return true;
	return false;
}

static clpac_status read_type(clpac__hdf5 *h5, content from, clpac__hdf5_type *out, clpac_error *err)
{
	enum { INTEGER = 0, FLOATING = 1, TEXT = 3, REFERENCE = 7, VARIABLE = 9 };
	char name[3] = "";
	if (from.n < 8)
		return fail_message(h5, "the type of an array", err);
	const unsigned kind = from.bytes[0] & 15, bits = from.bytes[1];
	*out = (clpac__hdf5_type){.bytes = (size_t)clpac__hdf5_number(from.bytes + 4, 4)};
	if ((kind == INTEGER || kind == FLOATING) && out->bytes <= 8 && from.n >= (kind == INTEGER ? 12u : 20u)) {
		const bool is_whole = clpac__hdf5_number(from.bytes + 8, 2) == 0 &&
				      clpac__hdf5_number(from.bytes + 10, 2) == 8 * out->bytes;
		name[0] = kind == FLOATING ? 'f' : bits & 8 ? 'i' : 'u';
		name[1] = (char)('0' + out->bytes);
		if (is_whole && (kind == INTEGER || is_ieee(from.bytes + 8, out->bytes, from.bytes[2])))
			out->encoding = clpac__encoding_find(name);
		out->is_big_endian = bits & 1;
		out->kind = out->encoding ? CLPAC__HDF5_NUMBERS : CLPAC__HDF5_OTHER;
	} else if (kind == TEXT) {
		out->kind = CLPAC__HDF5_TEXT;
	} else if (kind == REFERENCE && (bits & 15) == 0 && out->bytes == 8) {
		out->kind = CLPAC__HDF5_REFERENCES;
	} else if (kind == VARIABLE && (bits & 15) == 1 && out->bytes == 16) {
		out->kind = CLPAC__HDF5_TEXTS;
	}
	if (!out->bytes)
		return fail_message(h5, "the type of an array", err);
	return CLPAC_OK;
}

static clpac_status read_layout(clpac__hdf5 *h5, content from, uint64_t at, clpac__hdf5_object *out, clpac_error *err)
{
	enum { COMPACT = 0, CONTIGUOUS = 1, CHUNKED = 2 };
	const unsigned version = from.n ? from.bytes[0] : 0, kind = from.n > 1 ? from.bytes[1] : 0;
	if (version < 3 || version > 4 || kind > CHUNKED || (version == 4 && kind == CHUNKED)) {
		out->is_newer = true;
		return CLPAC_OK;
	}
	if (kind == COMPACT && from.n >= 4) {
		out->at = at + 4;
		out->bytes = clpac__hdf5_number(from.bytes + 2, 2);
		return CLPAC_OK;
	}
	if (kind == CONTIGUOUS && from.n >= 18) {
		out->at = clpac__hdf5_number(from.bytes + 2, 8);
		out->bytes = clpac__hdf5_number(from.bytes + 10, 8);
		return CLPAC_OK;
	}
	/* Its dimensions have one more, the bytes of an element. */
	const size_t n = kind == CHUNKED && from.n > 2 ? from.bytes[2] : 0;
	if (n < 2 || (from.n - 11) / 4 < n)
		return fail_message(h5, "where an array lies", err);
	out->is_chunked = true;
	out->at = clpac__hdf5_number(from.bytes + 3, 8);
	for (size_t k = 0; k + 1 < n && k < CLPAC__HDF5_MOST_DIMENSIONS; k++)
		out->chunk[k] = (size_t)clpac__hdf5_number(from.bytes + 11 + 4 * k, 4);
	return CLPAC_OK;
}

static clpac_status read_filters(clpac__hdf5 *h5, content from, clpac__hdf5_object *out, clpac_error *err)
{
	if (from.n < 2 || from.bytes[0] < 1 || from.bytes[0] > 2)
		return fail_message(h5, "the filters of an array", err);
	const bool is_first = from.bytes[0] == 1;
	size_t at = is_first ? 8 : 2;
	for (size_t i = 0; i < from.bytes[1]; i++) {
		if (from.n < at + 8)
			return fail_message(h5, "the filters of an array", err);
		const unsigned filter = (unsigned)clpac__hdf5_number(from.bytes + at, 2);
		const bool has_name = is_first || filter >= 256;
		size_t name_bytes = has_name ? (size_t)clpac__hdf5_number(from.bytes + at + 2, 2) : 0;
		at += has_name ? 4 : 2;
		const size_t n_values = (size_t)clpac__hdf5_number(from.bytes + at + 2, 2);
		if (is_first)
			name_bytes = (name_bytes + 7) / 8 * 8;
		at += 4 + name_bytes + 4 * (n_values + (is_first && n_values % 2));
		if (filter < 1 || filter > 3)
			out->unknown_filter = filter;
		else if (out->n_filters == CLPAC__HDF5_MOST_FILTERS)
			return fail_message(h5, "the filters of an array", err);
		else
			out->filters[out->n_filters++] = filter;
	}
	return CLPAC_OK;
}

static clpac_status take_object(void *user, clpac__hdf5 *h5, unsigned kind, bool is_shared, uint64_t at, size_t n,
				clpac_error *err)
{
	unsigned char bytes[512];
	clpac__hdf5_object *to = user;
	const content from = {bytes, clpac__smaller(n, sizeof bytes)};
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, bytes, from.n, err));
	if (is_shared) {
		/* A type of its own name: the array is of no kind that is read. */
		to->is_array |= kind == MESSAGE_TYPE;
		return CLPAC_OK;
	}
	switch (kind) {
	case MESSAGE_SPACE:
		return read_space(h5, from, &to->space, err);
	case MESSAGE_TYPE:
		to->is_array = true;
		return read_type(h5, from, &to->type, err);
	case MESSAGE_LAYOUT:
		return read_layout(h5, from, at, to, err);
	case MESSAGE_FILTERS:
		return read_filters(h5, from, to, err);
	case MESSAGE_EXTERNAL:
		to->is_newer = true;
		return CLPAC_OK;
	case MESSAGE_TABLE:
		if (n < 16)
			return fail_message(h5, "the table of a group", err);
		to->is_group = true;
		to->tree = clpac__hdf5_number(bytes, 8);
		to->heap = clpac__hdf5_number(bytes + 8, 8);
		return CLPAC_OK;
	case MESSAGE_LINKS:
		to->is_group = true;
		if (n >= 18)
			to->is_newer |= clpac__hdf5_number(bytes + 2 + (bytes[1] & 1 ? 8 : 0), 8) != nowhere;
		return CLPAC_OK;
	default:
		return CLPAC_OK;
	}
}

clpac_status clpac__hdf5_object_read(clpac__hdf5 *h5, uint64_t address, clpac__hdf5_object *out, clpac_error *err)
{
	*out = (clpac__hdf5_object){.address = address};
	RETURN_IF_ERROR(walk_header(h5, address, take_object, out, err));
	out->is_array &= !out->is_group;
	return CLPAC_OK;
}

/* --- Groups (III.A to III.D) --------------------------------------------------------------------- */

typedef struct listing {
	clpac__hdf5_take *take;
	void *user;
	uint64_t names, names_bytes;	    /* of the heap of a symbol table */
	char before[CLPAC__HDF5_NAME_SIZE]; /* the member before, as it was read */
} listing;

/* Reads a name of at most n bytes, up to a zero: as much of it as fits. */
static clpac_status read_name(clpac__hdf5 *h5, uint64_t at, uint64_t n, char out[CLPAC__HDF5_NAME_SIZE], bool *is_whole,
			      clpac_error *err)
{
	const uint64_t room = h5->file->bytes - h5->base;
	n = clpac__smaller64(n, at < room ? room - at : 0);
	n = clpac__smaller64(n, CLPAC__HDF5_NAME_SIZE);
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, out, (size_t)n, err));
	*is_whole = n < CLPAC__HDF5_NAME_SIZE || memchr(out, 0, (size_t)n);
	out[n < CLPAC__HDF5_NAME_SIZE ? n : CLPAC__HDF5_NAME_SIZE - 1] = 0;
	return CLPAC_OK;
}

/* Hands over the members of a leaf of the tree.  Their names ascend through all leaves, so that one that is reached
 * again is noticed at its first member. */
static clpac_status list_symbols(clpac__hdf5 *h5, uint64_t node, listing *to, clpac_error *err)
{
	unsigned char head[8], entry[40];
	char name[CLPAC__HDF5_NAME_SIZE];
	bool is_whole;
	RETURN_IF_ERROR(check_letters(h5, node, "SNOD", err));
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, node, head, sizeof head, err));
	const size_t n = (size_t)clpac__hdf5_number(head + 6, 2);
	if (!n)
		return fail_message(h5, "the tree of a group", err);
	for (size_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(clpac__hdf5_spend(h5, err));
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, node + 8 + i * sizeof entry, entry, sizeof entry, err));
		const uint64_t offset = clpac__hdf5_number(entry, 8);
		if (offset >= to->names_bytes)
			return fail_message(h5, "the name of an object", err);
		RETURN_IF_ERROR(read_name(h5, to->names + offset, to->names_bytes - offset, name, &is_whole, err));
		if (strcmp(to->before, name) >= 0)
			return fail_message(h5, "the tree of a group", err);
		memcpy(to->before, name, strlen(name) + 1);
		const bool is_soft = clpac__hdf5_number(entry + 16, 4) == 2;
		if (is_whole && !is_soft)
			RETURN_IF_ERROR(to->take(to->user, h5, name, clpac__hdf5_number(entry + 8, 8), err));
	}
	return CLPAC_OK;
}

/* Hands over the members below a node; its level sinks with each step down.
 * @param level of the node above; 256: none.  A node below another has children. */
static clpac_status list_tree(clpac__hdf5 *h5, uint64_t node, unsigned level, listing *to, clpac_error *err)
{
	unsigned char head[24], child[8];
	RETURN_IF_ERROR(check_letters(h5, node, "TREE", err));
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, node, head, sizeof head, err));
	const size_t n = (size_t)clpac__hdf5_number(head + 6, 2);
	if (head[4] != 0 || head[5] >= level || (!n && level < 256))
		return fail_message(h5, "the tree of a group", err);
	for (size_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, node + sizeof head + 8 + 16 * i, child, sizeof child, err));
		const uint64_t below = clpac__hdf5_number(child, 8);
		if (head[5])
			RETURN_IF_ERROR(list_tree(h5, below, head[5], to, err));
		else
			RETURN_IF_ERROR(list_symbols(h5, below, to, err));
	}
	return CLPAC_OK;
}

/* Hands over a member whose link stands in the header of its group (IV.A.2.g). */
static clpac_status take_link(void *user, clpac__hdf5 *h5, unsigned kind, bool is_shared, uint64_t at, size_t n,
			      clpac_error *err)
{
	const listing *to = user;
	unsigned char bytes[32], address[8];
	char name[CLPAC__HDF5_NAME_SIZE];
	(void)is_shared;
	if (kind != MESSAGE_LINK)
		return CLPAC_OK;
	const size_t n_read = clpac__smaller(n, sizeof bytes);
	memset(bytes, 0, sizeof bytes);
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, bytes, n_read, err));
	const unsigned flags = bytes[1];
	size_t place = 2;
	const bool is_hard = !(flags & 8) || bytes[place] == 0;
	place += (flags & 8 ? 1u : 0u) + (flags & 4 ? 8u : 0u) + (flags & 16 ? 1u : 0u);
	const size_t width = (size_t)1 << (flags & 3);
	const uint64_t length = clpac__hdf5_number(bytes + place, width);
	place += width;
	if (!is_hard || length >= CLPAC__HDF5_NAME_SIZE)
		return CLPAC_OK;
	if (place + length + sizeof address > n)
		return fail_message(h5, "the link to an object", err);
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at + place, name, (size_t)length, err));
	name[length] = 0;
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at + place + length, address, sizeof address, err));
	return to->take(to->user, h5, name, clpac__hdf5_number(address, 8), err);
}

clpac_status clpac__hdf5_each(clpac__hdf5 *h5, const clpac__hdf5_object *group, clpac__hdf5_take *take, void *user,
			      clpac_error *err)
{
	unsigned char heap[32];
	listing to = {.take = take, .user = user};
	if (group->is_newer)
		return clpac__hdf5_unread(h5, "a group of many members", err);
	if (!group->is_group)
		return CLPAC_OK;
	if (!group->tree)
		return walk_header(h5, group->address, take_link, &to, err);
	RETURN_IF_ERROR(check_letters(h5, group->heap, "HEAP", err));
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, group->heap, heap, sizeof heap, err));
	to.names_bytes = clpac__hdf5_number(heap + 8, 8);
	to.names = clpac__hdf5_number(heap + 24, 8);
	return list_tree(h5, group->tree, 256, &to, err);
}

typedef struct looking {
	const char *name;
	uint64_t address;
	bool is_there;
} looking;

static clpac_status compare_name(void *user, clpac__hdf5 *h5, const char *name, uint64_t address, clpac_error *err)
{
	looking *to = user;
	(void)h5, (void)err;
	if (!to->is_there && strcmp(name, to->name) == 0) {
		to->is_there = true;
		to->address = address;
	}
	return CLPAC_OK;
}

clpac_status clpac__hdf5_find(clpac__hdf5 *h5, const clpac__hdf5_object *group, const char *name,
			      clpac__hdf5_object *out, bool *is_there, clpac_error *err)
{
	looking to = {.name = name};
	RETURN_IF_ERROR(clpac__hdf5_each(h5, group, compare_name, &to, err));
	*is_there = to.is_there;
	return to.is_there ? clpac__hdf5_object_read(h5, to.address, out, err) : CLPAC_OK;
}

/* --- Attributes (IV.A.2.m) ----------------------------------------------------------------------- */

typedef struct attribute {
	const char *name;
	clpac__hdf5_type type;
	unsigned char *value; /* of its first element, owned; NULL: none */
	bool is_elsewhere;    /* the attributes stand where they are not read */
} attribute;

static size_t padded(size_t n, bool is_padded)
{
	return is_padded ? (n + 7) / 8 * 8 : n;
}

static clpac_status take_attribute(void *user, clpac__hdf5 *h5, unsigned kind, bool is_shared, uint64_t at, size_t n,
				   clpac_error *err)
{
	attribute *to = user;
	unsigned char head[9], name[64], bytes[256];
	clpac__hdf5_space space;
	if (kind == MESSAGE_ATTRIBUTES && n >= 10) {
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, head, 2, err));
		const size_t place = 2 + (head[1] & 1 ? 2u : 0u);
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at + place, head, 8, err));
		to->is_elsewhere |= clpac__hdf5_number(head, 8) != nowhere;
	}
	if (kind != MESSAGE_ATTRIBUTE || is_shared || to->value || n < sizeof head)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at, head, sizeof head, err));
	const unsigned version = head[0];
	const size_t name_bytes = (size_t)clpac__hdf5_number(head + 2, 2),
		     type_bytes = (size_t)clpac__hdf5_number(head + 4, 2),
		     space_bytes = (size_t)clpac__hdf5_number(head + 6, 2);
	if (version < 1 || version > 3)
		return fail_message(h5, "an attribute", err);
	const bool is_first = version == 1;
	size_t place = version == 3 ? 9 : 8;
	const size_t used =
		place + padded(name_bytes, is_first) + padded(type_bytes, is_first) + padded(space_bytes, is_first);
	if (used > n)
		return fail_message(h5, "an attribute", err);
	/* A type or a size that is shared is not read. */
	if (name_bytes != strlen(to->name) + 1 || name_bytes > sizeof name || (!is_first && head[1]))
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at + place, name, name_bytes, err));
	if (memcmp(name, to->name, name_bytes) != 0)
		return CLPAC_OK;
	place += padded(name_bytes, is_first);
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at + place, bytes, clpac__smaller(type_bytes, sizeof bytes), err));
	RETURN_IF_ERROR(read_type(h5, (content){bytes, clpac__smaller(type_bytes, sizeof bytes)}, &to->type, err));
	place += padded(type_bytes, is_first);
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, at + place, bytes, clpac__smaller(space_bytes, sizeof bytes), err));
	RETURN_IF_ERROR(read_space(h5, (content){bytes, clpac__smaller(space_bytes, sizeof bytes)}, &space, err));
	if (!space.n)
		return CLPAC_OK;
	if (to->type.bytes > n - used)
		return fail_message(h5, "an attribute", err);
	RETURN_IF_ERROR(NEW_BYTES(to->value, to->type.bytes));
	return clpac__hdf5_bytes(h5, at + used, to->value, to->type.bytes, err);
}

/* @param out its value is to be freed with clpac__free in any case. */
static clpac_status find_attribute(clpac__hdf5 *h5, uint64_t address, attribute *out, clpac_error *err)
{
	RETURN_IF_ERROR(walk_header(h5, address, take_attribute, out, err));
	if (!out->value && out->is_elsewhere)
		return clpac__hdf5_unread(h5, "an object of many attributes", err);
	return CLPAC_OK;
}

clpac_status clpac__hdf5_text_attribute(clpac__hdf5 *h5, uint64_t address, const char *name, char **out,
					clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	attribute found = {.name = name};
	*out = NULL;
	TRY(find_attribute(h5, address, &found, err));
	if (found.value && (found.type.kind == CLPAC__HDF5_TEXT || found.type.kind == CLPAC__HDF5_TEXTS))
		TRY(clpac__hdf5_text_of(h5, &found.type, found.value, out, err));
done:
	clpac__free(found.value);
	return st;
}

clpac_status clpac__hdf5_number_attribute(clpac__hdf5 *h5, uint64_t address, const char *name, double *out,
					  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	attribute found = {.name = name};
	*out = NAN;
	TRY(find_attribute(h5, address, &found, err));
	if (found.value && found.type.kind == CLPAC__HDF5_NUMBERS)
		clpac__decode_one(found.type.encoding, found.value, found.type.is_big_endian, out);
done:
	clpac__free(found.value);
	return st;
}

/* --- Texts (III.E) ------------------------------------------------------------------------------- */

/* Finds an object of a heap: its size is the caller's claim, which must not exceed the heap's.  Texts that follow each
 * other are found without a look at those before them. */
static clpac_status find_in_heap(clpac__hdf5 *h5, uint64_t heap, unsigned index, uint64_t *at, uint64_t *n,
				 clpac_error *err)
{
	unsigned char head[16];
	RETURN_IF_ERROR(check_letters(h5, heap, "GCOL", err));
	RETURN_IF_ERROR(clpac__hdf5_bytes(h5, heap, head, sizeof head, err));
	const uint64_t end = clpac__hdf5_number(head + 8, 8);
	uint64_t place = heap == h5->heap ? h5->heap_next : sizeof head;
	for (bool is_all = place == sizeof head;;) {
		if (place >= end || end - place < sizeof head) {
			if (is_all)
				break;
			is_all = true;
			place = sizeof head;
			continue;
		}
		RETURN_IF_ERROR(clpac__hdf5_spend(h5, err));
		RETURN_IF_ERROR(clpac__hdf5_bytes(h5, heap + place, head, sizeof head, err));
		const unsigned here = (unsigned)clpac__hdf5_number(head, 2);
		place += sizeof head;
		*n = clpac__hdf5_number(head + 8, 8);
		*at = heap + place;
		/* The free rest of a heap is its last object, number 0, whose bytes count its head, too. */
		const bool is_end = !here || *n > end - place;
		place = is_end ? end : place + (*n + 7) / 8 * 8;
		if (here == index && !is_end) {
			h5->heap = heap;
			h5->heap_next = place;
			return CLPAC_OK;
		}
	}
	return fail_message(h5, "a text", err);
}

clpac_status clpac__hdf5_text_of(clpac__hdf5 *h5, const clpac__hdf5_type *type, const unsigned char *element,
				 char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t at = 0, n = type->bytes;
	char *text = NULL;
	*out = NULL;
	if (type->kind == CLPAC__HDF5_TEXTS) {
		const uint64_t length = clpac__hdf5_number(element, 4), heap = clpac__hdf5_number(element + 4, 8);
		n = 0;
		if (length && heap)
			TRY(find_in_heap(h5, heap, (unsigned)clpac__hdf5_number(element + 12, 4), &at, &n, err));
		if (length > n)
			TRY(fail_message(h5, "a text", err));
		n = length;
	}
	if (n > MOST_MESSAGE_BYTES)
		FAIL(CLPAC_ERROR_FORMAT, "%s: a text of %llu bytes is longer than names and units are: it is damaged",
		     h5->file->path, (unsigned long long)n);
	TRY(NEW_BYTES(text, (size_t)n + 1));
	if (type->kind == CLPAC__HDF5_TEXT)
		memcpy(text, element, (size_t)n);
	else
		TRY(clpac__hdf5_bytes(h5, at, text, (size_t)n, err));
	text[n] = 0;
	if (!(*out = clpac__utf8_mended(text)))
		FAIL_NO_MEMORY((size_t)n);
done:
	clpac__free(text);
	return st;
}
