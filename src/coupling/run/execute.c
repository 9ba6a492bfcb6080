/* The method, applied to one batch of series:
 *
 *     load -> sections -> forward FFT -> select bands -> inverse FFT -+-> phase bins -> edge lists ----+
 *                                                                     +-> amplitudes -> prefix sums ---+-> index
 *     index -> surrogates -> store
 */
#include "coupling/run/execute.h"

#include "coupling/passes/edges.h"
#include "coupling/passes/fetch.h"
#include "coupling/passes/filter_banks.h"
#include "coupling/passes/indices.h"
#include "coupling/passes/load.h"
#include "coupling/passes/pairs.h"
#include "coupling/passes/profile.h"
#include "coupling/passes/variants.h"
#include "coupling/passes/slabs.h"
#include "coupling/run/ahead.h"
#include "coupling/run/measures.h"
#include "memory/pool/pool.h"

/* The phase bins and the amplitudes of samples. */
static clpac_status filter(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_PHASES, err));
	RETURN_IF_ERROR(clpac__banks_bins(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_AMPLITUDES, err));
	return clpac__banks_all_amplitudes(plan, batch, n, err);
}

static clpac_status find_edges(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_EDGES, err));
	return clpac__edges_find(plan, batch, n, err);
}

static clpac_status add_up(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_SUMS, err));
	return clpac__slabs_prefix(plan, batch, n, err);
}

clpac_status clpac__execute_sums(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(filter(plan, batch, n, err));
	RETURN_IF_ERROR(find_edges(plan, batch, n, err));
	return add_up(plan, batch, n, err);
}

clpac_status clpac__execute_filters(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err)
{
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_LOAD, err));
	RETURN_IF_ERROR(clpac__load_batch(plan, batch, samples, 0, n, err));
	return filter(plan, batch, n, err);
}

clpac_status clpac__execute_signals(const clpac_plan *plan, clpac__batch *batch, const clpac_samples *samples, size_t n,
				    clpac_error *err)
{
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_LOAD, err));
	RETURN_IF_ERROR(clpac__load_batch(plan, batch, samples, 0, n, err));
	RETURN_IF_ERROR(clpac__variants_begin(plan, batch, samples, 0, n, err));
	RETURN_IF_ERROR(clpac__execute_sums(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_INDICES, err));
	RETURN_IF_ERROR(clpac__indices_observed(plan, batch, plan->problem->measures[0], n, CLPAC__BY_EDGES, err));
	return plan->context->queue->operations->finish(plan->context->queue, err);
}

/* Makes bins and amplitudes: by filtering samples, or from those of channels in pairs, or from the caller's phases and
 * amplitudes. */
static clpac_status bins_and_amplitudes(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first,
					size_t n, clpac_error *err)
{
	if (plan->problem->pairs) {
		RETURN_IF_ERROR(clpac__pairs_load(plan, batch, run, first, n, err));
		RETURN_IF_ERROR(clpac__load_shifts(plan, batch, first, n, err));
		RETURN_IF_ERROR(clpac__variants_begin(plan, batch, run->samples, first, n, err));
		return clpac__profile_stage(plan, run, "channels of pairs", err);
	}
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_LOAD, err));
	if (run->arrays) {
		RETURN_IF_ERROR(clpac__load_arrays(plan, batch, run->arrays, first, n, err));
		RETURN_IF_ERROR(clpac__variants_begin(plan, batch, NULL, first, n, err));
		RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_AMPLITUDES, err));
		RETURN_IF_ERROR(clpac__banks_all_amplitudes(plan, batch, n, err));
		return clpac__profile_stage(plan, run, "load", err);
	}
	RETURN_IF_ERROR(clpac__load_batch(plan, batch, run->samples, first, n, err));
	RETURN_IF_ERROR(clpac__variants_begin(plan, batch, run->samples, first, n, err));
	RETURN_IF_ERROR(clpac__profile_stage(plan, run, "load", err));
	RETURN_IF_ERROR(filter(plan, batch, n, err));
	run->report->n_phase_filterings += n;
	run->report->n_amplitude_filterings += n;
	/* The device begins while the rest is put into its queue. */
	RETURN_IF_ERROR(plan->context->queue->operations->send(plan->context->queue, err));
	return clpac__profile_stage(plan, run, "filter and Hilbert", err);
}

/* From bins and amplitudes to edge lists and prefix sums. */
static clpac_status edges_and_sums(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t n,
				   clpac_error *err)
{
	RETURN_IF_ERROR(find_edges(plan, batch, n, err));
	RETURN_IF_ERROR(clpac__profile_stage(plan, run, "phase edges", err));
	RETURN_IF_ERROR(add_up(plan, batch, n, err));
	return clpac__profile_stage(plan, run, "amplitude sums", err);
}

clpac_status clpac__execute_beginning(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first,
				      size_t n, clpac_error *err)
{
	RETURN_IF_ERROR(bins_and_amplitudes(plan, batch, run, first, n, err));
	return edges_and_sums(plan, batch, run, n, err);
}

clpac_status clpac__execute_batch(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool overflows, is_begun;
	st = clpac__ahead_take(plan, batch, run, first, n, &is_begun, err);
	if (!is_begun)
		clpac__buffers_hold(batch->tensors, CLPAC__TENSOR_COUNT);
	TRY(st);
	if (!is_begun)
		TRY(clpac__profile_begin(plan, run, err));
	if (batch->consumer) {
		TRY(bins_and_amplitudes(plan, batch, run, first, n, err));
		TRY(batch->consumer->take(batch->consumer->user, plan, batch, first, n, err));
		clpac__profile_end(plan, run, "store");
		TRY(run->advance(run, n, err));
		goto done;
	}
	if (!is_begun)
		TRY(clpac__execute_beginning(plan, batch, run, first, n, err));
	TRY(clpac__store_counts(plan, batch, run, first, n, &overflows, err));
	if (clpac__ahead_may(plan, batch, run)) /* later, it would wait for the next batch */
		clpac__profile_settle(plan, run);
	const clpac__summing summing = overflows ? CLPAC__AS_FITS : CLPAC__BY_EDGES;
	TRY(clpac__pass_begins(plan, batch, CLPAC__TIME_INDICES, err));
	TRY(clpac__measures_batch(plan, batch, run, first, n, summing, err));
	clpac__store_distributions(plan, batch, run, first, n);
	/* The next batch goes on with this one's profile, and with its hold of the tensors. */
	if (clpac__ahead_is_begun(batch))
		return CLPAC_OK;
	clpac__profile_end(plan, run, "store");
done:
	/* The plan's memory of the host is still read and written by what was put into the queue. */
	if (st != CLPAC_OK)
		plan->context->queue->operations->finish(plan->context->queue, NULL);
	batch->ahead.n = 0;
	clpac__profile_drop(plan, run);
	clpac__buffers_let_go(batch->tensors, CLPAC__TENSOR_COUNT);
	return st;
}
