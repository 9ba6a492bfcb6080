/* NULL in place of each pointer that a function of libclpac-io takes. */

#include <clpac/devices.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/recording_store.h>
#include <clpac/write.h>

/* Pointers to nothing: those beside the NULL are not looked at. */
static struct {
	char bytes[64], text[65];
} f;
#define FAKE(type) ((type *)(void *)f.bytes)

static clpac_status f_load_function(void *user, clpac_store *store, const char *key, clpac_metadata *metadata,
				    clpac_buffer **out, clpac_error *err)
{
	(void)user, (void)store, (void)key, (void)metadata, (void)out, (void)err;
	return CLPAC_ERROR_INTERNAL;
}

#define NULL_ROWS "unit/null_io.def"
#include "null_rule.h"

#include <clpac/memory/store.h>

START_TEST(null_is_refused_by_name)
{
	assert_null_rule(_i);
}
END_TEST

Suite *suite(void)
{
	Suite *made = suite_create("NULL in libclpac-io");
	TCase *rows = tcase_create("rows");
	tcase_add_loop_test(rows, null_is_refused_by_name, 0, NULL_ROW_COUNT);
	suite_add_tcase(made, rows);
	return made;
}
