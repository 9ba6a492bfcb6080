/* The table of stages as data. */
#include "coupling/stages/stages.h"

#define STAGE(name, way, often, steps, arguments)                                                                      \
	_Static_assert(CLPAC__N_ARGUMENTS_##name <= CLPAC__MAX_ARGUMENTS,                                              \
		       #name " has more arguments than CLPAC__COUNT_VALUES can count");
#include "coupling/stages/stages.def"

/* Whether a way of running is that of fused stages. */
enum { EACH, LOOP, LOOP_BINS, ROW, ROW_BINS };
#define IS_FUSED(way) ((way) >= ROW)

/* One case per stage, because the offsets need the name of the stage's struct. */
const clpac__stage_facts *clpac__stage_get(unsigned stage)
{
	switch (stage) {
#define STAGE(name, way, often, steps, arguments)                                                                      \
	case CLPAC__STAGE_##name: {                                                                                    \
		typedef struct clpac__##name##_arguments own;                                                          \
		static const clpac__argument list[] = {arguments};                                                     \
		static const clpac__stage_facts facts = {#name, list, sizeof list / sizeof *list, IS_FUSED(way)};      \
		return &facts;                                                                                         \
	}
#define BUFFER(name) {#name, CLPAC__ARGUMENT_BUFFER, offsetof(own, name)},
#define UINT(name) {#name, CLPAC__ARGUMENT_UINT, offsetof(own, name)},
#define FLOAT(name) {#name, CLPAC__ARGUMENT_FLOAT, offsetof(own, name)},
#include "coupling/stages/stages.def"
	default:
		return NULL;
	}
}
