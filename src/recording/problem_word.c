/* Words of a problem text, found without reading the whole problem. */
#include "recording/problem_word.h"

#include <string.h>

size_t clpac__problem_word(const char *problem, const char *key, const char **value)
{
	const size_t length = strlen(key);
	for (const char *word = problem; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		if (strncmp(word, key, length) == 0 && word[length] == '=') {
			*value = word + length + 1;
			return strcspn(*value, " ");
		}
	}
	return 0;
}
