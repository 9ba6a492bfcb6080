/* Choosing one, several or all fitting devices of a list, by a selection string or by a function. */
#include "memory/device/selection.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* The criteria of one choice. */
typedef struct question {
	const clpac__selection *wanted; /* NULL: only memory counts here, and rank decides */
	clpac__need need;
	clpac_device_rank *rank; /* nullable */
	void *user;
	const clpac_device *const *taken; /* chosen before, not to be chosen again */
	size_t n_taken;
} question;

static const clpac__selection anything = {.n_terms = 0};

/* The reason against a device, as clpac__selection_reason; if there is none, its rank in *rank. */
static void reason_against(const clpac_device *device, const question *q, int *rank, char *reason, size_t size)
{
	char text[24];
	*rank = 1;
	clpac__selection_reason(device, q->wanted ? q->wanted : &anything, &q->need, reason, size);
	for (size_t i = 0; i < q->n_taken && !*reason; i++) {
		clpac_device_selection(q->taken[i], text, sizeof text);
		if (q->taken[i] == device)
			snprintf(reason, size, "is taken already");
		else if (clpac__is_same_device(q->taken[i], device))
			snprintf(reason, size, "is the same device as %s, which is taken already", text);
	}
	if (!*reason && q->rank && (*rank = q->rank(device, q->user)) <= 0)
		snprintf(reason, size, "was turned down");
}

/* The device of highest rank, the first of equals; NULL when none fits. */
static const clpac_device *find(const clpac_device_list *list, const question *q)
{
	const clpac_device *best = NULL;
	/* A duplicate is chosen only if nothing else fits. */
	for (int duplicates = 0; duplicates < 2 && !best; duplicates++) {
		int best_rank = 0;
		for (size_t i = 0; i < list->n_devices; i++) {
			char reason[160];
			int rank;
			if (list->devices[i].is_duplicate != (duplicates == 1))
				continue;
			reason_against(&list->devices[i], q, &rank, reason, sizeof reason);
			if (*reason || rank <= best_rank)
				continue;
			best = &list->devices[i];
			best_rank = rank;
		}
	}
	return best;
}

enum { LIST_LENGTH = 760 /* bytes of an error's text for the list of devices, so that the whole text fits */ };

/* Appends "native "AMD EPYC" is a native CPU; 0:0 ..." for every device, with reasons if there is a question. */
static void add_devices(clpac__text *text, const clpac_device_list *list, const question *q)
{
	for (size_t i = 0; i < list->n_devices; i++) {
		const clpac_device *device = &list->devices[i];
		char selection_text[24], reason[160] = "";
		int rank;
		if (text->length > LIST_LENGTH) {
			clpac__text_add(text, "; and %zu more", list->n_devices - i);
			return;
		}
		clpac_device_selection(device, selection_text, sizeof selection_text);
		if (q)
			reason_against(device, q, &rank, reason, sizeof reason);
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
		const bool has_words = platform->status == CLPAC_PLATFORM_LEFT_OUT;
		if (platform->status && platform->status != CLPAC_PLATFORM_UNTRIED)
			clpac__text_add(text, "; platform \"%.40s\" gives no device (%d%s%.200s)", platform->name,
					platform->status, has_words ? ": " : "", has_words ? platform->trouble : "");
	}
}

static const char *shown(const clpac__text *text)
{
	return text->data ? text->data : "(no memory left to list them)";
}

static clpac_status fail_unreadable(const clpac_device_list *list, const char *text, const char *slip, const char *why,
				    clpac_error *err)
{
	clpac__text devices = {0};
	add_devices(&devices, list, NULL);
	clpac_status st =
		clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			    "device selection \"%.80s\" cannot be read at \"%.40s\": %s; the devices here are: %s",
			    text, slip, why, shown(&devices));
	clpac__text_clear(&devices);
	return clpac__of_member(err, st, "selection");
}

/* whole: the full selection that the failing part belongs to; NULL when the part is all of it. */
static clpac_status fail_nothing_fits(const clpac_device_list *list, const question *q, const char *part,
				      size_t part_length, const char *whole, clpac_error *err)
{
	clpac__text devices = {0};
	add_devices(&devices, list, q);
	add_troubles(&devices, list);
	clpac_status st = clpac__fail(err, CLPAC_ERROR_NO_DEVICE, "no device fits \"%.*s\"%s%.80s%s: %s",
				      (int)(part_length < 80 ? part_length : 80), part, whole ? " of \"" : "",
				      whole ? whole : "", whole ? "\"" : "", shown(&devices));
	clpac__text_clear(&devices);
	return clpac__of_member(err, st, "selection");
}

const clpac_device *clpac_devices_best(const clpac_device_list *list)
{
	return list ? find(list, &(question){.wanted = &clpac__select_best}) : NULL;
}

static const char grammar[] = "give best, gpu, discrete, integrated, accelerator, native, cpu, 0:1, or conditions as "
			      "vendor=intel,name~Radeon,memory>8G";
static const char grammar_of_several[] = "give gpu, native, cpu, 0:1, conditions as vendor=intel,memory>8G, some of "
					 "these joined by + as gpu+native, all, or all "
					 "with conditions as all,memory>4G";

/* Reads a string that selects one device. */
static clpac_status read_one(const clpac_device_list *list, const char *text, clpac__selection *out, clpac_error *err)
{
	char slip[CLPAC__TERM_SIZE];
	if (!*text) {
		*out = clpac__select_best;
		return CLPAC_OK;
	}
	const bool is_read = clpac__selection_read(text, strlen(text), out, slip);
	if (is_read && !out->is_all)
		return CLPAC_OK;
	return fail_unreadable(list, text, is_read ? "all" : slip,
			       is_read || strchr(slip, '+') ? "one device is wanted here, not several" : grammar, err);
}

clpac_status clpac__devices_select(const clpac_device_list *list, const char *text, uint64_t required_bytes,
				   clpac__usable_bytes *usable, const clpac_device **out, clpac_error *err)
{
	clpac__selection wanted;
	const question q = {.wanted = &wanted, .need = {required_bytes, usable}};
	text = text ? text : "";
	RETURN_IF_ERROR(read_one(list, text, &wanted, err));
	const clpac_device *device = find(list, &q);
	if (!device) {
		text = *text ? text : "best";
		RETURN_IF_ERROR(fail_nothing_fits(list, &q, text, strlen(text), NULL, err));
	}
	*out = device;
	return CLPAC_OK;
}

clpac_status clpac_devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				  const clpac_device **out, clpac_error *err)
{
	NEED(list, out);
	return clpac__devices_select(list, selection, required_bytes, NULL, out, err);
}

clpac_status clpac_devices_select_by(const clpac_device_list *list, clpac_device_rank *rank, void *user,
				     uint64_t required_bytes, const clpac_device **out, clpac_error *err)
{
	NEED(list, rank, out);
	const question q = {.need = {required_bytes, NULL}, .rank = rank, .user = user};
	const clpac_device *device = find(list, &q);
	if (!device)
		RETURN_IF_ERROR(fail_nothing_fits(list, &q, "the caller's function", strlen("the caller's function"),
						  NULL, err));
	*out = device;
	return CLPAC_OK;
}

/* Applies one part of a selection joined by +: chooses one more device, or with "all" every one that fits. */
static clpac_status select_part(const clpac_device_list *list, question *q, const char *part, size_t length,
				const char *whole, const clpac_device **chosen, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__selection wanted = clpac__select_best;
	char slip[CLPAC__TERM_SIZE];
	const size_t n_before = q->n_taken;
	const clpac_device *device;

	if (*whole && !clpac__selection_read(part, length, &wanted, slip))
		TRY(fail_unreadable(list, whole, slip, grammar_of_several, err));
	q->wanted = &wanted;
	while ((device = find(list, q))) {
		chosen[q->n_taken++] = device;
		if (!wanted.is_all)
			break;
	}
	if (q->n_taken == n_before)
		TRY(fail_nothing_fits(list, q, *whole ? part : "best", *whole ? length : 4,
				      length == strlen(whole) ? NULL : whole, err));
done:
	q->wanted = NULL;
	return st;
}

/* clpac_devices_select_several by usable memory. */
static clpac_status devices_select_several(const clpac_device_list *list, const char *text, uint64_t required_bytes,
					   clpac__usable_bytes *usable, const clpac_device **out, size_t capacity,
					   size_t *n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	/* No device is chosen twice, so the list's length is enough for any number of parts. */
	const clpac_device **chosen = clpac__alloc_array(list->n_devices + 1, sizeof *chosen);
	question q = {.need = {required_bytes, usable}, .taken = chosen};
	if (!chosen)
		FAIL_NO_MEMORY(list->n_devices * sizeof *chosen);
	text = text ? text : "";
	for (const char *part = text;;) {
		const size_t length = strcspn(part, "+");
		TRY(select_part(list, &q, part, length, text, chosen, err));
		if (!part[length])
			break;
		part += length + 1;
	}
	if (q.n_taken > capacity)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "device selection \"%.80s\" selects %zu devices, but the array holds only %zu; give a larger one",
		     text, q.n_taken, capacity);
	if (q.n_taken)
		memcpy(out, chosen, q.n_taken * sizeof *chosen);
	*n = q.n_taken;
done:
	clpac__free(chosen);
	return st;
}

clpac_status clpac_devices_select_several(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
					  const clpac_device **out, size_t capacity, size_t *n, clpac_error *err)
{
	NEED(list);
	NEED_AS(out || !capacity, "out");
	NEED(n);
	return devices_select_several(list, selection, required_bytes, NULL, out, capacity, n, err);
}

clpac_status clpac__devices_candidates(const clpac_device_list *list, const char *text, uint64_t required_bytes,
				       clpac__usable_bytes *usable, const clpac_device ***out, size_t *n,
				       clpac_error *err)
{
	clpac__selection wanted;
	const clpac_device **found = NULL, *first;
	size_t n_found = 0;

	RETURN_IF_ERROR(clpac__devices_select(list, text, required_bytes, usable, &first, err));
	RETURN_IF_ERROR(read_one(list, text ? text : "", &wanted, err));
	RETURN_IF_ERROR(NEW_ARRAY(found, list->n_devices));
	for (int duplicates = 0; duplicates < 2; duplicates++) {
		for (size_t i = 0; i < list->n_devices; i++) {
			char reason[160];
			clpac__selection_reason(&list->devices[i], &wanted, &(clpac__need){required_bytes, usable},
						reason, sizeof reason);
			if (!*reason && list->devices[i].is_duplicate == (duplicates == 1))
				found[n_found++] = &list->devices[i];
		}
	}
	*out = found;
	*n = n_found;
	return CLPAC_OK;
}

clpac_status clpac_device_reason(const clpac_device *device, const char *selection, uint64_t required_bytes,
				 char *reason, size_t size, clpac_error *err)
{
	NEED(device);
	NEED_AS(reason || !size, "reason");
	const clpac__need need = {required_bytes, NULL};
	const char *const whole = selection ? selection : "";
	char first[160] = "", each[160];
	bool fits = false;
	for (const char *part = whole;;) {
		const size_t length = strcspn(part, "+");
		clpac__selection wanted = clpac__select_best;
		char slip[CLPAC__TERM_SIZE];
		if (*whole && !clpac__selection_read(part, length, &wanted, slip))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "device selection \"%.80s\" cannot be read at \"%.40s\"",
				     whole, slip);
		clpac__selection_reason(device, &wanted, &need, each, sizeof each);
		fits = fits || !*each;
		if (part == whole)
			memcpy(first, each, sizeof first);
		if (!part[length])
			break;
		part += length + 1;
	}
	snprintf(reason, size, "%s", fits ? "" : strchr(whole, '+') ? "fits none of them" : first);
	return CLPAC_OK;
}
