/* Launching a stage. */
#include "plan/launch.h"

#include <string.h>

clpac_status clpac__launch_stage(const clpac_context *context, const clpac__launch *launch, size_t n_arguments,
				 clpac_error *err)
{
	const clpac__stage_facts *stage = &clpac__stages[launch->stage];
	if (n_arguments != strlen(stage->arguments))
		return clpac__fail(err, CLPAC_ERROR_INTERNAL, "stage %s takes %zu arguments and was given %zu",
				   stage->name, strlen(stage->arguments), n_arguments);
	return clpac__compute_launch(context->queue, launch, err);
}
