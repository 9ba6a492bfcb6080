/* Settings of a pool as one line of text. */
#include <clpac/memory/pool.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/sized.h"

static const char WHAT[] = "pool options";
static const char *const presets[] = {"balanced", "throughput", "constrained", NULL};
static const char *const blocks[] = {"auto", "segments", "whole", NULL};
static const char *const placements[] = {"default", "device", "prefer_device", "host", NULL};
_Static_assert(sizeof presets / sizeof *presets == CLPAC_PRESET_COUNT + 1 &&
		       sizeof blocks / sizeof *blocks == CLPAC_BLOCKS_COUNT + 1 &&
		       sizeof placements / sizeof *placements == CLPAC_PLACE_COUNT + 1,
	       "one word per value");

/* In the order of writing; reading takes them in any. */
#define PLACE(member) offsetof(clpac_pool_options, member), sizeof((clpac_pool_options *)0)->member
/* clang-format off */
static const clpac__key keys[] = {
	{"budget.bytes", &clpac__key_size, PLACE(budget.bytes), NULL, 0},
	{"budget.cap", &clpac__key_word, PLACE(budget.cap), NULL, 0},
	{"budget.fraction", &clpac__key_number, PLACE(budget.fraction), NULL, 0},
	{"budget.minimum_free_bytes", &clpac__key_size, PLACE(budget.minimum_free_bytes), NULL, 0},
	{"budget.limit", &clpac__key_pointer, PLACE(budget.limit), NULL, 0},
	{"budget.wait_s", &clpac__key_number, PLACE(budget.wait_s), NULL, 0},
	{"cache.classes_per_octave", &clpac__key_count, PLACE(cache.classes_per_octave), NULL, 0},
	{"cache.max_kept_per_class", &clpac__key_count, PLACE(cache.max_kept_per_class), NULL, 0},
	{"cache.blocks", &clpac__key_choice, PLACE(cache.blocks), blocks, 0},
	{"cache.max_segment_bytes", &clpac__key_size, PLACE(cache.max_segment_bytes), NULL, 0},
	{"cache.preallocate_bytes", &clpac__key_size, PLACE(cache.preallocate_bytes), NULL, 0},
	{"checks.is_tracked", &clpac__key_yes, PLACE(checks.is_tracked), NULL, 0},
	{"checks.is_checked", &clpac__key_yes, PLACE(checks.is_checked), NULL, 0},
	{"preset", &clpac__key_choice, PLACE(preset), presets, 0},
	{"placement", &clpac__key_choice, PLACE(placement), placements, 0},
	{"may_move", &clpac__key_yes, PLACE(may_move), NULL, 0},
	{"snapshot.path", &clpac__key_word, PLACE(snapshot.path), NULL, 0},
	{"snapshot.events", &clpac__key_count, PLACE(snapshot.events), NULL, 0},
	{"compaction.releases", &clpac__key_count, PLACE(compaction.releases), NULL, 0},
	{"compaction.seconds", &clpac__key_number, PLACE(compaction.seconds), NULL, 0},
	{"compaction.max_bytes", &clpac__key_size, PLACE(compaction.max_bytes), NULL, 0},
	{"staging_bytes", &clpac__key_size, PLACE(staging_bytes), NULL, 0},
	{"fallback_bytes", &clpac__key_size, PLACE(fallback_bytes), NULL, 0},
	{"fallback_limit", &clpac__key_pointer, PLACE(fallback_limit), NULL, 0},
	{"merge_fraction", &clpac__key_number, PLACE(merge_fraction), NULL, 0},
	{"warm_up", &clpac__key_word, PLACE(warm_up), NULL, 0},
};
/* clang-format on */
enum { KEY_COUNT = sizeof keys / sizeof *keys };

clpac_status clpac_pool_options_read(const char *text, clpac_pool_options **out, clpac_error *err)
{
	NEED(text, out);
	clpac_status st = CLPAC_OK;
	clpac_pool_options *made;
	TRY(NEW(made));
	made->size = sizeof *made;
	TRY(clpac__keys_read(WHAT, "the options of a pool", keys, KEY_COUNT, text, made, err));
	*out = made, made = NULL;
done:
	clpac__free(made);
	return st;
}

clpac_status clpac_pool_options_text(const clpac_pool_options *options, char **text, clpac_error *err)
{
	NEED(options, text);
	clpac_pool_options own;
	const clpac_status st = clpac__take_sized(&own, options, clpac_pool_options, err);
	return st ? st : clpac__keys_write_set(WHAT, keys, KEY_COUNT, &own, text, err);
}

void clpac_pool_options_free(clpac_pool_options *options)
{
	clpac__free(options);
}
