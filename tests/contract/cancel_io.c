#include "cancel_io.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <clpac/analysis.h>
#include <clpac/memory/cancel.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/write.h>

#include "assertions.h"
#include "files.h"
#include "random.h"

enum { RATE_HZ = 256, N_CHANNELS = 3, N_SAMPLES = RATE_HZ * 60, N_EVENTS = 24 };

static const char method[] = "phase=4-8,8-12 amplitude=40-60,60-80";

static struct {
	clpac_context *context;
	clpac_recording *recording;
	const clpac_result *const *subjects;
	size_t n_subjects;
} f;

/* Outputs, each of which is there as a whole or not at all. */
static const char *const outputs[] = {"out.npz", "out.json", "out.csv", "out.png", "out.svg", "out.npy", "out.mat"};

static clpac_status analyse(const char *more,
			    clpac_status (*run)(const clpac_analysis *, clpac_recording *, const clpac_analysis_call *,
						clpac_result **, clpac_error *),
			    clpac_recording *recording, clpac_result **out, clpac_error *err)
{
	char text[300];
	clpac_analysis *analysis = NULL;
	const clpac_analysis_call call = {.contexts = &f.context, .n_contexts = 1};
	snprintf(text, sizeof text, "%s %s", method, more);
	assert_works(clpac_analysis_read(text, &analysis, err), *err);
	clpac_status st = CLPAC_OK;
	clpac_recording *own = NULL;
	if (!recording)
		st = clpac_analysis_open(analysis, files_path("in.npy"), &own, err);
	if (st == CLPAC_OK)
		st = run(analysis, own ? own : recording, &call, out, err);
	clpac_recording_destroy(own);
	clpac_analysis_destroy(analysis);
	return st;
}

static clpac_status run_file(clpac_result **out, clpac_error *err)
{
	return analyse("surrogates=300 rate=256", clpac_analysis_run, NULL, out, err);
}

static clpac_status run_resampled(clpac_result **out, clpac_error *err)
{
	return analyse("surrogates=20 rate=256 resample=200", clpac_analysis_run, NULL, out, err);
}

static clpac_status run_epochs(clpac_result **out, clpac_error *err)
{
	return analyse("surrogates=50 events=a,b window=0:2", clpac_analysis_run, f.recording, out, err);
}

static clpac_status run_erpac(clpac_result **out, clpac_error *err)
{
	return analyse("surrogates=100 events=a window=-0.2:0.8", clpac_analysis_erpac, f.recording, out, err);
}

static clpac_status run_comparison(clpac_result **out, clpac_error *err)
{
	return analyse("events=a,b window=0:2 permutations=3000", clpac_analysis_compare, f.recording, out, err);
}

static clpac_status run_group(clpac_result **out, clpac_error *err)
{
	clpac_analysis *analysis = NULL;
	assert_works(clpac_analysis_read("permutations=4000", &analysis, err), *err);
	const clpac_status st = clpac_analysis_group(
		analysis, &(clpac_subjects){.results = f.subjects, .n = f.n_subjects}, NULL, NULL, out, err);
	clpac_analysis_destroy(analysis);
	return st;
}

static clpac_status forecast(clpac_result **out, clpac_error *err)
{
	char *text = NULL;
	clpac_analysis *analysis = NULL;
	const clpac_analysis_call call = {.contexts = &f.context, .n_contexts = 1};
	(void)out;
	assert_works(clpac_analysis_read(method, &analysis, err), *err);
	const clpac_status st = clpac_analysis_forecast(analysis, f.recording, &call, true, &text, err);
	clpac_text_free(text);
	clpac_analysis_destroy(analysis);
	return st;
}

static clpac_status sum_up(clpac_result **out, clpac_error *err)
{
	char sum[65];
	(void)out;
	return clpac_file_checksum(files_path("in.npy"), sum, err);
}

static clpac_status read_csv(clpac_result **out, clpac_error *err)
{
	clpac_recording *made = NULL;
	(void)out;
	const clpac_status st = clpac_recording_read(files_path("in.csv"), NULL, &made, err);
	clpac_recording_destroy(made);
	return st;
}

static const clpac_write_options writing = {.overwrite = true, .json_full = true};

static clpac_status write_npz(clpac_result **out, clpac_error *err)
{
	(void)out;
	return clpac_result_write_npz(f.subjects[0], files_path("out.npz"), &writing, err);
}

static clpac_status write_mat(clpac_result **out, clpac_error *err)
{
	(void)out;
	return clpac_result_write_mat(f.subjects[0], files_path("out.mat"), &writing, err);
}

static clpac_status write_json(clpac_result **out, clpac_error *err)
{
	(void)out;
	return clpac_result_write_json(f.subjects[0], files_path("out.json"), &writing, err);
}

static clpac_status write_csv(clpac_result **out, clpac_error *err)
{
	(void)out;
	return clpac_result_write_csv(f.subjects[0], files_path("out.csv"), &writing, err);
}

static clpac_status write_npy(clpac_result **out, clpac_error *err)
{
	size_t n;
	(void)out;
	const clpac_channel *channel = clpac_recording_channel(f.recording, 0);
	n = channel->n_samples;
	return clpac_npy_write(files_path("out.npy"), channel->samples, 1, n, true, err);
}

static clpac_status read_npz(clpac_result **out, clpac_error *err)
{
	return clpac_result_read_npz(files_path("in.npz"), out, err);
}

static clpac_status plot(const char *name, clpac_error *err)
{
	const clpac_plot_options options = {.channel = SIZE_MAX, .overwrite = true};
	return clpac_plots_are_available() ? clpac_result_plot(f.subjects[0], files_path(name), &options, err)
					   : clpac_cancel_check(err);
}

static clpac_status plot_png(clpac_result **out, clpac_error *err)
{
	(void)out;
	return plot("out.png", err);
}

static clpac_status plot_svg(clpac_result **out, clpac_error *err)
{
	(void)out;
	return plot("out.svg", err);
}

const cancel_call cancel_io_calls[] = {
	{"clpac_analysis_run of a file", run_file},   {"clpac_analysis_run, resampled", run_resampled},
	{"clpac_analysis_run of epochs", run_epochs}, {"clpac_analysis_erpac", run_erpac},
	{"clpac_analysis_compare", run_comparison},   {"clpac_analysis_group", run_group},
	{"clpac_analysis_forecast", forecast},	      {"clpac_file_checksum", sum_up},
	{"clpac_recording_read of CSV", read_csv},    {"clpac_result_read_npz", read_npz},
	{"clpac_result_write_npz", write_npz},	      {"clpac_result_write_json", write_json},
	{"clpac_result_write_csv", write_csv},	      {"clpac_npy_write", write_npy},
	{"clpac_result_write_mat", write_mat},	      {"clpac_result_plot, PNG", plot_png},
	{"clpac_result_plot, SVG", plot_svg},
};
const size_t cancel_io_n_calls = COUNT(cancel_io_calls);

static void write_inputs(const float *samples)
{
	clpac_error err;
	char line[100];
	bytes csv = {0};
	assert_works(clpac_npy_write(files_path("in.npy"), samples, N_CHANNELS, N_SAMPLES, false, &err), err);
	assert_works(clpac_result_write_npz(f.subjects[0], files_path("in.npz"), NULL, &err), err);
	for (size_t t = 0; t < N_SAMPLES; t++) {
		const int n = snprintf(line, sizeof line, "%.6f,%.6f,%.6f\n", (double)samples[t],
				       (double)samples[N_SAMPLES + t], (double)samples[2 * N_SAMPLES + t]);
		bytes_add(&csv, line, (size_t)n);
	}
	files_write("in.csv", csv.data, csv.n);
	bytes_free(&csv);
}

void cancel_io_begin(clpac_context *context, clpac_result *const *subjects, size_t n)
{
	static float samples[N_CHANNELS * N_SAMPLES];
	clpac_error err;
	unsigned long long state = 23;
	files_begin();
	f.context = context;
	f.subjects = (const clpac_result *const *)subjects;
	f.n_subjects = n;
	for (size_t i = 0; i < COUNT(samples); i++)
		samples[i] = random_signed(&state);
	assert_works(clpac_recording_create("memory", &f.recording, &err), err);
	for (size_t c = 0; c < N_CHANNELS; c++) {
		char name[8];
		void *room;
		snprintf(name, sizeof name, "C%zu", c);
		assert_works(clpac_recording_add_channel(f.recording, name, "uV", RATE_HZ, N_SAMPLES, CLPAC_FLOAT32,
							 &room, &err),
			     err);
		memcpy(room, samples + c * N_SAMPLES, N_SAMPLES * sizeof *samples);
	}
	for (int i = 0; i < N_EVENTS; i++)
		assert_works(clpac_recording_add_annotation(f.recording, 2 + 2.3 * i, 0, i % 2 ? "a" : "b", &err), err);
	write_inputs(samples);
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < COUNT(outputs); i++)
		if (strcmp(name, outputs[i]) == 0)
			return true;
	return strncmp(name, "in.", 3) == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

void cancel_io_check(void)
{
	char path[4096];
	clpac_error err;
	clpac_result *whole = NULL;
	snprintf(path, sizeof path, "%s", files_path("in.npz"));
	*strrchr(path, '/') = 0;
	DIR *folder = opendir(path);
	ck_assert_ptr_nonnull(folder);
	bool has_npz = false;
	for (struct dirent *entry; (entry = readdir(folder));) {
		ck_assert_msg(is_known(entry->d_name), "%s is left", entry->d_name);
		has_npz |= strcmp(entry->d_name, "out.npz") == 0;
	}
	closedir(folder);
	if (has_npz)
		assert_works(clpac_result_read_npz(files_path("out.npz"), &whole, &err), err);
	clpac_result_destroy(whole);
}

void cancel_io_end(void)
{
	clpac_recording_destroy(f.recording);
	f.recording = NULL;
	files_end();
}
