/* The stages, their arguments, and a launch of one. */
#ifndef CLPAC_STAGES_STAGES_H
#define CLPAC_STAGES_STAGES_H

#include <stddef.h>
#include <stdint.h>
#include "backend/backend.h"

enum clpac__stage {
#define STAGE(name, arguments) CLPAC__STAGE_##name,
#include "stages/stages.def"
#undef STAGE
	CLPAC__STAGE_COUNT
};

/* Name and argument kinds of each stage, indexed by enum clpac__stage. */
typedef struct clpac__stage_facts {
	const char *name;
	const char *arguments;
} clpac__stage_facts;
extern const clpac__stage_facts clpac__stages[CLPAC__STAGE_COUNT];

typedef union clpac__argument {
	clpac__block *block;
	uint32_t number;
	float real;
} clpac__argument;

enum { CLPAC__MAX_ARGUMENTS = 24 };

/* One stage over items[0] x items[1] x items[2] work-items; items[0] varies fastest. */
typedef struct clpac__launch {
	enum clpac__stage stage;
	unsigned n_bins; /* phase bins where the stage depends on them (kernels are specialised), else 0 */
	size_t items[3];
	clpac__argument arguments[CLPAC__MAX_ARGUMENTS];
} clpac__launch;

#endif
