/* What a result is called in files: names of its arrays, its pairs, words of its problem, its null distribution. */
#ifndef CLPAC_RECORDING_RESULT_WORDS_H
#define CLPAC_RECORDING_RESULT_WORDS_H

#include <stddef.h>

#include <clpac/result.h>

/* The number of the format of OUT.npz and OUT.json; doc/releases.md says what lets it count up.  Files of 0 have none:
 * they were written before there was one. */
enum { CLPAC__RESULT_FORMAT = 1 };

/* The names of a result's arrays in files, which tell the measures apart. */

enum { CLPAC__ARRAY_NAME_SIZE = 48 };

/* "glm", "z" for the arrays of the first measure, "gcmi", "gcmi_z" for those of further ones. */
void clpac__array_name_of(clpac_measure measure, bool is_first, clpac_array which, char name[CLPAC__ARRAY_NAME_SIZE]);

/* Results whose channels are pairs of channels. */

/* Whether all channels of a result are pairs. */
bool clpac__result_has_pairs(const clpac_result *result);

/* The pairs at the beginning of a result that have the phase of its first: as many as a row of a table of phases by
 * amplitudes has, where the pairs are one, else 0. */
size_t clpac__pairs_of_a_phase(const clpac_result *result);

/* Words of a result's problem text, "key=value key=value". */

/* The value of a key: where it begins, and its length; 0 if the key is not there.  NULL is a text without keys. */
size_t clpac__problem_word(const char *problem, const char *key, const char **value);

/* The null distribution of a result in a word. */

enum { CLPAC__NULL_TEXT_SIZE = 48 };

/* Writes what the problem of a result says of its null, as `clpac run --null` takes it: "shift", "shift=all",
 * "shift=all/8", "trials", "blocks=5", "phases".  "" for a result without surrogates or without a problem. */
void clpac__null_text(const clpac_result *result, char text[CLPAC__NULL_TEXT_SIZE]);

#endif
