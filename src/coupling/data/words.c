#include "coupling/data/words.h"

#include <clpac/group.h>
#include <clpac/problem.h>
#include <clpac/result.h>

const char *const clpac__average_words[] = {"mean", "sum", NULL};
const char *const clpac__null_words[] = {"shift", "all", "trials", "blocks", "phases", NULL};
const char *const clpac__family_words[] = {"map", "run", NULL};
const char *const clpac__hilbert_words[] = {"local", "trimmed", NULL};
static const char *const designs[] = {"one-sample", "paired", "two-sample", NULL};
static const char *const sides[] = {"both", "greater", "less", NULL};
static const char *const uses[] = {[CLPAC_PHASE] = "phase", [CLPAC_AMPLITUDE] = "amplitude", NULL};

static const char *const warning_kinds[] = {
	[CLPAC_WARN_NARROW_AMPLITUDE] = "narrow_amplitude",
	[CLPAC_WARN_SHORT_SERIES] = "short_series",
	[CLPAC_WARN_PURE_LINE] = "pure_line",
	[CLPAC_WARN_NOT_FINITE] = "not_finite",
	[CLPAC_WARN_CONSTANT] = "constant",
	[CLPAC_WARN_EMPTY_BINS] = "empty_bins",
	[CLPAC_WARN_NO_AMPLITUDE] = "no_amplitude",
	[CLPAC_WARN_NO_DEVIATION] = "no_deviation",
	[CLPAC_WARN_STRATEGY] = "strategy",
	[CLPAC_WARN_DEVICE] = "device",
	[CLPAC_WARN_OVERLAP] = "overlap",
	[CLPAC_WARN_HARMONIC] = "harmonic",
	[CLPAC_WARN_JUMP] = "jump",
	[CLPAC_WARN_MAINS] = "mains",
	[CLPAC_WARN_MIN_SHIFT] = "min_shift",
	[CLPAC_WARN_FEW_SEGMENTS] = "few_segments",
	[CLPAC_WARN_MISSING] = "missing",
	[CLPAC_WARN_NOT_VALID] = "not_valid",
	[CLPAC_WARN_FEW_SUBJECTS] = "few_subjects",
	[CLPAC_WARN_SHORT_NULL] = "short_null",
	[CLPAC_WARN_BEATS] = "beats",
	[CLPAC_WARN_SPIKES] = "spikes",
	[CLPAC_WARN_MUSCLE] = "muscle",
	[CLPAC_WARN_ODD_HARMONICS] = "odd_harmonics",
	[CLPAC_WARN_FLAT] = "flat",
	[CLPAC_WARN_LOCKED] = "locked",
	[CLPAC_WARN_NO_PEAK] = "no_peak",
	NULL,
};

#define COUNT(words) (sizeof(words) / sizeof *(words)-1)
_Static_assert(COUNT(clpac__null_words) == CLPAC_NULL_COUNT && COUNT(designs) == CLPAC_DESIGN_COUNT &&
		       COUNT(sides) == CLPAC_SIDE_COUNT && COUNT(warning_kinds) == CLPAC_WARN_KIND_COUNT,
	       "one word for each");

#define WORD(words, number) ((unsigned)(number) < COUNT(words) ? (words)[number] : "")

const char *clpac_average_text(clpac_average average)
{
	return WORD(clpac__average_words, average);
}

const char *clpac_null_text(clpac_null null)
{
	return WORD(clpac__null_words, null);
}

const char *clpac_family_text(clpac_family family)
{
	return WORD(clpac__family_words, family);
}

const char *clpac_hilbert_text(clpac_hilbert hilbert)
{
	return WORD(clpac__hilbert_words, hilbert);
}

const char *clpac_design_text(clpac_design design)
{
	return WORD(designs, design);
}

const char *clpac_side_text(clpac_side side)
{
	return WORD(sides, side);
}

const char *clpac_band_use_text(clpac_band_use use)
{
	return WORD(uses, use);
}

const char *clpac_warning_kind_text(clpac_warning_kind kind)
{
	return WORD(warning_kinds, kind);
}
