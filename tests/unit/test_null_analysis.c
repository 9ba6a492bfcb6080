/* NULL in place of each pointer that a function of libclpac-analysis takes. */

#include <clpac/analysis.h>

/* Pointers to nothing: those beside the NULL are not looked at. */
static struct {
	char bytes[64];
} f;
#define FAKE(type) ((type *)(void *)f.bytes)

#define NULL_ROWS "unit/null_analysis.def"
#include "null_rule.h"

TEST_EACH(null_is_refused_by_name, NULL_ROW_COUNT)
{
	assert_null_rule(_i);
}
