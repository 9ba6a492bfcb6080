/* Words of a result's problem text, "key=value key=value". */
#ifndef CLPAC_RECORDING_PROBLEM_WORD_H
#define CLPAC_RECORDING_PROBLEM_WORD_H

#include <stddef.h>

/* The value of a key: where it begins, and its length; 0 if the key is not there.  NULL is a text without keys. */
size_t clpac__problem_word(const char *problem, const char *key, const char **value);

#endif
