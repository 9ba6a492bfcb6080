/* A plan's decisions as text for people. */

#include "base/text.h"
#include "coupling/passes/pairs.h"
#include "coupling/run/place.h"

static double mebibytes(uint64_t bytes)
{
	return (double)bytes / 1048576;
}

clpac_status clpac_plan_explain(const clpac_plan *plan, char **text, clpac_error *err)
{
	NEED(plan, text);
	plan = clpac__plan_now(plan);
	const clpac_report *report = &plan->report;
	const clpac__layout *layout = &plan->layout;
	clpac__text lines = {0};
	clpac__text_add(&lines, "problem    %s\n", plan->problem_text);
	clpac__text_add(&lines, "device     %s (%s%s%s), %u thread%s, vectors of %u\n", report->device, report->backend,
			report->instruction_set[0] ? ", " : "", report->instruction_set, report->n_threads,
			report->n_threads == 1 ? "" : "s", report->vector_width);
	for (int use = 0; use < 2; use++) {
		const clpac__bank *bank = &layout->banks[use];
		clpac__text_add(
			&lines, "%-10s %s, length %zu: %s in %zu section%s of %zu samples and %zu at each end%s\n",
			use == 0 ? "FFT" : "", report->fft_engine, bank->length,
			use == CLPAC_PHASE ? "phase" : "amplitude", bank->n_sections, bank->n_sections == 1 ? "" : "s",
			bank->step, bank->pad, layout->is_trimmed ? ", then the Hilbert transform of the samples" : "");
	}
	if (!layout->has_arrays && layout->banks[CLPAC_PHASE].gap > 1)
		clpac__text_add(
			&lines,
			"           phase at every %zuth sample; the bins between are proved, or interpolated and "
			"settled\n",
			layout->banks[CLPAC_PHASE].gap);
	const clpac_problem *p = plan->problem;
	clpac__text_add(&lines, "samples    %zu of %zu are kept, %zu dropped at each end", layout->kept,
			p ? p->n_samples : layout->n_samples, layout->edge);
	if (p && p->stretches)
		clpac__text_add(&lines, " of %zu stretch%s", p->n_stretches, p->n_stretches == 1 ? "" : "es");
	if (p && p->windows)
		clpac__text_add(&lines, ", in %zu window%s", p->n_windows, p->n_windows == 1 ? "" : "s");
	clpac__text_add(&lines, "\n");
	if (p && p->pairs)
		clpac__text_add(
			&lines,
			"pairs      %zu, of %zu channels that are filtered once; their phases and amplitudes take "
			"%.1f MiB, of which the device holds as much as has room\n",
			p->n_pairs, p->n_channels, mebibytes(clpac__pairs_bytes(p, layout, plan->context).all));
	clpac__text_add(&lines, "strategy   %s: %zu of %zu series at a time, %zu bands, %zu surrogates\n",
			report->strategy, layout->batch, layout->n_series, layout->group_bands,
			report->chunk_surrogates);
	for (size_t i = 0; i < report->n_steps && i < CLPAC_MAX_STEPS; i++)
		clpac__text_add(&lines, "           not %s on %s: %s\n", report->steps[i].strategy,
				report->steps[i].backend, report->steps[i].reason);
	clpac__text_add(&lines, "memory     %.1f MiB in size classes, %.1f MiB asked for, of %.1f MiB allowed\n",
			mebibytes(report->taken_bytes), mebibytes(report->estimate_bytes),
			mebibytes(report->budget_bytes));
	for (int tensor = 0; tensor < CLPAC__TENSOR_FURTHER; tensor++) {
		const int room = layout->rooms[tensor];
		if (layout->bytes[tensor])
			clpac__text_add(&lines, "           %10.3f MiB  %s%s%s\n",
					mebibytes(clpac__layout_kind(layout, tensor)), clpac__tensor_text(tensor),
					room == tensor ? "" : ", in the place of: ",
					room == tensor ? "" : clpac__tensor_text(room));
	}
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		if (report->warnings[kind].count)
			clpac__text_add(&lines, "warning    %s%s\n", report->warnings[kind].text,
					report->warnings[kind].count > 1 ? " (and others like it)" : "");
	return clpac__text_give(&lines, "the explanation of a plan", text, err);
}
