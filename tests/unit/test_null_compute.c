/* NULL in place of each pointer that a function of libclpac takes. */
#include "config.h"

#include <clpac/cautions.h>
#include <clpac/compare.h>
#include <clpac/erpac.h>
#include <clpac/estimate.h>
#include <clpac/group.h>
#include <clpac/recording.h>
#include <clpac/signal.h>
#ifdef HAVE_OPENCL
#include <clpac/opencl.h>
#endif

/* Made are only those that a call without a NULL among them uses; the rest points to nothing. */
static struct {
	char bytes[64];
	size_t sizes[5];
	clpac_result *result;
	clpac_recording *recording;
	clpac_context *context;
	clpac_plan *plan;
} f = {.sizes = {1}};
static clpac_plan_bytes f_plan_bytes = {.budget_bytes = 1}; /* not empty, so that emptying shows */

static clpac_status hear_nothing(void *user, size_t channel, size_t first, size_t n, clpac_error *err)
{
	(void)user, (void)channel, (void)first, (void)n, (void)err;
	return CLPAC_OK;
}

#define NULL_ROWS "unit/null_compute.def"
#include "null_rule.h"

static void make_all(void)
{
	clpac_error err;
	const clpac_result_shape shape = {1, 1, 1, 1, 2, 0};
	assert_works(clpac_result_create(&shape, 1u << CLPAC_MI, &f.result, &err), err);
	assert_works(clpac_recording_create("made", &f.recording, &err), err);
	f.context = (clpac_context *)(void *)f.bytes;
	f.plan = (clpac_plan *)(void *)f.bytes;
}

static void destroy_all(void)
{
	clpac_result_destroy(f.result);
	clpac_recording_destroy(f.recording);
}

FIXTURE(make_all, destroy_all);

TEST_EACH(null_is_refused_by_name_or_does_nothing, NULL_ROW_COUNT)
{
	assert_null_rule(_i);
}
