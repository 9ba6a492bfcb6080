/* The needs of passes in a device's memory, as numbers: the buffers, each by a name, and how long they live.  All of
 * this is generated from the table of passes, needs.def. */
#ifndef CLPAC_COUPLING_NEEDS_NEEDS_H
#define CLPAC_COUPLING_NEEDS_NEEDS_H

#include <stdbool.h>
#include <clpac/measure.h>

/* The buffers of a plan and its batches, CLPAC__TENSOR_NAME. */
enum clpac__tensor {
#define TENSOR(name, ...) CLPAC__TENSOR_##name,
#define OWN_TENSOR(name, ...) CLPAC__TENSOR_##name,
#define CONSTANT_TENSOR(name, ...) CLPAC__TENSOR_##name,
#include "coupling/needs/needs.def"
	/* The own tensors of the second measure that is computed beside the first, of the third, and so on. */
	CLPAC__TENSOR_FURTHER,
	CLPAC__OWN_TENSORS = 0
#define TENSOR(...)
#define OWN_TENSOR(...) +1
#define CONSTANT_TENSOR(...)
#include "coupling/needs/needs.def"
	,
	CLPAC__TENSOR_COUNT = CLPAC__TENSOR_FURTHER + (CLPAC_MEASURE_COUNT - 1) * CLPAC__OWN_TENSORS
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

/* The tensors that a measure has of its own while several are computed side by side. */
extern const enum clpac__tensor clpac__own_tensors[CLPAC__OWN_TENSORS];
/* The tensor that a tensor is of its measure; itself for those before CLPAC__TENSOR_FURTHER. */
enum clpac__tensor clpac__tensor_kind(enum clpac__tensor tensor);

const char *clpac__tensor_text(enum clpac__tensor tensor);
/* Whether a tensor is written when a plan is made, and by no run. */
bool clpac__tensor_is_constant(enum clpac__tensor tensor);

#endif
