#include "tool/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "analysis/checkpoints/checkpoints.h"
#include "analysis/inputs.h"
#include "analysis/run/job.h"
#include "analysis/run/run.h"
#include "base/environment.h"
#include "base/folder.h"
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/json_output.h"
#include "tool/output_files.h"

enum { MOST_PILOTS = 3, WHOLE_ROWS = 64, PILOT_ROWS = 16, SHORT_S = 5 };

/* Recordings of a study by their size. */
typedef struct sized {
	const char *path;
	double bytes;
} sized;

/* What a recording or a shard of it takes. */
typedef struct cost {
	double opening_s, computing_s; /* of all cores: reading, checksum; computing, writing */
	double result_bytes, peak_bytes;
	size_t n_files, n_rows;
} cost;

struct study {
	clpac__inputs inputs;
	sized *each; /* owned, ascending */
	size_t n;
	double bytes, pilot_bytes; /* of all recordings, of those that were computed */
	char folder[200];
	double cores_s, result_bytes; /* of those that were computed, where the whole of each had been */
	size_t n_pilots, n_files;
	double peak_bytes;
	/* Of the last one that was computed by shards; n_shards 0: none was. */
	size_t n_shards;
	double shard_s, shard_bytes;
};

/* A recording that is computed for the study.  Its process must not plan the whole of a large one, whose memory would
 * be taken for a shard's. */
struct pilot {
	struct study *study;
	tool_call *call;
	clpac__job_contexts *contexts;
	size_t n_rows, n_shards; /* of the whole recording; shards that it may have */
};

/* Of all threads of the process. */
static double processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_memory(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return 1024 * (double)usage.ru_maxrss;
}

/* --- Recordings ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	const sized *x = a, *y = b;
	return x->bytes != y->bytes ? (x->bytes > y->bytes) - (x->bytes < y->bytes) : strcmp(x->path, y->path);
}

/* Bytes of a recording; those of BrainVision and EEGLAB may have their samples in another file. */
static double size_of(const char *path)
{
	static const char *const with_another[][2] = {{".vhdr", ".eeg"}, {".set", ".fdt"}};
	struct stat facts;
	const size_t n = strlen(path);
	char beside[4096];
	double bytes = stat(path, &facts) == 0 ? (double)facts.st_size : 0;
	for (size_t i = 0; i < sizeof with_another / sizeof *with_another; i++) {
		const size_t m = strlen(with_another[i][0]);
		if (n <= m || n >= sizeof beside || strcmp(path + n - m, with_another[i][0]) != 0)
			continue;
		snprintf(beside, sizeof beside, "%.*s%s", (int)(n - m), path, with_another[i][1]);
		bytes += stat(beside, &facts) == 0 ? (double)facts.st_size : 0;
	}
	return bytes;
}

static clpac_status find(tool_call *call, struct study *out, clpac_error *err)
{
	struct stat facts;
	const bool is_one =
		call->n_operands == 1 && stat(call->every_operand[0], &facts) == 0 && S_ISREG(facts.st_mode);
	RETURN_IF_ERROR(clpac__inputs_find(call->every_operand, call->n_operands, is_one ? "study.npz" : NULL,
					   &out->inputs, err));
	call->values.analysis.is_one_of_several = out->inputs.are_several;
	out->n = out->inputs.n;
	RETURN_IF_ERROR(NEW_ARRAY(out->each, out->n));
	for (size_t i = 0; i < out->n; i++) {
		out->each[i] = (sized){out->inputs.each[i].path, size_of(out->inputs.each[i].path)};
		out->bytes += out->each[i].bytes;
	}
	qsort(out->each, out->n, sizeof *out->each, by_size);
	return CLPAC_OK;
}

/* --- Pilots -------------------------------------------------------------------------------------- */

/* How many shards a job may be cut into: 1 of a small one. */
static size_t shards_of(const clpac__job *job)
{
	const size_t n_rows = clpac__job_rows(job);
	size_t n_phases = 0;
	for (size_t i = 0; i < job->pairs.n; i++)
		n_phases += i == 0 || job->pairs.each[i].phase != job->pairs.each[i - 1].phase;
	if (n_rows <= WHOLE_ROWS)
		return 1;
	return n_phases ? n_phases : (n_rows + PILOT_ROWS - 1) / PILOT_ROWS;
}

/* Opens the whole recording, for what it has. */
static clpac_status look(struct pilot *pilot, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {.contexts = pilot->contexts};
	pilot->call->values.analysis.shard = NULL;
	TRY(tool_job_prepare(&job, pilot->call, err));
	TRY(clpac__job_open(&job, err));
	pilot->n_rows = clpac__job_rows(&job);
	pilot->n_shards = shards_of(&job);
done:
	clpac__job_close(&job);
	return st;
}

/* Computes an opened job and writes its files. */
static clpac_status compute(clpac__job *job, const char *npz, tool_call *call, cost *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_run_outputs files = {0};
	clpac_result *result = NULL;
	struct stat facts;
	TRY(tool_run_outputs_name(npz, call, &files, err));
	/* As in a run, which computes in turns for them. */
	TRY(clpac__job_keep_checkpoints(job, npz, err));
	TRY(clpac__job_run(job, &result, err));
	TRY(tool_run_outputs_write(&files, result, job, call, err));
	const char *const paths[] = {files.npz, files.json};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (stat(paths[i], &facts) == 0) {
			out->result_bytes += (double)facts.st_size;
			out->n_files++;
			unlink(paths[i]);
		}
done:
	if (job->checkpoints)
		clpac__checkpoints_remove(job->checkpoints);
	clpac_result_destroy(result);
	tool_run_outputs_clear(&files);
	return st;
}

/* Computes the shard in the middle of n; n 1: the whole. */
static clpac_status compute_shard(const struct pilot *pilot, size_t n, cost *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {.contexts = pilot->contexts};
	char *npz = NULL, text[64];
	const double begun = processor_seconds();
	double opened;
	*out = (cost){0};
	snprintf(text, sizeof text, "%zu/%zu", n / 2 + 1, n);
	pilot->call->values.analysis.shard = n > 1 ? text : NULL;
	TRY(clpac__path_join(pilot->study->folder, "pilot.npz", &npz, err));
	TRY(tool_job_prepare(&job, pilot->call, err));
	TRY(clpac__job_open(&job, err));
	TRY(clpac__job_take_shard(&job, err));
	opened = processor_seconds();
	out->n_rows = job.shard.n ? job.shard.n_rows : pilot->n_rows;
	TRY(compute(&job, npz, pilot->call, out, err));
	out->opening_s = opened - begun;
	out->computing_s = processor_seconds() - opened;
	out->peak_bytes = peak_memory();
done:
	pilot->call->values.analysis.shard = NULL;
	clpac__job_close(&job);
	clpac__job_contexts_trim(pilot->contexts);
	clpac__free(npz);
	return st;
}

/* A value of the whole, from those of two shards: a part of it does not grow with the rows. */
static double of_whole(const struct pilot *pilot, const cost *few, const cost *more, double a, double b)
{
	if (more->n_rows <= few->n_rows)
		return a * (double)pilot->n_rows / (double)few->n_rows;
	const double slope = (b - a) / (double)(more->n_rows - few->n_rows);
	return a + (slope > 0 ? slope : 0) * (double)(pilot->n_rows - few->n_rows);
}

/* One of the shards and, where that is short, one of four times the rows; what a process does once, as designing
 * filters, is not taken for the rows' then. */
static clpac_status compute_shards(const struct pilot *pilot, cost *out, clpac_error *err)
{
	struct study *study = pilot->study;
	cost few, more = {0};
	RETURN_IF_ERROR(compute_shard(pilot, pilot->n_shards, &few, err));
	const double peak_bytes = few.peak_bytes; /* of a process that has computed this alone */
	if (few.computing_s < SHORT_S && pilot->n_shards >= 8) {
		RETURN_IF_ERROR(compute_shard(pilot, pilot->n_shards, &few, err));
		RETURN_IF_ERROR(compute_shard(pilot, pilot->n_shards / 4, &more, err));
	}
	study->n_shards = pilot->n_shards;
	study->shard_s = few.opening_s + few.computing_s;
	study->shard_bytes = few.result_bytes;
	*out = few;
	out->peak_bytes = peak_bytes;
	out->computing_s = of_whole(pilot, &few, &more, few.computing_s, more.computing_s);
	out->result_bytes = of_whole(pilot, &few, &more, few.result_bytes, more.result_bytes);
	return CLPAC_OK;
}

static clpac_status try_recording(struct study *study, size_t i, tool_call *call, clpac__job_contexts *contexts,
				  bool counts, clpac_error *err)
{
	struct pilot pilot = {.study = study, .call = call, .contexts = contexts};
	cost whole;
	call->values.analysis.input = study->each[i].path;
	RETURN_IF_ERROR(look(&pilot, err));
	const bool has_shards = pilot.n_shards > 1;
	RETURN_IF_ERROR(has_shards ? compute_shards(&pilot, &whole, err) : compute_shard(&pilot, 1, &whole, err));
	if (!counts)
		return CLPAC_OK;
	study->peak_bytes = whole.peak_bytes > study->peak_bytes ? whole.peak_bytes : study->peak_bytes;
	study->n_pilots++;
	study->pilot_bytes += study->each[i].bytes;
	study->cores_s += whole.opening_s + whole.computing_s;
	study->result_bytes += whole.result_bytes;
	study->n_files = whole.n_files;
	return CLPAC_OK;
}

/* Up to three recordings, the largest among them, whose memory counts; before them the smallest, whose time is not
 * taken: what a process does once, as opening devices, is no recording's. */
static clpac_status try_some(struct study *study, tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job_contexts contexts = {0};
	const size_t n = study->n < MOST_PILOTS ? study->n : MOST_PILOTS;
	if (study->n > 1)
		TRY(try_recording(study, 0, call, &contexts, false, err));
	for (size_t i = 0; i < n; i++) {
		tool_interrupt_let_end();
		TRY(try_recording(study, i + 1 == n ? study->n - 1 : (2 * i + 1) * study->n / (2 * n), call, &contexts,
				  true, err));
	}
done:
	clpac__job_contexts_close(&contexts);
	return st;
}

/* --- The page ------------------------------------------------------------------------------------ */

static clpac_status print(const struct study *study, const tool_call *call, clpac_error *err)
{
	const double scale = study->bytes / (study->pilot_bytes > 0 ? study->pilot_bytes : 1);
	const double cores_s = study->cores_s * scale, result_bytes = study->result_bytes * scale;
	const size_t n_files = study->n_files * study->n;
	char texts[4][32];
	if (call->values.json) {
		clpac__json_tree json = {.root = json_object()};
		const struct {
			const char *key;
			double value;
		} rows[] = {{"n_recordings", (double)study->n},
			    {"recording_bytes", study->bytes},
			    {"n_computed", (double)study->n_pilots},
			    {"core_hours", cores_s / 3600},
			    {"core_seconds_each", cores_s / (double)study->n},
			    {"process_bytes", study->peak_bytes},
			    {"n_files", (double)n_files},
			    {"result_bytes", result_bytes},
			    {"n_shards", (double)study->n_shards},
			    {"shard_seconds", study->shard_s},
			    {"shard_bytes", study->shard_bytes}};
		for (size_t i = 0; i < sizeof rows / sizeof *rows - (study->n_shards ? 0 : 3); i++)
			clpac__json_tree_number(&json, json.root, rows[i].key, rows[i].value);
		return tool_json_print(&json, err);
	}
	tool_print(stdout, "study      %zu recording%s, %s; of %zu of them %s computed\n", study->n,
		   study->n == 1 ? "" : "s", clpac__bytes_text((uint64_t)study->bytes, texts[0]), study->n_pilots,
		   study->n_shards ? "a shard was" : "all was");
	tool_print(stdout, "time       %.3g core-hours, %.3g s of a core for each recording\n", cores_s / 3600,
		   cores_s / (double)study->n);
	tool_print(stdout, "memory     %s a process%s\n", clpac__bytes_text((uint64_t)study->peak_bytes, texts[1]),
		   study->n_shards ? ", which computes a shard" : "");
	tool_print(stdout, "results    %zu files, %s\n", n_files, clpac__bytes_text((uint64_t)result_bytes, texts[2]));
	if (study->n_shards)
		tool_print(stdout, "shards     each of %zu takes %.3g s of a core and writes %s\n", study->n_shards,
			   study->shard_s, clpac__bytes_text((uint64_t)study->shard_bytes, texts[3]));
	return CLPAC_OK;
}

clpac_status tool_study_plan(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct study study = {0};
	const char *folder = clpac__environment("TMPDIR");
	call->values.quiet = true;
	call->values.force = true;
	TRY(tool_interrupt_watch(call->command->name, err));
	TRY(find(call, &study, err));
	snprintf(study.folder, sizeof study.folder, "%.150s/clpac-study.XXXXXX", folder ? folder : "/tmp");
	if (!mkdtemp(study.folder)) {
		*study.folder = 0;
		FAIL_SYSTEM("making a folder in %s", folder ? folder : "/tmp");
	}
	/* --json asks for this page, and not for that of each result. */
	const bool as_json = call->values.json;
	call->values.json = false;
	st = try_some(&study, call, err);
	call->values.json = as_json;
	TRY(st);
	TRY(print(&study, call, err));
done:
	if (*study.folder)
		rmdir(study.folder);
	clpac__inputs_clear(&study.inputs);
	clpac__free(study.each);
	return st;
}
