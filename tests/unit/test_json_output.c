/* JSON of the program: values, and lack of memory. */
#include "runner.h"

#include <math.h>
#include <string.h>

#include "assertions.h"
#include "analysis/json_tree.h"

static clpac_error err;

static void begin(clpac__json_tree *json)
{
	*json = (clpac__json_tree){.root = json_object()};
	clpac__json_tree_number(json, json->root, "whole", 3);
	clpac__json_tree_number(json, json->root, "part", 0.5);
	clpac__json_tree_number(json, json->root, "nan", NAN);
	clpac__json_tree_text(json, json->root, "utf8", "\xc2\xb5V");
	clpac__json_tree_text(json, json->root, "latin1", "\xb5V");
	clpac__json_tree_text(json, json->root, "none", NULL);
}

TEST(values_are_written_as_promised)
{
	clpac__json_tree json;
	char *text = NULL;
	begin(&json);
	OK(clpac__json_tree_text_of(&json, &text, &err));
	ck_assert_str_eq(text, "{\n  \"whole\": 3,\n  \"part\": 0.5,\n  \"nan\": null,\n  \"utf8\": \"\xc2\xb5V\",\n"
			       "  \"latin1\": \"\xc2\xb5V\",\n  \"none\": null\n}");
	clpac__free(text);
	json_decref(json.root);
}

TEST(lack_of_memory_is_told_with_its_place)
{
	static const char said[] = "printing JSON: the host has no memory left";
	clpac__json_tree json;
	char *text = NULL;
	begin(&json);
	unsigned long failing = 1;
	for (bool is_over = false; !is_over; failing++) {
		clpac__fail_allocation(failing, false);
		const clpac_status st = clpac__json_tree_text_of(&json, &text, &err);
		is_over = clpac__count_allocations() < failing;
		clpac__fail_allocation(0, false);
		if (is_over)
			OK(st);
		else
			assert_refused(st, err, CLPAC_ERROR_NO_MEMORY, said);
	}
	ck_assert_uint_gt(failing, 2);
	clpac__free(text);
	/* What failed earlier is remembered. */
	json.has_failed = true;
	assert_refused(clpac__json_tree_text_of(&json, &text, &err), err, CLPAC_ERROR_NO_MEMORY, said);
	json_decref(json.root);
	json = (clpac__json_tree){0};
	assert_refused(clpac__json_tree_text_of(&json, &text, &err), err, CLPAC_ERROR_NO_MEMORY, said);
}
