/* NULL in place of each pointer that a function of libclpac-analysis takes. */

#include <clpac/analysis.h>

/* Pointers to nothing: those beside the NULL are not looked at. */
static struct {
	char bytes[64];
} f;
#define FAKE(type) ((type *)(void *)f.bytes)

#define NULL_ROWS "unit/null_analysis.def"
#include "null_rule.h"

START_TEST(null_is_refused_by_name)
{
	assert_null_rule(_i);
}
END_TEST

Suite *suite(void)
{
	Suite *made = suite_create("NULL in libclpac-analysis");
	TCase *rows = tcase_create("rows");
	tcase_add_loop_test(rows, null_is_refused_by_name, 0, NULL_ROW_COUNT);
	suite_add_tcase(made, rows);
	return made;
}
