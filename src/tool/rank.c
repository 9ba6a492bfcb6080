#include "tool/rank.h"

#include <stdio.h>
#include <string.h>
#include "base/environment.h"
#include "base/number.h"

/* Two variables that number processes from 0 on, and count them; the first pair that is set counts. */
typedef struct launcher {
	const char *rank, *size;
} launcher;

static const launcher launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* mpirun of Open MPI, also inside Slurm */
	{"PMI_RANK", "PMI_SIZE"},			  /* that of MPICH and Intel MPI */
	{"SLURM_PROCID", "SLURM_NTASKS"},		  /* srun */
};

static clpac_status read_count(const char *name, uint64_t *out, clpac_error *err)
{
	const char *text = clpac__environment(name);
	if (text && clpac__parse_count(text, out, NULL) && *out <= UINT32_MAX)
		return CLPAC_OK;
	RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--shard auto: %s is %.60s: it should be a number; give I/N", name,
		     text ? text : "not set");
}

/* The place of this process among those of a step. */
static clpac_status read_rank(uint64_t *rank, uint64_t *size, bool *is_found, clpac_error *err)
{
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers && !*is_found; i++) {
		if (!clpac__environment(launchers[i].rank) || !clpac__environment(launchers[i].size))
			continue;
		RETURN_IF_ERROR(read_count(launchers[i].rank, rank, err));
		RETURN_IF_ERROR(read_count(launchers[i].size, size, err));
		*is_found = true;
	}
	return CLPAC_OK;
}

/* The place of the element among those of an array, whose numbers must follow each other. */
static clpac_status read_element(uint64_t *element, uint64_t *count, bool *is_found, clpac_error *err)
{
	uint64_t first, last;
	if (!clpac__environment("SLURM_ARRAY_TASK_ID"))
		return CLPAC_OK;
	RETURN_IF_ERROR(read_count("SLURM_ARRAY_TASK_ID", element, err));
	RETURN_IF_ERROR(read_count("SLURM_ARRAY_TASK_COUNT", count, err));
	RETURN_IF_ERROR(read_count("SLURM_ARRAY_TASK_MIN", &first, err));
	RETURN_IF_ERROR(read_count("SLURM_ARRAY_TASK_MAX", &last, err));
	if (last - first + 1 != *count || *element < first)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--shard auto: the array has %llu elements between %llu and %llu: number them without a "
			     "gap, or give I/N",
			     (unsigned long long)*count, (unsigned long long)first, (unsigned long long)last);
	*element -= first;
	*is_found = true;
	return CLPAC_OK;
}

clpac_status tool_rank_take(tool_call *call, clpac_error *err)
{
	uint64_t rank = 0, size = 1, element = 0, count = 1;
	bool is_found = false, is_array = false;
	if (!call->values.analysis.shard || strcmp(call->values.analysis.shard, "auto") != 0)
		return CLPAC_OK;
	RETURN_IF_ERROR(read_rank(&rank, &size, &is_found, err));
	RETURN_IF_ERROR(read_element(&element, &count, &is_array, err));
	if (!is_found && !is_array)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--shard auto: neither Slurm nor mpirun has told this process its number "
			     "(SLURM_ARRAY_TASK_ID, SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMI_RANK); give I/N");
	if (rank >= size || element >= count)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--shard auto: process %llu of %llu, element %llu of %llu: give I/N",
			     (unsigned long long)rank, (unsigned long long)size, (unsigned long long)element,
			     (unsigned long long)count);
	snprintf(call->shard, sizeof call->shard, "%llu/%llu", (unsigned long long)(element * size + rank + 1),
		 (unsigned long long)(count * size));
	call->values.analysis.shard = call->shard;
	return CLPAC_OK;
}
