#include "coupling/passes/pairs.h"

#include <stdio.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>

#include "base/memory.h"
#include "coupling/passes/filter_banks.h"
#include "coupling/passes/load.h"
#include "coupling/problem/problem.h"
#include "coupling/passes/slabs.h"

/* Buffers that are kept of a channel's segment. */
typedef enum kind { BINS = 0, VECTORS, BANDS, AMPLITUDES, KIND_COUNT } kind;

static const char *const kind_names[] = {
	[BINS] = "phase/bins", [VECTORS] = "phase/vectors", [BANDS] = "phase/bands", [AMPLITUDES] = "amplitude"};
static const char *const kind_types[] = {
	[BINS] = "uint8", [VECTORS] = "complex64", [BANDS] = "complex64", [AMPLITUDES] = "float32"};
_Static_assert(sizeof kind_names / sizeof *kind_names == KIND_COUNT, "one name per kind");

/* Set of kinds, as bits 1 << kind. */
typedef unsigned kinds;

static kinds kinds_of(const clpac__layout *l, clpac_band_use use)
{
	return use == CLPAC_AMPLITUDE
		       ? 1u << AMPLITUDES
		       : 1u << BINS | (l->has_linear ? 1u << VECTORS : 0) | (l->has_slow ? 1u << BANDS : 0);
}

static size_t bytes_of(const clpac__layout *l, kind kind)
{
	return kind == BINS	    ? l->n_phase * l->bin_stride
	       : kind == AMPLITUDES ? l->kept * l->padded * sizeof(float)
				    : l->n_phase * l->kept * 2 * sizeof(float);
}

/* Where what is kept of phases lies in a batch. */
static enum clpac__tensor tensor_of(kind kind)
{
	return kind == BINS ? CLPAC__TENSOR_BINS : kind == VECTORS ? CLPAC__TENSOR_VECTORS : CLPAC__TENSOR_SLOW;
}

/* --- Keys --------------------------------------------------------------------------------------- */

struct key {
	char text[96];
};

/* The name of what is kept of a series of the recording, as "channel/3/segment/0/phase/bins". */
static struct key key_of(const clpac_plan *plan, size_t series, kind kind)
{
	struct key key;
	const size_t n_segments = plan->problem->n_segments;
	snprintf(key.text, sizeof key.text, "channel/%zu/segment/%zu/%s", series / n_segments, series % n_segments,
		 kind_names[kind]);
	return key;
}

/* The series of the recording whose phases, or amplitudes, a series of the run takes. */
static size_t source_of(const clpac_plan *plan, size_t series, clpac_band_use use)
{
	const size_t n_segments = plan->problem->n_segments;
	const clpac_pair pair = clpac__problem_pair(plan->problem, series / n_segments);
	return (use == CLPAC_PHASE ? pair.phase : pair.amplitude) * n_segments + series % n_segments;
}

/* --- The store ---------------------------------------------------------------------------------- */

static void close_channels(clpac__channels *channels)
{
	if (!channels)
		return;
	clpac_store_destroy(channels->store);
	FREE_ALL(channels->exponents, channels->troubles, channels);
}

/* Opens the store of a run.  A plan that has moved to another device filters its channels anew there. */
static clpac_status open_channels(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = plan->problem->n_channels * plan->problem->n_segments;
	clpac__channels *made = NULL;
	if (batch->channels && batch->channels->context == plan->context)
		goto done;
	close_channels(batch->channels);
	batch->channels = NULL;
	TRY(NEW(made));
	made->context = plan->context;
	TRY(NEW_ARRAY(made->exponents, n));
	TRY(NEW_ARRAY(made->troubles, n));
	TRY(clpac_store_create(plan->context->pool, &(clpac_store_options){.host_bytes = UINT64_MAX}, &made->store,
			       err));
	batch->channels = made, made = NULL;
done:
	close_channels(made);
	return st;
}

void clpac__pairs_end(clpac__batch *batch, clpac_report *report)
{
	clpac_store_statistics statistics;
	if (batch->channels && report) {
		clpac_store_measure(batch->channels->store, &statistics, sizeof statistics);
		report->peak_bytes += statistics.peak_device_bytes;
		report->channel_bytes += statistics.device_bytes + statistics.host_bytes;
		report->n_channel_moves += statistics.spills_to_host;
		report->n_channel_returns += statistics.restores;
	}
	close_channels(batch->channels);
	batch->channels = NULL;
}

/* --- Filtering ---------------------------------------------------------------------------------- */

/* Some of slot i's rows of amplitudes and the same rows of a kept channel, whose samples follow each other without
 * a second copy. */
typedef struct rows {
	size_t slot, row;   /* in the plan's buffer */
	size_t from, count; /* samples of the channel */
} rows;

static clpac_status copy_rows(const clpac_plan *plan, clpac__batch *batch, const rows *at, clpac_buffer *kept,
			      bool to_slot, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *slots = batch->tensors[CLPAC__TENSOR_AMPLITUDE];
	/* Panels are copied apart. */
	const size_t vector = l->vector_width * sizeof(float), row = vector * l->row_stride;
	for (size_t panel = 0; panel < l->groups / l->row_stride; panel++) {
		const size_t in_slots = at->slot * l->rows * l->groups * vector + (panel * l->rows + at->row) * row;
		const size_t in_kept = (panel * l->kept + at->from) * row;
		RETURN_IF_ERROR(to_slot ? clpac_buffer_copy(kept, in_kept, slots, in_slots, at->count * row, err)
					: clpac_buffer_copy(slots, in_slots, kept, in_kept, at->count * row, err));
	}
	return CLPAC_OK;
}

/* Makes a buffer for what is kept of a series. */
static clpac_status reserve(const clpac_plan *plan, kind kind, clpac_buffer **out, clpac_error *err)
{
	return clpac_pool_allocate(plan->context->pool, bytes_of(&plan->layout, kind),
				   kind == AMPLITUDES ? "amplitudes of a channel" : "phases of a channel", out, err);
}

/* Hands a buffer over to the store.  Releases it where that fails. */
static clpac_status keep(const clpac_plan *plan, clpac__batch *batch, size_t series, kind kind, clpac_buffer **buffer,
			 clpac_error *err)
{
	const struct key key = key_of(plan, series, kind);
	const clpac__layout *l = &plan->layout;
	clpac_metadata metadata = {.shape = {kind == AMPLITUDES ? l->n_amplitude : l->n_phase, l->kept}};
	snprintf(metadata.type, sizeof metadata.type, "%s", kind_types[kind]);
	const clpac_status st =
		clpac_store_put(batch->channels->store, key.text, *buffer, &metadata, CLPAC_PUT_REPLACE, err);
	if (st != CLPAC_OK)
		clpac_buffer_release(*buffer);
	*buffer = NULL;
	return st;
}

/* Series of the recording that lack the same kinds, and are filtered at once. */
typedef struct lacking {
	const size_t *series;
	size_t n;
	kinds kinds;
} lacking;

static clpac_status keep_phases(const clpac_plan *plan, clpac__batch *batch, const lacking *of, kind kind,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *made = NULL, *from = batch->tensors[tensor_of(kind)];
	const size_t bytes = bytes_of(&plan->layout, kind);
	for (size_t i = 0; i < of->n; i++) {
		TRY(reserve(plan, kind, &made, err));
		TRY(clpac_buffer_copy(from, i * bytes, made, 0, bytes, err));
		TRY(keep(plan, batch, of->series[i], kind, &made, err));
	}
done:
	clpac_buffer_release(made);
	return st;
}

/* One after the other, so that no more than one is in no store yet.  Amplitudes of long series, which are filtered one
 * at a time, pass through the buffer piece by piece. */
static clpac_status keep_amplitudes(const clpac_plan *plan, clpac__batch *batch, const lacking *of, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	clpac_buffer *made = NULL;
	if (!l->is_streamed)
		TRY(clpac__banks_amplitudes(plan, batch, of->n, 0, l->is_trimmed ? l->n_samples : l->kept, 0, err));
	for (size_t i = 0; i < of->n; i++) {
		TRY(reserve(plan, AMPLITUDES, &made, err));
		for (size_t from = 0, count; from < l->kept; from += count) {
			count = clpac__slabs_piece(l, from);
			if (l->is_streamed)
				TRY(clpac__banks_amplitudes(plan, batch, 1, from, count, 0, err));
			TRY(copy_rows(plan, batch, &(rows){i, 0, from, count}, made, false, err));
		}
		TRY(keep(plan, batch, of->series[i], AMPLITUDES, &made, err));
	}
done:
	clpac_buffer_release(made);
	return st;
}

/* Series that are staged beside each other. */
typedef struct staging {
	const clpac_plan *plan;
	clpac__batch *batch;
	const clpac_samples *samples;
	const lacking *of;
	float *out;
	clpac__failure failure;
} staging;

static void stage(void *context, size_t i)
{
	staging *job = context;
	clpac__channels *channels = job->batch->channels;
	const size_t series = job->of->series[i];
	clpac__staged staged;
	clpac_error why = {0};
	clpac__failure_take(&job->failure,
			    clpac__stage(job->plan, job->batch, job->samples, series,
					 job->out + i * job->plan->layout.n_samples, &staged, &why),
			    &why);
	channels->exponents[series] = staged.exponent;
	channels->troubles[series] = (uint8_t)staged.trouble;
}

static clpac_status filter(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, const lacking *of,
			   clpac_error *err)
{
	float *out;
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_LOAD, err));
	RETURN_IF_ERROR(clpac__samples_room(plan, batch, &out, err));
	staging job = {plan, batch, run->samples, of, out, {.has_failed = ATOMIC_FLAG_INIT}};
	clpac__compute_share(plan->context->queue, of->n, stage, &job);
	RETURN_IF_ERROR(clpac__failure_tell(&job.failure, err));
	RETURN_IF_ERROR(clpac__samples_write(plan, batch, of->n, err));
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_PHASES, err));
	if (of->kinds & kinds_of(&plan->layout, CLPAC_PHASE)) {
		RETURN_IF_ERROR(clpac__banks_bins(plan, batch, of->n, err));
		run->report->n_phase_filterings += of->n;
		for (kind kind = BINS; kind < AMPLITUDES; kind++)
			if (of->kinds & 1u << kind)
				RETURN_IF_ERROR(keep_phases(plan, batch, of, kind, err));
	}
	RETURN_IF_ERROR(clpac__pass_begins(plan, batch, CLPAC__TIME_AMPLITUDES, err));
	if (of->kinds & kinds_of(&plan->layout, CLPAC_AMPLITUDE)) {
		run->report->n_amplitude_filterings += of->n;
		RETURN_IF_ERROR(keep_amplitudes(plan, batch, of, err));
	}
	return CLPAC_OK;
}

/* Filters the channels of a batch that the store lacks, as many at once as the plan's buffers hold. */
static clpac_status filter_lacking(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac_problem *p = plan->problem;
	const size_t n_sources = p->n_channels * p->n_segments, at_once = l->is_streamed ? 1 : l->batch;
	kinds *wanted = clpac__alloc_array(n_sources, sizeof *wanted);
	size_t *series = clpac__alloc_array(l->batch, sizeof *series);
	if (!wanted || !series)
		FAIL_NO_MEMORY(n_sources * sizeof *wanted + l->batch * sizeof *series);
	for (size_t i = 0; i < n; i++)
		for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++)
			wanted[source_of(plan, first + i, use)] |= kinds_of(l, use);
	for (size_t at = 0; at < n_sources; at++)
		for (kind kind = BINS; kind < KIND_COUNT; kind++)
			if (wanted[at] & 1u << kind &&
			    clpac_store_exists(batch->channels->store, key_of(plan, at, kind).text))
				wanted[at] &= ~(1u << kind);
	for (size_t at = 0; at < n_sources; at++) {
		lacking of = {.series = series, .kinds = wanted[at]};
		for (size_t next = at; next < n_sources && of.kinds && of.n < at_once; next++)
			if (wanted[next] == of.kinds) {
				series[of.n++] = next;
				wanted[next] = 0;
			}
		if (of.n)
			TRY(filter(plan, batch, run, &of, err));
	}
done:
	FREE_ALL(wanted, series);
	return st;
}

/* --- Coupling ----------------------------------------------------------------------------------- */

static clpac_status take_phases(const clpac_plan *plan, clpac__batch *batch, size_t slot, size_t series, kind kind,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct key key = key_of(plan, series, kind);
	const size_t bytes = bytes_of(&plan->layout, kind);
	clpac_buffer *to = batch->tensors[tensor_of(kind)];
	clpac_entry *entry = NULL;
	TRY(clpac_store_acquire(batch->channels->store, key.text, &entry, err));
	TRY(clpac_buffer_copy(clpac_entry_buffer(entry), 0, to, slot * bytes, bytes, err));
done:
	clpac_entry_release(entry);
	return st;
}

clpac_status clpac__pairs_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t from, size_t count,
				     size_t first_row, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_entry *entry = NULL;
	const size_t end = plan->layout.kept;
	for (size_t i = 0; i < n; i++) {
		const struct key key =
			key_of(plan, source_of(plan, batch->channels->first + i, CLPAC_AMPLITUDE), AMPLITUDES);
		TRY(clpac_store_acquire(batch->channels->store, key.text, &entry, err));
		TRY(copy_rows(plan, batch, &(rows){i, first_row, from, end - from < count ? end - from : count},
			      clpac_entry_buffer(entry), true, err));
		clpac_entry_release(entry);
		entry = NULL;
	}
done:
	clpac_entry_release(entry);
	return st;
}

/* The trouble of a pair: that of the phase's channel, or of the amplitude's; NaN counts for more than constancy. */
static uint8_t worse(uint8_t a, uint8_t b)
{
	return a == CLPAC__NOT_FINITE || !b ? a : b;
}

clpac_status clpac__pairs_load(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
			       clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	RETURN_IF_ERROR(open_channels(plan, batch, err));
	clpac__channels *channels = batch->channels;
	channels->is_coupling = false;
	RETURN_IF_ERROR(filter_lacking(plan, batch, run, first, n, err));
	RETURN_IF_ERROR(clpac__profile_stage(plan, run, "filter and Hilbert", err));
	channels->first = first;
	channels->is_coupling = true;
	for (size_t i = 0; i < n; i++) {
		const size_t phase = source_of(plan, first + i, CLPAC_PHASE);
		const size_t amplitude = source_of(plan, first + i, CLPAC_AMPLITUDE);
		batch->exponents[i] = channels->exponents[amplitude];
		batch->troubles[first + i] = worse(channels->troubles[phase], channels->troubles[amplitude]);
		for (kind kind = BINS; kind < AMPLITUDES; kind++)
			if (kinds_of(l, CLPAC_PHASE) & 1u << kind)
				RETURN_IF_ERROR(take_phases(plan, batch, i, phase, kind, err));
	}
	if (!l->is_streamed)
		RETURN_IF_ERROR(clpac__pairs_amplitudes(plan, batch, n, 0, l->kept, 0, err));
	return CLPAC_OK;
}

/* --- Memory ------------------------------------------------------------------------------------- */

clpac__channels_bytes clpac__pairs_bytes(const clpac_problem *problem, const clpac__layout *layout,
					 const clpac_context *context)
{
	clpac__channels_bytes bytes = {0};
	uint64_t classes[KIND_COUNT];
	const kinds phase = kinds_of(layout, CLPAC_PHASE);
	for (kind kind = BINS; kind < KIND_COUNT; kind++) {
		const bool is_kept = kind == AMPLITUDES || phase & 1u << kind;
		classes[kind] = is_kept ? clpac_pool_class(context->pool, bytes_of(layout, kind)) : 0;
		bytes.largest = classes[kind] > bytes.largest ? classes[kind] : bytes.largest;
	}
	for (size_t ch = 0; ch < problem->n_channels; ch++) {
		bool has_phase = false, has_amplitude = false;
		for (size_t i = 0; i < problem->n_pairs && !(has_phase && has_amplitude); i++) {
			has_phase |= problem->pairs[i].phase == ch;
			has_amplitude |= problem->pairs[i].amplitude == ch;
		}
		bytes.all +=
			problem->n_segments * ((has_phase ? classes[BINS] + classes[VECTORS] + classes[BANDS] : 0) +
					       (has_amplitude ? classes[AMPLITUDES] : 0));
	}
	return bytes;
}

uint64_t clpac__pairs_budget(const clpac_plan *plan, uint64_t budget)
{
	const clpac__channels_bytes bytes = clpac__pairs_bytes(plan->problem, &plan->layout, plan->context);
	uint64_t kept = bytes.all < budget / 2 ? bytes.all : budget / 2;
	kept = kept > bytes.largest ? kept : bytes.largest;
	return budget > kept ? budget - kept : 0;
}
