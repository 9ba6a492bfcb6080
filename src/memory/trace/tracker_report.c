/* A list of live buffers as text and as JSON. */
#include <clpac/memory/trace.h>

#include <inttypes.h>
#include "base/text.h"

/* Tenths by integers: no decimal comma, whatever the locale. */
static void add_age(clpac__text *text, double age_s)
{
	uint64_t tenths = age_s < 1e15 ? (uint64_t)(10 * age_s + 0.5) : UINT64_C(10000000000000000);
	clpac__text_add(text, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

clpac_status clpac_live_list_text(const clpac_live_list *list, char **out, clpac_error *err)
{
	NEED(list);
	NEED_AS(out, "text");
	clpac__text text = {0};
	clpac__text_add(&text, "%zu buffer%s, %" PRIu64 " bytes asked for, %" PRIu64 " taken\n", list->n,
			list->n == 1 ? "" : "s", list->bytes, list->class_bytes);
	if (list->n_missed)
		clpac__text_add(&text, "%" PRIu64 " allocations left no record: the host had no memory for it\n",
				list->n_missed);
	for (size_t i = 0; i < list->n; i++) {
		const clpac_live_buffer *buffer = &list->buffers[i];
		clpac__text_add(&text, "#%" PRIu64 " \"%s\": %" PRIu64 " bytes", buffer->id, buffer->tag,
				buffer->bytes);
		if (buffer->n_elements)
			clpac__text_add(&text, " (%" PRIu64 " elements)", buffer->n_elements);
		clpac__text_add(&text, ", class %" PRIu64 ", on the %s, thread %" PRIu32 ", for ", buffer->class_bytes,
				buffer->is_on_device ? "device" : "host", buffer->thread);
		add_age(&text, buffer->age_s);
		clpac__text_add(&text, " s");
		if (buffer->file)
			clpac__text_add(&text, ", from %s:%d", buffer->file, buffer->line);
		clpac__text_add(&text, "\n");
	}
	return clpac__text_give(&text, "the list of a pool's buffers as text", out, err);
}

clpac_status clpac_live_list_json(const clpac_live_list *list, char **out, clpac_error *err)
{
	NEED(list);
	NEED_AS(out, "text");
	clpac__text text = {0};
	clpac__text_add(&text,
			"{\"n\": %zu, \"bytes\": %" PRIu64 ", \"class_bytes\": %" PRIu64 ", \"n_missed\": %" PRIu64
			", \"buffers\": [",
			list->n, list->bytes, list->class_bytes, list->n_missed);
	for (size_t i = 0; i < list->n; i++) {
		const clpac_live_buffer *buffer = &list->buffers[i];
		clpac__text_add(&text, "%s{\"id\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"class_bytes\": %" PRIu64,
				i ? ", " : "", buffer->id, buffer->bytes, buffer->class_bytes);
		clpac__text_add(&text, ", \"n_elements\": ");
		if (buffer->n_elements)
			clpac__text_add(&text, "%" PRIu64, buffer->n_elements);
		else
			clpac__text_add(&text, "null");
		clpac__text_add(&text, ", \"location\": \"%s\", \"thread\": %" PRIu32 ", \"age_s\": ",
				buffer->is_on_device ? "device" : "host", buffer->thread);
		clpac__text_add_number(&text, buffer->age_s);
		clpac__text_add(&text, ", \"tag\": ");
		clpac__text_add_json(&text, buffer->tag);
		clpac__text_add(&text, ", \"file\": ");
		clpac__text_add_json(&text, buffer->file);
		clpac__text_add(&text, ", \"line\": %d}", buffer->line);
	}
	clpac__text_add(&text, "]}");
	return clpac__text_give(&text, "the list of a pool's buffers as text", out, err);
}
