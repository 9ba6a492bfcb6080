/* Choosing a device by a selection string.
 *
 * A string is a list of terms joined by commas, all of which must hold: a word for a kind, "platform:device", or a
 * condition key=value, key~value, memory>size.  The string is read first, so that a slip is told as such whatever
 * devices there are. */
#include "device/list.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

#define KIND(name) (1u << CLPAC_DEVICE_##name)

enum { BEST_KINDS = KIND(DISCRETE_GPU) | KIND(INTEGRATED_GPU) | KIND(ACCELERATOR) | KIND(NATIVE) };

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

static const struct text_key {
	const char *key;
	size_t offset; /* of the text in clpac_device */
} text_keys[] = {
	{"vendor", offsetof(clpac_device, vendor)},	     {"name", offsetof(clpac_device, name)},
	{"platform", offsetof(clpac_device, platform_name)}, {"driver", offsetof(clpac_device, driver)},
	{"backend", offsetof(clpac_device, backend)},
};

/* What people call a vendor, and what stands in its drivers' vendor text. */
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

enum { MAX_TERMS = 16 };

typedef struct term {
	enum { TERM_KIND, TERM_NUMBERS, TERM_EQUALS, TERM_CONTAINS, TERM_MEMORY } type;
	unsigned kinds;
	int platform, index;
	const struct text_key *key;
	double bytes;
	char text[128]; /* the value compared with, or the term itself */
} term;

typedef struct selection {
	term terms[MAX_TERMS];
	size_t n_terms;
} selection;

/* Memory that a device must have: of all of it, or of what may be used of it. */
typedef struct need {
	uint64_t bytes;
	clpac__usable_bytes *usable; /* NULL: all of it */
} need;

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

static const struct text_key *find_text_key(const char *word, size_t length)
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
	static const char units[] = "KMGT";
	const char *end;
	double value;
	if (!clpac__parse_number(text, &value, &end) || value < 0)
		return false;
	if (*end) {
		const char *unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || end[1])
			return false;
		for (long i = unit - units; i >= 0; i--)
			value *= 1024;
	}
	*out = value;
	return true;
}

static bool read_term(const char *text, term *out)
{
	term made = {0};
	const char *sign = strpbrk(text, "=~>:");
	size_t key_length = sign ? (size_t)(sign - text) : 0;
	snprintf(made.text, sizeof made.text, "%s", sign ? sign + 1 : text);

	if (!sign) {
		made.type = TERM_KIND;
		if (!kinds_of_word(text, &made.kinds))
			return false;
	} else if (*sign == ':') {
		made.type = TERM_NUMBERS;
		if (!read_index(text, key_length, &made.platform) ||
		    !read_index(sign + 1, strlen(sign + 1), &made.index))
			return false;
	} else if (*sign == '>') {
		made.type = TERM_MEMORY;
		if (key_length != 6 || strncasecmp(text, "memory", 6) != 0 || !read_bytes(sign + 1, &made.bytes))
			return false;
	} else if (*sign == '=' && key_length == 4 && strncasecmp(text, "kind", 4) == 0) {
		made.type = TERM_KIND;
		if (!kinds_of_word(sign + 1, &made.kinds))
			return false;
	} else {
		made.type = *sign == '=' ? TERM_EQUALS : TERM_CONTAINS;
		made.key = find_text_key(text, key_length);
		if (!made.key || !sign[1])
			return false;
	}
	*out = made;
	return true;
}

/* Reads the whole string; *slip is the term that cannot be read when this returns false. */
static bool read_selection(const char *text, selection *out, char slip[128])
{
	out->n_terms = 0;
	if (!*text)
		text = "best";
	for (;;) {
		size_t length = strcspn(text, ",");
		const char *begin = text, *end = text + length;
		while (begin < end && isspace((unsigned char)*begin))
			begin++;
		while (end > begin && isspace((unsigned char)end[-1]))
			end--;
		snprintf(slip, 128, "%.*s", (int)(end - begin > 127 ? 127 : end - begin), begin);
		if (end - begin > 127 || out->n_terms == MAX_TERMS || !read_term(slip, &out->terms[out->n_terms]))
			return false;
		out->n_terms++;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

static bool equals(const struct text_key *key, const char *text, const char *wanted)
{
	if (strcasecmp(text, wanted) == 0)
		return true;
	if (strcmp(key->key, "vendor") != 0)
		return false;
	for (size_t i = 0; i < sizeof vendor_names / sizeof *vendor_names; i++)
		if (strcasecmp(vendor_names[i].short_name, wanted) == 0 && strcasestr(text, vendor_names[i].contained))
			return true;
	return false;
}

/* Why a device does not fit, in words that follow "it ", or an empty text when it does. */
static void reason_against(const clpac_device *device, const selection *wanted, const need *need, char *reason,
			   size_t size)
{
	*reason = 0;
	for (size_t i = 0; i < wanted->n_terms; i++) {
		const term *t = &wanted->terms[i];
		const char *text = t->key ? (const char *)device + t->key->offset : "";
		if (t->type == TERM_KIND && !(t->kinds & 1u << device->kind))
			snprintf(reason, size, "is %s %s",
				 strchr("aeiouO", *clpac_device_kind_text(device->kind)) ? "an" : "a",
				 clpac_device_kind_text(device->kind));
		else if (t->type == TERM_NUMBERS && (device->platform != t->platform || device->index != t->index))
			snprintf(reason, size, "has another number");
		else if (t->type == TERM_EQUALS && !equals(t->key, text, t->text))
			snprintf(reason, size, "has %s \"%.60s\"", t->key->key, text);
		else if (t->type == TERM_CONTAINS && !strcasestr(text, t->text))
			snprintf(reason, size, "has %s \"%.60s\"", t->key->key, text);
		else if (t->type == TERM_MEMORY && !((double)device->memory_bytes > t->bytes))
			snprintf(reason, size, "has %.1f MiB of memory", (double)device->memory_bytes / 1048576);
		else
			continue;
		return;
	}
	const double mebibyte = 1048576, memory = (double)device->memory_bytes / mebibyte;
	const double required = (double)need->bytes / mebibyte;
	if (!device->is_available)
		snprintf(reason, size, "is not available");
	else if (device->memory_bytes < need->bytes)
		snprintf(reason, size, "has %.1f MiB of memory and %.1f MiB are required", memory, required);
	else if (need->usable && need->usable(device) < need->bytes)
		snprintf(reason, size, "has %.1f MiB of memory, of which %.1f MiB may be used, and %.1f MiB are required",
			 memory, (double)need->usable(device) / mebibyte, required);
}

enum { LIST_LENGTH = 760 /* bytes of an error's text for the devices, so that all of it fits */ };

/* "native "AMD EPYC" is a native CPU; 0:0 ..." of every device, with reasons where wanted is given. */
static void add_devices(clpac__text *text, const clpac_device_list *list, const selection *wanted, const need *need)
{
	for (size_t i = 0; i < list->n_devices; i++) {
		const clpac_device *device = &list->devices[i];
		char selection_text[24], reason[160] = "";
		if (text->length > LIST_LENGTH) {
			clpac__text_add(text, "; and %zu more", list->n_devices - i);
			return;
		}
		clpac_device_selection(device, selection_text, sizeof selection_text);
		if (wanted)
			reason_against(device, wanted, need, reason, sizeof reason);
		clpac__text_add(text, "%s%s \"%.60s\"%s%s", i ? "; " : "", selection_text, device->name,
				*reason ? " " : "", reason);
	}
	if (!list->n_devices)
		clpac__text_add(text, "none");
}

static void add_troubles(clpac__text *text, const clpac_device_list *list)
{
	for (size_t i = 0; i < list->n_platforms && text->length <= LIST_LENGTH; i++) {
		const clpac_platform *platform = &list->platforms[i];
		if (platform->status)
			clpac__text_add(text, "; platform \"%.40s\" gives no device (%d)", platform->name,
					platform->status);
	}
}

static const clpac_device *find(const clpac_device_list *list, const selection *wanted, const need *need)
{
	/* A duplicate is taken when what was asked for is seen on its platform alone. */
	for (int duplicates = 0; duplicates < 2; duplicates++) {
		for (size_t i = 0; i < list->n_devices; i++) {
			char reason[160];
			if (list->devices[i].is_duplicate != (duplicates == 1))
				continue;
			reason_against(&list->devices[i], wanted, need, reason, sizeof reason);
			if (!*reason)
				return &list->devices[i];
		}
	}
	return NULL;
}

const clpac_device *clpac_devices_best(const clpac_device_list *list)
{
	static const selection best = {.n_terms = 1, .terms = {{.type = TERM_KIND, .kinds = BEST_KINDS}}};
	return find(list, &best, &(need){0, NULL});
}

clpac_status clpac__devices_select(const clpac_device_list *list, const char *text, uint64_t required_bytes,
				   clpac__usable_bytes *usable, const clpac_device **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const need needed = {required_bytes, usable};
	selection wanted;
	char slip[128];
	clpac__text devices = {0};
	const clpac_device *device;
	text = text ? text : "";

	if (!read_selection(text, &wanted, slip)) {
		add_devices(&devices, list, NULL, &needed);
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "device selection \"%.80s\" cannot be read at \"%.40s\": give best, gpu, discrete, integrated, "
		     "accelerator, "
		     "native, cpu, 0:1, or conditions as vendor=intel,name~Radeon,memory>8G; the devices here are: %s",
		     text, slip, devices.data ? devices.data : "(no memory left to list them)");
	}
	device = find(list, &wanted, &needed);
	if (!device) {
		add_devices(&devices, list, &wanted, &needed);
		add_troubles(&devices, list);
		FAIL(CLPAC_ERROR_NO_DEVICE, "no device fits \"%.80s\": %s", *text ? text : "best",
		     devices.data ? devices.data : "(no memory left to list them)");
	}
	*out = device;
done:
	clpac__text_clear(&devices);
	return st;
}

clpac_status clpac_devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				  const clpac_device **out, clpac_error *err)
{
	return clpac__devices_select(list, selection, required_bytes, NULL, out, err);
}
