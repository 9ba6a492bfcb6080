/* The needs of passes in a device's memory, as numbers: the buffers, each by a name, and how long they live.  All of
 * this is generated from the table of passes, needs.def. */
#ifndef CLPAC_COUPLING_NEEDS_NEEDS_H
#define CLPAC_COUPLING_NEEDS_NEEDS_H

#include <stdbool.h>
#include <clpac/measure.h>

/* The buffers of a plan and its batches, CLPAC__PART_NAME. */
enum clpac__part {
#define PART(name, ...) CLPAC__PART_##name,
#define OWN_PART(name, ...) CLPAC__PART_##name,
#define CONSTANT_PART(name, ...) CLPAC__PART_##name,
#include "coupling/needs/needs.def"
	/* The own parts of the second measure that is computed beside the first, of the third, and so on. */
	CLPAC__PART_FURTHER,
	CLPAC__OWN_PARTS = 0
#define PART(...)
#define OWN_PART(...) +1
#define CONSTANT_PART(...)
#include "coupling/needs/needs.def"
	,
	CLPAC__PART_COUNT = CLPAC__PART_FURTHER + (CLPAC_MEASURE_COUNT - 1) * CLPAC__OWN_PARTS
};

/* The passes of a batch in the order of the flow, as far as buffers tell them apart.  Samples of other series may pass
 * the filters again among the indices. */
enum clpac__time {
	CLPAC__TIME_LOAD = 0,
	CLPAC__TIME_PHASES,	/* the phase bank */
	CLPAC__TIME_AMPLITUDES, /* the amplitude bank */
	CLPAC__TIME_EDGES,
	CLPAC__TIME_SUMS,    /* levels and prefix sums */
	CLPAC__TIME_INDICES, /* of all measures, with those of surrogates, their statistics and clusters; they are read
			      */
	CLPAC__TIME_COUNT
};

/* The parts that a measure has of its own while several are computed side by side. */
extern const enum clpac__part clpac__own_parts[CLPAC__OWN_PARTS];
/* The part that a part is of its measure; itself for those before CLPAC__PART_FURTHER. */
enum clpac__part clpac__part_kind(enum clpac__part part);

const char *clpac__part_text(enum clpac__part part);
/* Whether a part is written when a plan is made, and by no run. */
bool clpac__part_is_constant(enum clpac__part part);

#endif
