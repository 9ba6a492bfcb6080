/* Options: rows of tables from which the command line, --help, files of options and the text of an analysis are read,
 * so that they cannot contradict each other. */
#ifndef CLPAC_ANALYSIS_OPTIONS_OPTIONS_H
#define CLPAC_ANALYSIS_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

/* The type of an option's value. */
typedef enum clpac__option_kind {
	CLPAC__OPTION_FLAG = 0, /* bool; no argument */
	CLPAC__OPTION_TEXT,	/* const char * */
	CLPAC__OPTION_NUMBER,	/* double, finite */
	CLPAC__OPTION_COUNT,	/* uint64_t */
	CLPAC__OPTION_CHOICE,	/* unsigned: index of the word in `argument`, whose words are separated by | */
	CLPAC__OPTION_KIND_COUNT
} clpac__option_kind;

typedef struct clpac__option {
	const char *name; /* without the two hyphens of the command line */
	char letter;	  /* short form there, 0 for none */
	clpac__option_kind kind;
	const char *argument; /* as shown in --help: "HZ", "mean|sum"; NULL for a flag */
	const char *standard; /* the default in words; NULL: none is shown */
	size_t offset;	      /* of the value in the struct of values */
	const char *once;     /* an error text for the second time the option is given; NULL: the last one wins */
	const char *meaning;  /* one line */
} clpac__option;

/* Options that belong together, under a heading of --help. */
typedef struct clpac__option_group {
	const char *title;
	const clpac__option *options;
	size_t n_options;
	bool is_not_for_files; /* its options are no keys of --config */
} clpac__option_group;

/* Sets the value of an option.
 * @param text of the value, which a text option keeps as a pointer; not read for a flag.
 * @param[in,out] values the struct that the option's offset is in.
 * Errors: CLPAC_ERROR_ARGUMENT with the option, the text, and what is allowed. */
clpac_status clpac__option_set(const clpac__option *option, const char *text, void *values, clpac_error *err);

/* The option of a name, and its group if that is not NULL; NULL where the groups, which end with NULL, have none. */
const clpac__option *clpac__option_find(const clpac__option_group *const *groups, const char *name,
					const clpac__option_group **group);

/* The name of an option that a mistyped one is near to; NULL if none is near. */
const char *clpac__option_nearest(const clpac__option_group *const *groups, const char *name);

#endif
