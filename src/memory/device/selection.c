/* Reading a selection string, and checking a device against it.
 *
 * The whole string is read first, so that a syntax error is reported whatever devices there are.
 */
#include "memory/device/selection.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"

#define KIND(name) (1u << CLPAC_DEVICE_##name)

enum { BEST_KINDS = KIND(DISCRETE_GPU) | KIND(INTEGRATED_GPU) | KIND(ACCELERATOR) | KIND(NATIVE) };

const clpac__selection clpac__select_best = {.n_terms = 1, .terms = {{.kinds = BEST_KINDS}}};
_Static_assert(CLPAC__TERM_KIND == 0, "the type of a term that is not named");

static const struct kind_word {
	const char *word;
	unsigned kinds; /* one bit per clpac_device_kind */
} kind_words[] = {
	{"best", BEST_KINDS},
	{"gpu", KIND(DISCRETE_GPU) | KIND(INTEGRATED_GPU)},
	{"discrete", KIND(DISCRETE_GPU)},
	{"integrated", KIND(INTEGRATED_GPU)},
	{"accelerator", KIND(ACCELERATOR)},
	{"native", KIND(NATIVE)},
	{"cpu", KIND(OPENCL_CPU)},
	{"other", KIND(OTHER)},
};

static const struct clpac__text_key {
	const char *key;
	size_t offset; /* position of the text in clpac_device */
} text_keys[] = {
	{"vendor", offsetof(clpac_device, vendor)},	     {"name", offsetof(clpac_device, name)},
	{"platform", offsetof(clpac_device, platform_name)}, {"driver", offsetof(clpac_device, driver)},
	{"backend", offsetof(clpac_device, backend)},
};

/* Common names of vendors, and the text that their drivers report. */
static const struct vendor_name {
	const char *short_name, *contained;
} vendor_names[] = {
	{"amd", "advanced micro devices"},
	{"amd", "authenticamd"},
	{"amd", "amd"},
	{"arm", "arm"},
	{"apple", "apple"},
	{"intel", "intel"},
	{"nvidia", "nvidia"},
	{"qualcomm", "qualcomm"},
};

static bool kinds_of_word(const char *word, unsigned *kinds)
{
	for (size_t i = 0; i < sizeof kind_words / sizeof *kind_words; i++) {
		if (strcasecmp(kind_words[i].word, word) == 0) {
			*kinds = kind_words[i].kinds;
			return true;
		}
	}
	return false;
}

static const struct clpac__text_key *find_text_key(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof text_keys / sizeof *text_keys; i++)
		if (strlen(text_keys[i].key) == length && strncasecmp(text_keys[i].key, word, length) == 0)
			return &text_keys[i];
	return NULL;
}

/* Digits only, up to INT_MAX. */
static bool read_index(const char *text, size_t length, int *out)
{
	long value = 0;
	if (length == 0 || length > 9)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (text[i] - '0');
	}
	*out = (int)value;
	return true;
}

/* "8G", "1.5T", "1000": bytes. */
static bool read_bytes(const char *text, double *out)
{
	const char *unit;
	double value;
	if (!clpac__parse_number(text, &value, &unit) || value < 0 || clpac__byte_power(unit) < 0 || (*unit && unit[1]))
		return false;
	*out = ldexp(value, 10 * clpac__byte_power(unit));
	return true;
}

static bool read_term(const char *text, clpac__term *out)
{
	clpac__term made = {0};
	const char *sign = strpbrk(text, "=~>:");
	size_t key_length = sign ? (size_t)(sign - text) : 0;
	snprintf(made.text, sizeof made.text, "%s", sign ? sign + 1 : text);

	if (!sign) {
		made.type = CLPAC__TERM_KIND;
		if (!kinds_of_word(text, &made.kinds))
			return false;
	} else if (*sign == ':') {
		made.type = CLPAC__TERM_NUMBERS;
		if (!read_index(text, key_length, &made.platform) ||
		    !read_index(sign + 1, strlen(sign + 1), &made.index))
			return false;
	} else if (*sign == '>') {
		made.type = CLPAC__TERM_MEMORY;
		if (key_length != 6 || strncasecmp(text, "memory", 6) != 0 || !read_bytes(sign + 1, &made.bytes))
			return false;
	} else if (*sign == '=' && key_length == 4 && strncasecmp(text, "kind", 4) == 0) {
		made.type = CLPAC__TERM_KIND;
		if (!kinds_of_word(sign + 1, &made.kinds))
			return false;
	} else {
		made.type = *sign == '=' ? CLPAC__TERM_EQUALS : CLPAC__TERM_CONTAINS;
		made.key = find_text_key(text, key_length);
		if (!made.key || !sign[1])
			return false;
	}
	*out = made;
	return true;
}

bool clpac__selection_read(const char *text, size_t length, clpac__selection *out, char slip[CLPAC__TERM_SIZE])
{
	const char *const text_end = text + length;
	*out = (clpac__selection){0};
	for (;;) {
		const char *comma = memchr(text, ',', (size_t)(text_end - text));
		const char *begin = text, *end = comma ? comma : text_end;
		while (begin < end && isspace((unsigned char)*begin))
			begin++;
		while (end > begin && isspace((unsigned char)end[-1]))
			end--;
		const size_t n = (size_t)(end - begin);
		snprintf(slip, CLPAC__TERM_SIZE, "%.*s", (int)(n < CLPAC__TERM_SIZE ? n : CLPAC__TERM_SIZE - 1), begin);
		if (n >= CLPAC__TERM_SIZE || out->n_terms == CLPAC__MAX_TERMS)
			return false;
		if (strcasecmp(slip, "all") == 0)
			out->is_all = true;
		else if (read_term(slip, &out->terms[out->n_terms]))
			out->n_terms++;
		else
			return false;
		if (!comma)
			return true;
		text = comma + 1;
	}
}

static bool is_native_term(const clpac__term *term)
{
	return term->type == CLPAC__TERM_KIND
		       ? term->kinds == KIND(NATIVE)
		       : term->type == CLPAC__TERM_EQUALS && strcmp(term->key->key, "backend") == 0 &&
				 strcasecmp(term->text, "native") == 0;
}

bool clpac__selection_is_native(const char *text)
{
	for (const char *part = text;; part++) {
		const size_t length = strcspn(part, "+");
		clpac__selection read;
		char slip[CLPAC__TERM_SIZE];
		bool is_native = false;
		if (!clpac__selection_read(part, length, &read, slip))
			return false;
		for (size_t i = 0; i < read.n_terms; i++)
			is_native |= is_native_term(&read.terms[i]);
		part += length;
		if (!is_native || !*part)
			return is_native;
	}
}

unsigned clpac__selection_kinds(const char *text)
{
	clpac__selection read = clpac__select_best;
	char slip[CLPAC__TERM_SIZE];
	if (*text && !clpac__selection_read(text, strlen(text), &read, slip))
		return 0;
	const bool is_kind = read.n_terms == 1 && !read.is_all && read.terms[0].type == CLPAC__TERM_KIND;
	return is_kind && read.terms[0].kinds & KIND(NATIVE) ? read.terms[0].kinds : 0;
}

static bool text_fits(const clpac__term *term, const char *text)
{
	if (term->type == CLPAC__TERM_CONTAINS)
		return strcasestr(text, term->text);
	if (strcasecmp(text, term->text) == 0)
		return true;
	if (strcmp(term->key->key, "vendor") != 0)
		return false;
	for (size_t i = 0; i < sizeof vendor_names / sizeof *vendor_names; i++)
		if (strcasecmp(vendor_names[i].short_name, term->text) == 0 &&
		    strcasestr(text, vendor_names[i].contained))
			return true;
	return false;
}

/* The device's text for a term, and whether it fits.  Drivers that name a device after its chip report its board's name
 * separately; either may fit. */
static const char *text_of(const clpac__term *term, const clpac_device *device, bool *fits)
{
	const char *text = (const char *)device + term->key->offset;
	const bool has_board = text == device->name && *device->board;
	*fits = text_fits(term, text) || (has_board && text_fits(term, device->board));
	return has_board ? device->board : text;
}

/* Writes one term's reason against a device; false when there is none. */
static bool is_against(const clpac__term *term, const clpac_device *device, char *reason, size_t size)
{
	const char *kind = clpac_device_kind_text(device->kind), *text;
	bool fits = true;
	switch (term->type) {
	case CLPAC__TERM_KIND:
		fits = term->kinds & 1u << device->kind;
		snprintf(reason, size, "is %s %s", strchr("aeiouO", *kind) ? "an" : "a", kind);
		break;
	case CLPAC__TERM_NUMBERS:
		fits = device->platform == term->platform && device->index == term->index;
		snprintf(reason, size, "has another number");
		break;
	case CLPAC__TERM_EQUALS:
	case CLPAC__TERM_CONTAINS:
		text = text_of(term, device, &fits);
		snprintf(reason, size, "has %s \"%.60s\"", term->key->key, text);
		break;
	case CLPAC__TERM_MEMORY:
		fits = (double)device->memory_bytes > term->bytes;
		snprintf(reason, size, "has %.1f MiB of memory", (double)device->memory_bytes / 1048576);
		break;
	}
	return !fits;
}

void clpac__selection_reason(const clpac_device *device, const clpac__selection *wanted, const clpac__need *need,
			     char *reason, size_t size)
{
	for (size_t i = 0; i < wanted->n_terms; i++)
		if (is_against(&wanted->terms[i], device, reason, size))
			return;
	*reason = 0;
	const double mebibyte = 1048576, memory = (double)device->memory_bytes / mebibyte;
	const double required = (double)need->bytes / mebibyte;
	if (!device->is_available)
		snprintf(reason, size, "is not available");
	else if (device->memory_bytes < need->bytes)
		snprintf(reason, size, "has %.1f MiB of memory and %.1f MiB are required", memory, required);
	else if (need->usable && need->usable(device) < need->bytes)
		snprintf(reason, size,
			 "has %.1f MiB of memory, of which %.1f MiB may be used, and %.1f MiB are required", memory,
			 (double)need->usable(device) / mebibyte, required);
}
