/* One row tells all that is needed to group it: file, subject, session, task, run, channel, segment, condition,
 * measure. Values that the result does not hold are empty, undefined ones NaN. */
#include "analysis/table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <clpac/memory/cancel.h>
#include "base/inherited.h"
#include "base/memory.h"
#include "base/number.h"

/* --- Regions ------------------------------------------------------------------------------------ */

static bool read_range(const char *text, const char **end, clpac_band *out)
{
	return clpac__parse_number(text, &out->lo_hz, end) && **end == '-' &&
	       clpac__parse_number(*end + 1, &out->hi_hz, end) && out->lo_hz >= 0 && out->lo_hz <= out->hi_hz;
}

static clpac_status read_region(const char *text, const char **end, const clpac__regions *before, clpac__region *out,
				clpac_error *err)
{
	const size_t length = strcspn(text, "=,");
	if (text[length] != '=' || length == 0 || length >= sizeof out->name ||
	    !read_range(text + length + 1, end, &out->phase) || **end != ',' ||
	    !read_range(*end + 1, end, &out->amplitude) || (**end && **end != ','))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--roi %.200s: give a name, the range of the phase and that of the amplitude in Hz, as "
			     "theta-gamma=4-8,30-80; of several regions one behind the other with a comma between",
			     text);
	memcpy(out->name, text, length);
	out->name[length] = 0;
	for (size_t i = 0; i < before->n; i++)
		if (strcmp(before->each[i].name, out->name) == 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--roi %s: two regions have this name", out->name);
	return CLPAC_OK;
}

clpac_status clpac__regions_read(const char *text, double alpha, clpac__regions *out, clpac_error *err)
{
	size_t most = 1;
	out->alpha = alpha == 0 ? 0.05 : alpha;
	if (!(out->alpha > 0 && out->alpha <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--alpha %g: it must be above 0 and at most 1", alpha);
	if (!text)
		return CLPAC_OK;
	for (const char *at = text; *at; at++)
		most += *at == '=';
	RETURN_IF_ERROR(NEW_ARRAY(out->each, most));
	for (const char *at = text;; at++) {
		RETURN_IF_ERROR(read_region(at, &at, out, &out->each[out->n], err));
		out->n++;
		if (!*at)
			return CLPAC_OK;
	}
}

void clpac__regions_clear(clpac__regions *regions)
{
	clpac__free(regions->each);
	*regions = (clpac__regions){0};
}

static bool is_in(clpac_band band, clpac_band range)
{
	const double middle = (band.lo_hz + band.hi_hz) / 2;
	return range.lo_hz <= middle && middle <= range.hi_hz;
}

/* --- Rows --------------------------------------------------------------------------------------- */

static const clpac_array cell_arrays[] = {CLPAC_MI, CLPAC_Z, CLPAC_P, CLPAC_P_MAX, CLPAC_EXCESS};
enum { INDEX = 0, Z, P, P_MAX, EXCESS, N_ARRAYS = sizeof cell_arrays / sizeof *cell_arrays };

/* One measure of one channel and segment. */
struct map {
	const clpac_result *result;
	const float *values[N_ARRAYS]; /* NULL: not held */
	size_t first;		       /* the number of its first cell in the arrays */
};

static void add_number(clpac__text *csv, double value)
{
	char text[CLPAC__NUMBER_SIZE];
	clpac__write_number(value, text);
	clpac__text_add(csv, ",%s", text);
}

static void add_value(clpac__text *csv, const float *values, size_t i)
{
	char text[CLPAC__NUMBER_SIZE] = "";
	if (values)
		clpac__write_float(values[i], text);
	clpac__text_add(csv, ",%s", text);
}

static void add_cells(const struct map *map, const char *head, clpac__text *csv)
{
	const clpac_result_shape *shape = clpac_result_get_shape(map->result);
	const uint8_t *valid = clpac_result_valid(map->result);
	size_t cell = map->first;
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++)
		for (size_t am = 0; am < shape->n_amplitude_bands; am++, cell++) {
			const clpac_band bands[] = {clpac_result_phase_bands(map->result)[ph],
						    clpac_result_cell_band(map->result, ph, am)};
			clpac__text_add(csv, "%s", head);
			for (int i = 0; i < 2; i++) {
				add_number(csv, bands[i].lo_hz);
				add_number(csv, bands[i].hi_hz);
			}
			for (int i = 0; i < N_ARRAYS; i++)
				add_value(csv, map->values[i], cell);
			clpac__text_add(csv, ",%d\n", valid[cell - map->first] ? 1 : 0);
		}
}

/* The sums of a region's cells. */
struct sums {
	size_t n_in, n, n_significant; /* cells in the region; those of them that count */
	double index, z, excess, peak;
	clpac_band peak_phase, peak_amplitude;
};

/* Cells that are not valid, and those without a number, do not count. */
static struct sums sum_region(const struct map *map, const clpac__region *region, double alpha)
{
	const clpac_result_shape *shape = clpac_result_get_shape(map->result);
	const uint8_t *valid = clpac_result_valid(map->result);
	struct sums sums = {.peak = NAN};
	size_t cell = map->first;
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++)
		for (size_t am = 0; am < shape->n_amplitude_bands; am++, cell++) {
			const clpac_band phase = clpac_result_phase_bands(map->result)[ph],
					 amplitude = clpac_result_cell_band(map->result, ph, am);
			if (!is_in(phase, region->phase) || !is_in(amplitude, region->amplitude))
				continue;
			sums.n_in++;
			const double index = map->values[INDEX][cell];
			if (!valid[cell - map->first] || !isfinite(index))
				continue;
			sums.n++;
			sums.index += index;
			sums.z += map->values[Z] ? map->values[Z][cell] : NAN;
			sums.excess += map->values[EXCESS] ? map->values[EXCESS][cell] : NAN;
			sums.n_significant += map->values[P_MAX] && map->values[P_MAX][cell] <= alpha;
			if (!(sums.peak >= index)) {
				sums.peak = index;
				sums.peak_phase = phase;
				sums.peak_amplitude = amplitude;
			}
		}
	return sums;
}

/* Adds a mean, empty where the array is not held. */
static void add_mean(clpac__text *csv, bool is_held, double sum, size_t n)
{
	if (is_held)
		add_number(csv, n ? sum / (double)n : NAN);
	else
		clpac__text_add(csv, ",");
}

static clpac_status add_region(const struct map *map, const char *head, const char *name, const clpac__region *region,
			       double alpha, clpac__text *csv, clpac_error *err)
{
	const struct sums sums = sum_region(map, region, alpha);
	if (!sums.n_in)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%.200s has no cell in the region %s, %g-%g and %g-%g Hz: no band has its middle there",
			     name, region->name, region->phase.lo_hz, region->phase.hi_hz, region->amplitude.lo_hz,
			     region->amplitude.hi_hz);
	clpac__text_add(csv, "%s,", head);
	clpac__text_add_csv(csv, region->name);
	clpac__text_add(csv, ",%zu", sums.n);
	add_mean(csv, true, sums.index, sums.n);
	add_number(csv, sums.peak);
	add_number(csv, sums.n ? (sums.peak_phase.lo_hz + sums.peak_phase.hi_hz) / 2 : NAN);
	add_number(csv, sums.n ? (sums.peak_amplitude.lo_hz + sums.peak_amplitude.hi_hz) / 2 : NAN);
	add_mean(csv, map->values[Z], sums.z, sums.n);
	add_mean(csv, map->values[EXCESS], sums.excess, sums.n);
	add_mean(csv, map->values[P_MAX], (double)sums.n_significant, sums.n);
	clpac__text_add(csv, "\n");
	return CLPAC_OK;
}

void clpac__table_begin(const clpac__regions *regions, clpac__text *csv)
{
	clpac__text_add(csv, "result,subject,session,task,run,channel,segment,condition,onset_s,measure,%s\n",
			regions->n
				? "region,n_cells,mean,peak,peak_phase_hz,peak_amplitude_hz,z,excess,share_significant"
				: "phase_lo_hz,phase_hi_hz,amplitude_lo_hz,amplitude_hi_hz,value,z,p,p_max,excess,"
				  "valid");
}

/* Adds what tells the file: its name, and the entities of BIDS in its path. */
static void add_file(const char *path, clpac__text *head)
{
	static const char *const keys[] = {"sub-", "ses-", "task-", "run-"};
	const char *slash = strrchr(path, '/');
	char entity[256];
	clpac__text_add_csv(head, slash ? slash + 1 : path);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		clpac__path_entity(path, keys[i], entity, sizeof entity);
		clpac__text_add(head, ",");
		clpac__text_add_csv(head, entity);
	}
}

/* Adds the rows of a channel and segment, for each measure. */
static clpac_status add_series(const clpac_result *result, const char *name, size_t channel, size_t segment,
			       const clpac__regions *regions, clpac__text *csv, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const double onset = clpac_result_segment_onsets(result)[segment];
	const char *condition = clpac_result_condition(result, segment);
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n_measures = clpac_result_measures(result, measures);
	clpac__text head = {0};
	for (size_t m = 0; m < n_measures; m++) {
		struct map map = {.result = clpac_result_of(result, measures[m])};
		map.first = (channel * shape->n_segments + segment) * shape->n_phase_bands * shape->n_amplitude_bands;
		for (int i = 0; i < N_ARRAYS; i++)
			map.values[i] = clpac_result_array(map.result, cell_arrays[i], NULL);
		clpac__text_clear(&head);
		add_file(name, &head);
		clpac__text_add(&head, ",");
		clpac__text_add_csv(&head, clpac_result_channel_name(result, channel));
		clpac__text_add(&head, ",%zu,", segment);
		clpac__text_add_csv(&head, condition ? condition : "");
		if (isnan(onset))
			clpac__text_add(&head, ",");
		else
			add_number(&head, onset);
		clpac__text_add(&head, ",%s", clpac_measure_text(measures[m]));
		if (head.failed)
			FAIL_NO_MEMORY(head.length);
		for (size_t i = 0; i < regions->n; i++)
			TRY(add_region(&map, head.data, name, &regions->each[i], regions->alpha, csv, err));
		if (!regions->n)
			add_cells(&map, head.data, csv);
	}
done:
	clpac__text_clear(&head);
	return st;
}

clpac_status clpac__table_add(const clpac_result *result, const char *name, const clpac__regions *regions,
			      clpac__text *csv, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	for (size_t c = 0; c < shape->n_channels; c++)
		for (size_t s = 0; s < shape->n_segments; s++) {
			RETURN_IF_ERROR(clpac_cancel_check(err));
			RETURN_IF_ERROR(add_series(result, name, c, s, regions, csv, err));
			if (csv->failed)
				RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "no memory for a table of more than %zu bytes",
					     csv->length);
		}
	return CLPAC_OK;
}
