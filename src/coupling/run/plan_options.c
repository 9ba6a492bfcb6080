/* Settings of a plan as one line of text. */
#include <clpac/plan.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/sized.h"
#include "coupling/layout/strategy.h"

static const char WHAT[] = "plan options";

/* In the order of writing; reading takes them in any. */
#define PLACE(member) offsetof(clpac_plan_options, member), sizeof((clpac_plan_options *)0)->member
/* clang-format off */
static const clpac__key keys[] = {
	{"strategy", &clpac__key_choice, PLACE(strategy), clpac__strategy_words, 0},
	{"memory_bytes", &clpac__key_size, PLACE(memory_bytes), NULL, 0},
	{"max_batch", &clpac__key_count, PLACE(max_batch), NULL, 0},
	{"progress", &clpac__key_pointer, PLACE(progress), NULL, 0},
	{"keep_flat", &clpac__key_yes, PLACE(keep_flat), NULL, 0},
};
/* clang-format on */
enum { KEY_COUNT = sizeof keys / sizeof *keys };

clpac_status clpac_plan_options_read(const char *text, clpac_plan_options **out, clpac_error *err)
{
	NEED(text, out);
	clpac_status st = CLPAC_OK;
	clpac_plan_options *made;
	TRY(NEW(made));
	made->size = sizeof *made;
	TRY(clpac__keys_read(WHAT, "the options of a plan", keys, KEY_COUNT, text, made, err));
	*out = made, made = NULL;
done:
	clpac__free(made);
	return st;
}

clpac_status clpac_plan_options_text(const clpac_plan_options *options, char **text, clpac_error *err)
{
	NEED(options, text);
	clpac_plan_options own;
	const clpac_status st = clpac__take_sized(&own, options, clpac_plan_options, err);
	return st ? st : clpac__keys_write_set(WHAT, keys, KEY_COUNT, &own, text, err);
}

void clpac_plan_options_free(clpac_plan_options *options)
{
	clpac__free(options);
}
