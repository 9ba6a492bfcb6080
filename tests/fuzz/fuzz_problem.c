/* Fuzzer's target: the text of a problem.  What can be read is written, and its text gives the same text again. */
#include <stdlib.h>
#include <string.h>

#include <clpac/problem.h>

#include "fuzz/fuzz_input.h"

static clpac_problem_copy *read_problem(const char *text)
{
	clpac_problem_copy *copy = NULL;
	clpac_error err = {0};
	const clpac_status st = clpac_problem_read(text, &copy, &err);
	fuzz_outcome(st, &err, copy != NULL);
	return copy;
}

static char *write_problem(const clpac_problem *problem)
{
	char *text = NULL;
	clpac_error err = {0};
	const clpac_status st = clpac_problem_write(problem, &text, &err);
	fuzz_outcome(st, &err, text != NULL);
	return text;
}

int FUZZ_TARGET(problem)(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	clpac_problem_copy *copy = read_problem(text), *again = NULL;
	char *first = copy ? write_problem(clpac_problem_get(copy)) : NULL, *second = NULL;
	if (first) {
		again = read_problem(first);
		FUZZ_LAW(again != NULL);
		second = write_problem(clpac_problem_get(again));
		FUZZ_LAW(second && strcmp(first, second) == 0);
	}
	clpac_text_free(first);
	clpac_text_free(second);
	clpac_problem_destroy(copy);
	clpac_problem_destroy(again);
	free(text);
	return 0;
}
