/* The stages, their arguments by name, and launches.
 *
 * Everything here is generated from stages.def.  A launch names each argument as the kernel does:
 *
 *     const clpac__launch launch = {
 *             .items = {n, n_series, 1},
 *             CLPAC__STAGE(extend, .samples = from, .extended = to, .n_samples = n, .pad = 0, .length = n,
 *                          .stride = n),
 *     };
 *
 * The compiler refuses a misspelt, a missing and a repeated name; tests/lint/launches.test shows that it does.
 */
#ifndef CLPAC_COUPLING_STAGES_STAGES_H
#define CLPAC_COUPLING_STAGES_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clpac__block; /* a piece of a device's memory; its backend defines it */

enum clpac__stage {
#define STAGE(name, way, often, steps, arguments) CLPAC__STAGE_##name,
#include "coupling/stages/stages.def"
	CLPAC__STAGE_COUNT
};

/* CLPAC__N_ARGUMENTS_name: how many arguments a stage has. */
enum {
#define STAGE(name, way, often, steps, arguments) CLPAC__N_ARGUMENTS_##name = 0 arguments,
#define BUFFER(name) +1
#define UINT(name) +1
#define FLOAT(name) +1
#include "coupling/stages/stages.def"
	CLPAC__MAX_ARGUMENTS = 30
};

/* For a struct: gcc refuses initialisers without a name. */
#if defined(__has_attribute)
#if __has_attribute(designated_init)
#define CLPAC__NAMED_ONLY __attribute__((designated_init))
#endif
#endif
#ifndef CLPAC__NAMED_ONLY
#define CLPAC__NAMED_ONLY
#endif

/* By default compilers only warn of an argument that is given twice or without its name, and of a number in place of a
 * buffer or the reverse.  In files that include this one these warnings are errors, with -Werror or without. */
#if defined(__clang__)
#pragma clang diagnostic error "-Winitializer-overrides"
#pragma clang diagnostic error "-Wint-conversion"
#pragma clang diagnostic error "-Wincompatible-pointer-types"
#elif defined(__GNUC__)
#pragma GCC diagnostic error "-Woverride-init"
#pragma GCC diagnostic error "-Wdesignated-init"
#pragma GCC diagnostic error "-Wint-conversion"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#endif

/* The arguments of each stage, as struct clpac__extend_arguments { struct clpac__block *samples; ... uint32_t stride;
 * }. */
#define STAGE(name, way, often, steps, arguments)                                                                      \
	struct clpac__##name##_arguments {                                                                             \
		arguments                                                                                              \
	} CLPAC__NAMED_ONLY;
#define BUFFER(name) struct clpac__block *name;
#define UINT(name) uint32_t name;
#define FLOAT(name) float name;
#include "coupling/stages/stages.def"

/* The arguments of any stage; each member has its stage's name. */
typedef union clpac__arguments {
#define STAGE(name, way, often, steps, arguments) struct clpac__##name##_arguments name;
#include "coupling/stages/stages.def"
} clpac__arguments;

/* One stage over items[0] x items[1] x items[2] work-items; items[0] varies fastest.  CLPAC__STAGE sets stage and
 * arguments together.  A fused stage has one item of the first dimension for each row in the second, in whose place a
 * device may set as many as are of use to the row's longest pass (lanes), which wait for each other. */
typedef struct clpac__launch {
	enum clpac__stage stage;
	unsigned n_bins; /* phase bins where the stage depends on them (kernels are specialised), else 0 */
	size_t items[3];
	size_t lanes; /* of fused stages; 0 of others */
	clpac__arguments arguments;
} clpac__launch;

/* Initialises the stage and the arguments of a launch, each as .name = value.  Counting finds a missing argument: no
 * name can come twice, so equal numbers of values and arguments mean that every argument is there. */
#define CLPAC__STAGE(name, ...)                                                                                        \
	.stage = (enum clpac__stage)(CLPAC__STAGE_##name + CLPAC__CHECK_NUMBER(name, __VA_ARGS__)),                    \
	.arguments.name = {__VA_ARGS__}

/* 0; a compile error if the number of values is not the number of arguments. */
#define CLPAC__CHECK_NUMBER(name, ...)                                                                                 \
	(0 * sizeof(struct {                                                                                           \
		 _Static_assert(CLPAC__COUNT_VALUES(__VA_ARGS__) == CLPAC__N_ARGUMENTS_##name,                         \
				"a launch of stage " #name " names each argument once");                               \
		 char unused;                                                                                          \
	 }))
#define CLPAC__COUNT_VALUES(...)                                                                                       \
	CLPAC__VALUE_31(__VA_ARGS__, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,   \
			10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CLPAC__VALUE_31(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20,     \
			_21, _22, _23, _24, _25, _26, _27, _28, _29, _30, n, ...)                                      \
	n

/* The table as data, for backends that set arguments one by one. */
enum clpac__argument_kind { CLPAC__ARGUMENT_BUFFER, CLPAC__ARGUMENT_UINT, CLPAC__ARGUMENT_FLOAT };

typedef struct clpac__argument {
	const char *name;
	enum clpac__argument_kind kind;
	size_t offset; /* in the stage's struct, and so in clpac__arguments */
} clpac__argument;

typedef struct clpac__stage_facts {
	const char *name;
	const clpac__argument *arguments; /* in the kernel's order */
	size_t n_arguments;
	bool is_fused;
} clpac__stage_facts;

/* The facts of a stage; NULL if no stage has this number. */
const clpac__stage_facts *clpac__stage_get(unsigned stage);

/* The address of an argument's value: a uint32_t, a float or a pointer to a block. */
static inline const void *clpac__argument_value(const clpac__launch *launch, const clpac__argument *argument)
{
	return (const char *)&launch->arguments + argument->offset;
}

/* The block of a buffer argument. */
static inline struct clpac__block *clpac__argument_block(const clpac__launch *launch, const clpac__argument *argument)
{
	return *(struct clpac__block *const *)clpac__argument_value(launch, argument);
}

#endif
