/* Analyses as applications make them: recordings of their own, contexts that are open, files, sinks. */
#include "runner.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <clpac/analysis.h>
#include <clpac/plot.h>
#include <clpac/write.h>

#include "analysis/synthetic.h"
#include "assertions.h"
#include "files.h"
#include "some_analysis.h"

static clpac_error err;

FIXTURE(files_begin, files_end);

/* --- Recordings of the application -------------------------------------------------------------- */

TEST(a_gap_makes_stretches_and_empties_no_channel)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(line);
	clpac_result *result = NULL;
	assert_works(clpac_analysis_run(analysis, recording, NULL, &result, &err), err);
	const float *index = clpac_result_array(result, CLPAC_MI, NULL);
	ck_assert(index[0] > 0 && index[1] > 0);
	ck_assert_str_eq(clpac_result_channel_name(result, 1), "Cz");
	ck_assert_uint_eq(clpac_result_n_stretches(result)[1], 2);
	ck_assert_ptr_nonnull(strstr(clpac_result_sentence(result), "not a number"));
	ck_assert_ptr_nonnull(strstr(clpac_result_provenance(result), line));
	/* The writer records it. */
	assert_works(clpac_result_write_json(result, files_path("x.json"), NULL, &err), err);
	bytes json = files_content(files_path("x.json"));
	bytes_add(&json, "", 1);
	ck_assert_ptr_nonnull(strstr((const char *)json.data, "\"request\": \"phase=5-7"));
	bytes_free(&json);
	clpac_result_destroy(result);
	/* The recording is still there, for another analysis. */
	assert_works(clpac_analysis_set(analysis, "channels", "Cz", &err), err);
	assert_works(clpac_analysis_run(analysis, recording, NULL, &result, &err), err);
	ck_assert_uint_eq(clpac_result_get_shape(result)->n_channels, 1);
	clpac_result_destroy(result);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

TEST(open_contexts_are_used_and_stay_open)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis("phase=5-7 amplitude=45-65 surrogates=20");
	clpac_options options = {.device = "native"};
	clpac_context *context;
	clpac_result *alone = NULL, *given = NULL;
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	const clpac_analysis_call call = {.contexts = &context, .n_contexts = 1, .name = "my samples"};
	assert_works(clpac_analysis_run(analysis, recording, &call, &given, &err), err);
	assert_works(clpac_analysis_run(analysis, recording, &call, &alone, &err), err);
	ck_assert_uint_eq(clpac_result_get_shape(given)->n_channels, N_CHANNELS);
	for (size_t i = 0; i < N_CHANNELS; i++)
		ck_assert(clpac_result_array(given, CLPAC_MI, NULL)[i] == clpac_result_array(alone, CLPAC_MI, NULL)[i]);
	clpac_result_destroy(alone);
	clpac_result_destroy(given);

	assert_works(clpac_analysis_set(analysis, "device", "native", &err), err);
	assert_refused(clpac_analysis_run(analysis, recording, &call, &given, &err), err, CLPAC_ERROR_ARGUMENT,
		       "device and contexts");
	assert_works(clpac_analysis_set(analysis, "device", NULL, &err), err);
	assert_works(clpac_analysis_set(analysis, "start", "50", &err), err);
	assert_refused(clpac_analysis_run(analysis, recording, &call, &given, &err), err, CLPAC_ERROR_ARGUMENT,
		       "my samples");
	clpac_context_close(context);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

TEST(contexts_are_opened_as_the_options_say)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis("phase=5-7 amplitude=45-65 device=native fft=auto");
	clpac_options options = {.threads = 1};
	clpac_context *contexts[CLPAC_MAX_DEVICES];
	clpac_result *own = NULL, *given = NULL;
	size_t n = 0;
	assert_works(clpac_analysis_contexts(analysis, NULL, &options, contexts, &n, &err), err);
	ck_assert_uint_eq(n, 1);
	assert_works(clpac_analysis_run(analysis, recording, NULL, &own, &err), err);
	assert_works(clpac_analysis_set(analysis, "device", NULL, &err), err);
	assert_works(clpac_analysis_set(analysis, "fft", NULL, &err), err);
	const clpac_analysis_call call = {.contexts = contexts, .n_contexts = n};
	assert_works(clpac_analysis_run(analysis, recording, &call, &given, &err), err);
	ck_assert_uint_eq(clpac_result_report(given)->n_threads, 1);
	for (size_t i = 0; i < N_CHANNELS; i++)
		ck_assert(clpac_result_array(given, CLPAC_MI, NULL)[i] == clpac_result_array(own, CLPAC_MI, NULL)[i]);
	assert_refused(clpac_analysis_contexts(analysis, &call, NULL, contexts, &n, &err), err, CLPAC_ERROR_ARGUMENT,
		       "open already");
	assert_works(clpac_analysis_set(analysis, "device", "nowhere", &err), err);
	assert_refused(clpac_analysis_contexts(analysis, NULL, NULL, contexts, &n, &err), err, CLPAC_ERROR_ARGUMENT,
		       "nowhere");
	clpac_context_close(contexts[0]);
	clpac_result_destroy(own);
	clpac_result_destroy(given);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

/* Pairs have their cautions at the end, other channels piece by piece. */
static const char *const without_cautions[] = {"phase=5-7 amplitude=45-65 device=native surrogates=20",
					       "phase=5-7 amplitude=45-65 device=native surrogates=20 pairs=all"};
TEST_EACH(cautions_can_be_left_out, COUNT(without_cautions))
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(without_cautions[_i]);
	const clpac_analysis_call call = {.no_cautions = true};
	clpac_result *whole = NULL, *bare = NULL;
	size_t n;
	assert_works(clpac_analysis_run(analysis, recording, NULL, &whole, &err), err);
	assert_works(clpac_analysis_run(analysis, recording, &call, &bare, &err), err);
	ck_assert_ptr_nonnull(clpac_result_array(whole, CLPAC_HARMONIC, NULL));
	ck_assert_ptr_null(clpac_result_array(bare, CLPAC_HARMONIC, NULL));
	const float *z = clpac_result_array(whole, CLPAC_Z, &n);
	ck_assert_mem_eq(clpac_result_array(bare, CLPAC_Z, NULL), z, n * sizeof *z);
	clpac_result_destroy(whole);
	clpac_result_destroy(bare);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

TEST(spectra_are_kept_where_they_are_asked_for)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis("phase=5-7 amplitude=45-65 device=native surrogates=0");
	for (int keep = 0; keep < 2; keep++) {
		const clpac_analysis_call call = {.keep_spectra = keep};
		clpac_result *made = NULL;
		assert_works(clpac_analysis_run(analysis, recording, &call, &made, &err), err);
		ck_assert_int_eq(strstr(clpac_result_provenance(made), "\"spectra\"") != NULL, keep);
		clpac_result_destroy(made);
	}
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

TEST(a_recording_is_made)
{
	clpac_recording *made;
	const clpac__synthetic signal = {
		.rate_hz = RATE_HZ, .phase_hz = 5, .amplitude_hz = 50, .strength = 0.8, .noise = 1.5, .seed = 7};
	float wanted[2 * RATE_HZ];
	assert_works(clpac_analysis_synth("seconds=2 rate=200 phase=5 amplitude=50 seed=7 channels=2", &made, &err),
		     err);
	ck_assert_uint_eq(clpac_recording_n_channels(made), 2);
	for (uint64_t c = 0; c < 2; c++) {
		const clpac_channel *channel = clpac_recording_channel(made, c);
		ck_assert_uint_eq(channel->n_samples, COUNT(wanted));
		ck_assert_int_eq(clpac__synthetic_write(&signal, c, wanted, COUNT(wanted), NULL), CLPAC_OK);
		ck_assert_mem_eq(channel->samples, wanted, sizeof wanted);
	}
	clpac_recording_destroy(made);
	static const struct {
		const char *text, *says;
	} wrong[] = {{"seconds", "seconds needs a value"},	 {"second=3", "did you mean seconds"},
		     {"seed=1 seed=2", "seed is there twice"},	 {"strength=2", "it must be from 0 to 1"},
		     {"seconds=0.0001", "less than one sample"}, {"seed=\"1", "a quote is not closed"}};
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_refused(clpac_analysis_synth(wrong[i].text, &made, &err), err, CLPAC_ERROR_ARGUMENT,
			       wrong[i].says);
}

/* --- Results as files --------------------------------------------------------------------------- */

static void assert_same_files(const char *a, const char *b)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s", files_path(a));
	bytes first = files_content(path), second = files_content(files_path(b));
	size_t at = 0;
	while (at < first.n && at < second.n && first.data[at] == second.data[at])
		at++;
	ck_assert_msg(at == first.n && at == second.n, "%s and %s differ at byte %zu of %zu and %zu: %.60s", a, b, at,
		      first.n, second.n, at < second.n ? (const char *)second.data + at : "");
	bytes_free(&first);
	bytes_free(&second);
}

/* Saves, loads, and saves once more, as .npz and as JSON with all filters. */
static void assert_whole(const clpac_result *result)
{
	const clpac_write_options writing = {.overwrite = true, .json_full = true};
	clpac_result *loaded = NULL;
	assert_works(clpac_analysis_save(result, files_path("first.npz"), &writing, &err), err);
	assert_works(clpac_analysis_load(files_path("first.npz"), &loaded, &err), err);
	assert_works(clpac_analysis_save(loaded, files_path("second.npz"), &writing, &err), err);
	assert_same_files("first.npz", "second.npz");
	assert_works(clpac_result_write_json(result, files_path("a.json"), &writing, &err), err);
	assert_works(clpac_result_write_json(loaded, files_path("b.json"), &writing, &err), err);
	assert_same_files("a.json", "b.json");
	ck_assert_str_eq(clpac_result_sentence(loaded), clpac_result_sentence(result));
	ck_assert_mem_eq(clpac_result_report(loaded)->device, clpac_result_report((clpac_result *)result)->device,
			 strlen(clpac_result_report(loaded)->device) + 1);
	clpac_result_destroy(loaded);
}

TEST(a_saved_result_is_loaded_whole)
{
	static const char events[] = "phase=5-7 amplitude=45-65 surrogates=20 events=a,b window=0:1.5";
	clpac_recording *recording = make_recording();
	for (int i = 0; i < 16; i++)
		assert_works(clpac_recording_add_annotation(recording, 1 + 1.1 * i, 0, i % 2 ? "a" : "b", &err), err);
	clpac_analysis *plain = read_analysis(line), *of_events = read_analysis(events);
	clpac_analysis *trials = read_analysis("phase=5-7 amplitude=45-65 surrogates=20 events=a window=0:1");
	clpac_analysis *conditions = read_analysis("phase=5-7 amplitude=45-65 events=a,b window=0:1.5");
	clpac_analysis *statistics = read_analysis("");
	clpac_result *made[5] = {NULL}, *other = NULL;
	assert_works(clpac_analysis_run(plain, recording, NULL, &made[0], &err), err);
	assert_works(clpac_analysis_run(of_events, recording, NULL, &made[1], &err), err);
	assert_works(clpac_analysis_erpac(trials, recording, NULL, &made[2], &err), err);
	assert_works(clpac_analysis_compare(conditions, recording, NULL, &made[3], &err), err);
	assert_works(clpac_analysis_set(plain, "seed", "9", &err), err);
	assert_works(clpac_analysis_run(plain, recording, NULL, &other, &err), err);
	const clpac_result *const subjects[] = {made[0], other};
	assert_works(clpac_analysis_group(statistics, &(clpac_subjects){.results = subjects, .n = 2}, NULL, NULL,
					  &made[4], &err),
		     err);
	for (size_t i = 0; i < COUNT(made); i++) {
		assert_whole(made[i]);
		clpac_result_destroy(made[i]);
	}
	clpac_result_destroy(other);
	clpac_analysis_destroy(plain);
	clpac_analysis_destroy(of_events);
	clpac_analysis_destroy(trials);
	clpac_analysis_destroy(conditions);
	clpac_analysis_destroy(statistics);
	clpac_recording_destroy(recording);
}

TEST(a_table_has_a_row_for_each_cell_and_region)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(line);
	clpac_result *result = NULL;
	char *csv = NULL;
	assert_works(clpac_analysis_run(analysis, recording, NULL, &result, &err), err);
	const clpac_result *const each[] = {result};
	const char *const names[] = {"a/sub-01/ses-2_pac.npz"};
	const clpac_subjects one = {.results = each, .names = names, .n = 1}, none = {0},
			     lost = {.results = &(const clpac_result *){NULL}, .n = 1};
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n_rows = 0;
	assert_works(clpac_analysis_table(&one, NULL, 0, &csv, &err), err);
	for (const char *at = csv; (at = strchr(at, '\n')); at++)
		n_rows++;
	ck_assert_uint_eq(n_rows,
			  1 + shape->n_channels * shape->n_segments * shape->n_phase_bands * shape->n_amplitude_bands);
	ck_assert_ptr_nonnull(strstr(csv, "\nses-2_pac.npz,sub-01,ses-2,,,"));
	clpac_text_free(csv);
	assert_works(clpac_analysis_table(&none, "r=1-2,3-4", 1, &csv, &err), err);
	ck_assert_ptr_eq(strchr(csv, '\n') + 1, csv + strlen(csv));
	clpac_text_free(csv);
	csv = NULL;
	assert_refused(clpac_analysis_table(&one, "r=1-2,3-4", 0, &csv, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no cell in the region r");
	assert_refused(clpac_analysis_table(&one, "r=1", 0, &csv, &err), err, CLPAC_ERROR_ARGUMENT,
		       "roi r=1: give a name");
	assert_refused(clpac_analysis_table(&one, "r=4-8,30-80", -1, &csv, &err), err, CLPAC_ERROR_ARGUMENT,
		       "alpha -1: it must be above 0");
	assert_refused(clpac_analysis_table(&lost, NULL, 0, &csv, &err), err, CLPAC_ERROR_ARGUMENT,
		       "results[0] is NULL");
	ck_assert_ptr_null(csv);
	clpac_result_destroy(result);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

TEST(a_result_without_a_report_is_loaded_and_a_wrong_one_is_refused)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(line);
	clpac_result *result = NULL, *loaded = NULL;
	char *text = (char *)"";
	assert_works(clpac_analysis_run(analysis, recording, NULL, &result, &err), err);
	assert_works(clpac_result_write_npz(result, files_path("plain.npz"), NULL, &err), err);
	assert_works(clpac_result_read_report(files_path("plain.npz"), &text, &err), err);
	ck_assert_ptr_null(text);
	assert_works(clpac_analysis_load(files_path("plain.npz"), &loaded, &err), err);
	clpac_result_destroy(loaded);
	loaded = NULL;
	assert_works(clpac_analysis_save(result, files_path("x.npz"), &(clpac_write_options){.report = "[1,"}, &err),
		     err);
	assert_refused(clpac_analysis_load(files_path("x.npz"), &loaded, &err), err, CLPAC_ERROR_FORMAT,
		       "report.json is no JSON");
	ck_assert_ptr_null(loaded);
	clpac_result_destroy(result);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

typedef struct received {
	bytes all;
	size_t most; /* bytes that it takes; 0: all */
} received;

static bool receive(void *user, const void *data, size_t n)
{
	received *to = user;
	if (to->most && to->all.n + n > to->most)
		return false;
	bytes_add(&to->all, data, n);
	return true;
}

TEST(a_function_receives_what_a_file_would_hold)
{
	static const char *const names[] = {"w.npz", "w.json", "w.csv", "w.svg", "w.png"};
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(line);
	clpac_result *result = NULL;
	assert_works(clpac_analysis_run(analysis, recording, NULL, &result, &err), err);
	for (size_t i = 0; i < COUNT(names); i++)
		for (int way = 0; way < 3; way++) { /* to a file, to a function, to one that takes nothing */
			received got = {.most = way == 2};
			const clpac_write_options writing = {.write = way ? receive : NULL, .write_user = &got};
			const clpac_plot_options drawing = {
				.channel = SIZE_MAX, .write = way ? receive : NULL, .write_user = &got};
			const char *path = way ? names[i] : files_path(names[i]);
			if (i > 2 && !clpac_plots_are_available())
				continue;
			const clpac_status st = i == 0	 ? clpac_result_write_npz(result, path, &writing, &err)
						: i == 1 ? clpac_result_write_json(result, path, &writing, &err)
						: i == 2 ? clpac_result_write_csv(result, path, &writing, &err)
							 : clpac_result_plot(result, path, &drawing, &err);
			if (way == 2)
				assert_refused(st, err, CLPAC_ERROR_IO, "took no more");
			else
				assert_works(st, err);
			if (way == 1) {
				bytes file = files_content(files_path(names[i]));
				ck_assert_uint_eq(file.n, got.all.n);
				ck_assert_mem_eq(file.data, got.all.data, file.n);
				bytes_free(&file);
			}
			bytes_free(&got.all);
		}
	clpac_output_set *set = NULL;
	received got = {0};
	assert_works(clpac_output_set_open(&set, &err), err);
	assert_refused(clpac_result_write_csv(result, "w.csv",
					      &(clpac_write_options){.set = set, .write = receive, .write_user = &got},
					      &err),
		       err, CLPAC_ERROR_ARGUMENT, "a function and a set");
	clpac_output_set_close(set);
	clpac_result_destroy(result);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

/* --- What would be done ------------------------------------------------------------------------- */

TEST(a_recording_and_a_run_are_described)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(line);
	const clpac_analysis_call call = {.name = "my samples"};
	char *text;
	assert_works(clpac_recording_add_annotation(recording, 3, 1, "BAD jump", &err), err);
	assert_works(clpac_analysis_contents(analysis, recording, &call, false, &text, &err), err);
	ck_assert_ptr_eq(strstr(text, "my samples: memory, 2 channels, 20.000 s"), text);
	ck_assert_ptr_nonnull(strstr(text, "BAD jump  (rejected)"));
	clpac_text_free(text);
	assert_works(clpac_analysis_contents(analysis, recording, NULL, true, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "\"is_rejected\": true"));
	clpac_text_free(text);
	assert_works(clpac_analysis_forecast(analysis, recording, &call, false, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "reading    2 channels, -"));
	ck_assert_ptr_nonnull(strstr(text, "time       about "));
	clpac_text_free(text);
	assert_works(clpac_analysis_forecast(analysis, recording, &call, true, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text, "\"backend\": \"native\""));
	clpac_text_free(text);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

static const struct {
	const char *text, *said, *member;
	clpac_analysis_kind kind;
} misfits[] = {
	{"rate=500", "rate=500: channel Pz has 200 Hz", "rate", CLPAC_ANALYSIS_RUN},
	{"resample=100", "resample=100: channel Pz has 200 Hz", "resample", CLPAC_ANALYSIS_RUN},
	{"step=0.1", "step is no option of run", "step", CLPAC_ANALYSIS_RUN},
	{"paired", "paired is no option of erpac", "paired", CLPAC_ANALYSIS_ERPAC},
	{"", "about which events", "events", CLPAC_ANALYSIS_ERPAC},
	{"", "about which events", "events", CLPAC_ANALYSIS_COMPARE},
	{"null=trials", "null trials", "null", CLPAC_ANALYSIS_RUN},
	{"bins=1", "bins 1: give 2 to 128", "bins", CLPAC_ANALYSIS_RUN},
	{"device=quick", "quick", "device", CLPAC_ANALYSIS_RUN},
	{"channels=Oz", "Oz", "channels", CLPAC_ANALYSIS_RUN},
};

TEST_EACH(what_does_not_fit_is_refused, COUNT(misfits))
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(misfits[_i].text);
	clpac_result *result = NULL;
	clpac_status (*const calls[])(const clpac_analysis *, clpac_recording *, const clpac_analysis_call *,
				      clpac_result **, clpac_error *) = {clpac_analysis_run, clpac_analysis_erpac,
									 clpac_analysis_compare};
	const clpac_status st = calls[misfits[_i].kind](analysis, recording, NULL, &result, &err);
	assert_refused(st, err, CLPAC_ERROR_ARGUMENT, misfits[_i].said);
	ck_assert_str_eq(err.member, misfits[_i].member);
	ck_assert_ptr_null(result);
	ck_assert_ptr_null(strstr(err.text, "--"));
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}

/* --- Results ------------------------------------------------------------------------------------ */

TEST(subjects_that_suit_no_design_are_refused)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis = read_analysis(line), *plain = read_analysis("");
	clpac_result *results[2] = {NULL}, *out = NULL;
	for (size_t i = 0; i < 2; i++)
		assert_works(clpac_analysis_run(analysis, recording, NULL, &results[i], &err), err);
	const clpac_result *const each[] = {results[0], results[1]}, *const twice[] = {results[0], results[0]},
				  *const missing[] = {results[0], NULL};
	clpac_subjects subjects = {.results = each, .n = 1};
	assert_refused(clpac_analysis_group(plain, &subjects, NULL, NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "at least two");
	subjects = (clpac_subjects){.results = twice, .n = 2};
	assert_refused(clpac_analysis_group(plain, &subjects, NULL, NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "1 and 2 are one result");
	subjects = (clpac_subjects){.results = missing, .n = 2};
	assert_refused(clpac_analysis_group(plain, &subjects, NULL, NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "results[1] is NULL");
	assert_refused(clpac_analysis_group(analysis, &subjects, NULL, NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "phase is no option of group");
	assert_refused(clpac_analysis_compare_epochs(plain, results[0], NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no result of epochs");
	assert_refused(clpac_analysis_compare_epochs(analysis, results[0], NULL, &out, &err), err, CLPAC_ERROR_ARGUMENT,
		       "phase is about a recording");
	ck_assert_ptr_null(out);
	for (size_t i = 0; i < 2; i++)
		clpac_result_destroy(results[i]);
	clpac_analysis_destroy(analysis);
	clpac_analysis_destroy(plain);
	clpac_recording_destroy(recording);
}

/* --- Sinks -------------------------------------------------------------------------------------- */

typedef struct heard {
	size_t n_phases, n_reports, most_reports;
	bool is_absent_said;
} heard;

static void hear_warning(void *user, size_t count, const char *text)
{
	heard *to = user;
	ck_assert_uint_gt(count, 0);
	ck_assert_ptr_null(strstr(text, "--"));
	to->is_absent_said |= strstr(text, "x*") != NULL;
}

static void hear_phase(void *user, const char *text)
{
	ck_assert(*text);
	((heard *)user)->n_phases++;
}

static bool hear_progress(void *user, const clpac_analysis_progress *at)
{
	heard *to = user;
	ck_assert(at->share >= 0 && at->share <= 1);
	return ++to->n_reports < to->most_reports;
}

TEST(a_sink_hears_and_ends_an_analysis)
{
	clpac_recording *recording = make_recording();
	clpac_analysis *analysis =
		read_analysis("phase=5-7 amplitude=45-65 surrogates=20 device=native channels=Pz,Cz,x*");
	heard ears = {.most_reports = SIZE_MAX};
	const clpac_analysis_sink sink = {
		.user = &ears, .warn = hear_warning, .phase = hear_phase, .progress = hear_progress};
	const clpac_analysis_call call = {.sink = &sink};
	clpac_result *result = NULL;
	assert_works(clpac_analysis_run(analysis, recording, &call, &result, &err), err);
	ck_assert(ears.is_absent_said && ears.n_phases && ears.n_reports);
	clpac_result_destroy(result);
	result = NULL;
	ears = (heard){.most_reports = 1};
	ck_assert_int_eq(clpac_analysis_run(analysis, recording, &call, &result, &err), CLPAC_ERROR_CANCELLED);
	ck_assert_ptr_null(result);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
}
