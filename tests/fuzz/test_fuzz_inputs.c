/* Every fuzzing target on the inputs in tests/data/fuzz, on those inputs cut short, and with numbers of theirs changed:
 * no fuzzer is needed, so that the targets are built and right everywhere. */
#include "runner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "files.h"
#include "fuzz/fuzz_input.h"

static const struct {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) {#name, FUZZ_TARGET(name)},
#include "fuzz/targets.def"
#undef TARGET
};

/* Inputs that are small are run often, and are read by people. */
enum { BIGGEST_INPUT = 8192, FEWEST_INPUTS = 2, N_CUTS = 16, N_CHANGES = 60 };

static void run_changed(size_t target, const bytes *input, unsigned long long seed)
{
	static uint8_t changed[2 * BIGGEST_INPUT];
	size_t size = input->n;
	if (size)
		memcpy(changed, input->data, size);
	for (unsigned n = 0; n <= seed % 3; n++)
		size = fuzz_change_number(changed, size, sizeof changed, seed + n);
	targets[target].run(changed, size);
}

/* The input lies in memory of its own size, so that a sanitizer notices what is read behind it. */
static void run_cut(size_t target, const bytes *input, size_t size)
{
	uint8_t *cut = malloc(size + !size);
	ck_assert_ptr_nonnull(cut);
	if (size)
		memcpy(cut, input->data, size);
	targets[target].run(cut, size);
	free(cut);
}

static void run_around(size_t target, const char *path)
{
	bytes input = files_content(path);
	ck_assert_msg(input.n <= BIGGEST_INPUT, "%s has %zu bytes, more than %d", path, input.n, BIGGEST_INPUT);
	/* A whole run of the program takes as long as a hundred readings. */
	const bool is_long = strcmp(targets[target].name, "program") == 0;
	const size_t n_cuts = is_long ? N_CUTS / 8 : N_CUTS, n_changes = is_long ? N_CHANGES / 12 : N_CHANGES;
	run_cut(target, &input, input.n);
	for (size_t i = 0; i < n_cuts; i++)
		run_cut(target, &input, input.n * i / n_cuts);
	for (unsigned i = 0; i < n_changes; i++)
		run_changed(target, &input, i);
	bytes_free(&input);
}

TEST_EACH(inputs_and_what_is_near_them_break_no_law, COUNT(targets))
{
	char folder[4096], path[4400];
	size_t n = 0;
	const char *data = getenv("CLPAC_TEST_DATA");
	ck_assert_ptr_nonnull(data);
	snprintf(folder, sizeof folder, "%s/fuzz/%s", data, targets[_i].name);
	DIR *list = opendir(folder);
	ck_assert_msg(list != NULL, "%s: the inputs of the target are missing", folder);
	for (struct dirent *entry; (entry = readdir(list));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%.250s", folder, entry->d_name);
		run_around((size_t)_i, path);
		n++;
	}
	closedir(list);
	ck_assert_msg(n >= FEWEST_INPUTS, "%s has %zu inputs", folder, n);
}

TEST(a_changed_number_stands_where_one_stood)
{
	uint8_t data[64];
	static const char before[] = "a=12;b=7   ;c";
	unsigned n_wider = 0;
	for (unsigned seed = 0; seed < 200; seed++) {
		memcpy(data, before, sizeof before - 1);
		const size_t size = fuzz_change_number(data, sizeof before - 1, sizeof data, seed);
		ck_assert_uint_le(size, sizeof data);
		ck_assert(memcmp(data, "a=", 2) == 0 && memcmp(data + size - 2, ";c", 2) == 0);
		n_wider += size > sizeof before - 1;
		/* A buffer without room is left as it is, or changed within. */
		memcpy(data, before, sizeof before - 1);
		ck_assert_uint_le(fuzz_change_number(data, sizeof before - 1, sizeof before - 1, seed),
				  sizeof before - 1);
	}
	ck_assert_uint_gt(n_wider, 10);
	/* Without a number, one is added at the end. */
	memcpy(data, "abc", 3);
	ck_assert_uint_gt(fuzz_change_number(data, 3, sizeof data, 1), 3);
	ck_assert_uint_gt(fuzz_change_number(data, 0, sizeof data, 1), 0);
}
