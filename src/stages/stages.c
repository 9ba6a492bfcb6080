/* Names and argument kinds of the stages. */
#include "stages/stages.h"

const clpac__stage_facts clpac__stages[CLPAC__STAGE_COUNT] = {
#define STAGE(name, arguments) [CLPAC__STAGE_##name] = {#name, arguments},
#include "stages/stages.def"
#undef STAGE
};

#define STAGE(name, arguments)                                                                                         \
	_Static_assert(sizeof arguments - 1 <= CLPAC__MAX_ARGUMENTS,                                                   \
		       #name " has more arguments than a launch can hold");
#include "stages/stages.def"
#undef STAGE
