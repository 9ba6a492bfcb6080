/* Recordings one after the other, on devices that stay open. */
#include "tool/several.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "analysis/checkpoints/request.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tool/claim.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/news.h"
#include "tool/progress.h"
#include "tool/rank.h"
#include "tool/output_files.h"
#include "tool/commands.h"

clpac_status tool_several_check(const tool_call *call, clpac_error *err)
{
	if (call->values.skip_existing && call->values.analysis.no_checksum)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--skip-existing compares checksums, which --no-checksum leaves out; give one of them");
	return CLPAC_OK;
}

/* What the recordings of a call share. */
typedef struct common {
	clpac__job_contexts contexts;
	clpac__kept_names kept; /* of the folder of the last result that was done */
	tool_news news;		/* of the processes that share the folder */
	size_t at;		/* the recording */
} common;

static void say_done(const tool_call *call, const char *npz)
{
	if (!call->values.quiet)
		tool_print(stderr, "clpac %s: %s is done already, from the same recording with the same options\n",
			   call->command->name, npz);
}

static void say_left(const tool_call *call, const char *npz, const char *owner)
{
	if (!call->values.quiet)
		tool_print(stderr, "clpac %s: %s is being computed by %s, and left to it\n", call->command->name, npz,
			   owner);
}

/* Removes what a run left that was killed when its result was there, before it had removed claim and checkpoints. Their
 * folder is listed once for all recordings, and anew where a claim was left, whose owner was there since. */
static void remove_left(const char *npz, const tool_call *call, clpac__kept_names *names)
{
	clpac__checkpoints left = {0};
	if (tool_claim_remove_left(npz))
		clpac__kept_names_clear(names);
	if (clpac__checkpoints_open(&call->values.analysis, npz, "", "", &left, NULL) == CLPAC_OK &&
	    clpac__checkpoints_are_among(&left, names))
		clpac__checkpoints_remove(&left);
	clpac__checkpoints_close(&left);
}

/* Whether --skip-existing leaves the recording out, which is said.  A result of another request stays, too, unless
 * --force is given: CLPAC_ERROR_IO.
 * @param is_claimed false: another process may be putting its files in place at this moment, so that nothing but what
 *        is done is judged. */
static clpac_status skip(const tool_run_outputs *files, tool_call *call, common *all, bool is_claimed, bool *is_done,
			 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *missing;
	char why[400];
	*is_done = false;
	if (!call->values.skip_existing)
		return st;
	RETURN_IF_ERROR(clpac__request_is_done(&call->values.analysis, files->npz, files->json, is_done, why, err));
	if (*is_done && !tool_run_outputs_are_there(files, &missing)) {
		*is_done = false;
		snprintf(why, sizeof why, "is there, but %.300s is missing", missing);
	}
	if (*is_done) {
		remove_left(files->npz, call, &all->kept);
		say_done(call, files->npz);
	}
	if (*is_done || !*why || call->values.force || !is_claimed)
		return st;
	call->direction = TOOL_OUTPUT;
	st = clpac__fail_native(err, CLPAC_ERROR_IO, EEXIST, "%.300s %s; --force replaces it", files->npz, why);
	return st;
}

/* Claims a recording that --skip-existing does not leave out.  What another process is computing is left to it, which
 * is said, and what it has finished since is done. */
static clpac_status claim(const tool_run_outputs *files, tool_call *call, common *all, bool *is_left, bool *is_done,
			  clpac_error *err)
{
	char owner[TOOL_OWNER_SIZE];
	bool is_mine = true;
	*is_left = false;
	if (!call->values.skip_existing || *is_done)
		return CLPAC_OK;
	RETURN_IF_ERROR(tool_folders_make(files->npz, call, err));
	call->direction = TOOL_OUTPUT;
	RETURN_IF_ERROR(tool_claim_take(files->npz, call->request, &is_mine, owner, err));
	call->direction = TOOL_INPUT;
	*is_left = !is_mine;
	if (is_mine)
		tool_news_tell(&all->news, all->at, TOOL_BEGUN);
	else
		say_left(call, files->npz, owner);
	return is_mine && !call->values.force ? skip(files, call, all, true, is_done, err) : CLPAC_OK;
}

/* The fate of a recording.  LEFT: another process computes it. */
typedef enum outcome { FAILED = 0, DONE, SKIPPED, LEFT, OUTCOME_COUNT } outcome;

/* Computes the recording that is the call's input.
 * @param whole the result to write, of a shard that of all. @param place "file 2 of 40"; NULL: the only one. */
static clpac_status run_recording(tool_call *call, const tool_computation *what, const char *whole, common *all,
				  const char *place, outcome *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {.contexts = &all->contexts};
	tool_run_outputs files = {0};
	clpac_result *result = NULL;
	const double started_s = clpac__clock_seconds();
	bool is_done = false, is_left = false;
	*out = FAILED;
	char *npz = tool_output_of_shard(whole, &call->values.analysis);
	if (!npz)
		FAIL_NO_MEMORY(strlen(whole));
	if (call->values.analysis.told)
		clpac__text_clear(call->values.analysis.told);
	tool_progress_expect(call);
	TRY(tool_job_prepare(&job, call, err));
	TRY(tool_run_outputs_name(npz, call, &files, err));
	TRY(skip(&files, call, all, false, &is_done, err));
	TRY(claim(&files, call, all, &is_left, &is_done, err));
	if (is_done || is_left) {
		*out = is_done ? SKIPPED : LEFT;
		goto done;
	}
	TRY(tool_run_outputs_check(&files, call->values.analysis.input, call, err));
	TRY(what->compute(call, &job, npz, place, &result, err));
	if (!result) {
		*out = DONE;
		goto done;
	}
	tool_interrupt_hold();
	const double seconds = clpac__clock_seconds() - started_s;
	clpac__job_tell_warnings(&job, result);
	if (!job.shard.n)
		TRY(clpac__job_check_cells(&job, result, err));
	job.sentence = what->sentence(&job, result, seconds);
	TRY(tool_run_outputs_write(&files, result, &job, call, err));
	if (job.checkpoints)
		clpac__checkpoints_remove(job.checkpoints);
	tool_say(call, job.sentence);
	job.sentence = NULL;
	*out = DONE;
done:
	tool_progress_end(call);
	tool_interrupt_release();
	tool_claim_release();
	clpac_result_destroy(result);
	clpac__job_close(&job);
	clpac__job_contexts_trim(&all->contexts);
	tool_run_outputs_clear(&files);
	clpac__free(npz);
	return st;
}

/* Reports wrong options once, before any recording. */
static clpac_status check_options(tool_call *call, const tool_computation *what, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__job job = {0};
	tool_run_outputs files = {0};
	double interval_s;
	TRY(tool_rank_take(call, err));
	if (what->check)
		TRY(what->check(call, err));
	TRY(tool_job_prepare(&job, call, err));
	TRY(clpac__checkpoints_interval(&call->values.analysis, &interval_s, err));
	TRY(tool_several_check(call, err));
	TRY(tool_run_outputs_name("", call, &files, err));
done:
	tool_run_outputs_clear(&files);
	clpac__job_close(&job);
	return st;
}

/* The recordings that failed: how many, and the first of them, which decides the exit code. */
typedef struct failures {
	size_t n;
	const char *first;
	clpac_status st;
	int native_code;
	tool_direction direction;
	char why[CLPAC_ERROR_TEXT_SIZE];
} failures;

static clpac_status close_several(const clpac__inputs *inputs, const size_t counts[OUTCOME_COUNT],
				  const failures *failed, tool_call *call, clpac_error *err)
{
	char done[120];
	const int n = snprintf(done, sizeof done, "%zu computed, %zu done before", counts[DONE], counts[SKIPPED]);
	if (counts[LEFT])
		snprintf(done + n, sizeof done - (size_t)n, ", %zu left to other processes", counts[LEFT]);
	if (failed->n) {
		call->direction = failed->direction;
		return clpac__fail_native(err, failed->st, failed->native_code,
					  "%zu of %zu recordings failed, the first of them %.300s; %s (%.400s)",
					  failed->n, inputs->n, failed->first, done, failed->why);
	}
	if (!call->values.quiet)
		tool_print(stderr, "clpac %s: %zu recording%s: %s; results are in %s\n", call->command->name, inputs->n,
			   inputs->n == 1 ? "" : "s", done, inputs->folder);
	return CLPAC_OK;
}

/* --- Several ------------------------------------------------------------------------------------- */

/* The order of the recordings: theirs, and from another place on where another process was met, which takes them in
 * their order, too.  What others have begun comes last. */
struct walk {
	bool *is_over; /* owned: of each recording */
	size_t next;
	uint64_t place; /* random */
	bool is_end;	/* what others have begun is left */
};

static clpac_status begin_walk(size_t n, struct walk *out, clpac_error *err)
{
	char host[65] = "";
	struct timespec now;
	const pid_t process = getpid();
	RETURN_IF_ERROR(NEW_ARRAY(out->is_over, n));
	gethostname(host, sizeof host - 1);
	clock_gettime(CLOCK_REALTIME, &now);
	out->place = clpac__hash(CLPAC__HASH_START, host, strlen(host));
	out->place = clpac__hash(out->place, &process, sizeof process);
	out->place = clpac__hash(out->place, &now.tv_sec, sizeof now.tv_sec);
	out->place = clpac__hash(out->place, &now.tv_nsec, sizeof now.tv_nsec);
	return CLPAC_OK;
}

static void jump(struct walk *walk, size_t n)
{
	walk->place = clpac__hash(walk->place, &walk->place, sizeof walk->place);
	walk->next = (size_t)(walk->place >> 16) % n;
}

static bool find_next(struct walk *walk, const tool_news *news, size_t n, size_t *out)
{
	for (size_t k = 0; k < n; k++) {
		const size_t i = (walk->next + k) % n;
		if (walk->is_over[i] ||
		    (!walk->is_end && tool_news_knows(news, i, TOOL_BEGUN) && !tool_news_knows(news, i, TOOL_DONE)))
			continue;
		*out = i;
		return true;
	}
	return false;
}

/* Takes the next recording; false: all are over.  The news are read where the file system is to be asked otherwise. */
static bool take_next(struct walk *walk, tool_news *news, size_t n, size_t *out)
{
	bool is_found = find_next(walk, news, n, out);
	if (is_found && tool_news_knows(news, *out, TOOL_DONE))
		return true;
	if (tool_news_read(news)) {
		jump(walk, n);
		is_found = find_next(walk, news, n, out);
	}
	if (!is_found && !walk->is_end) {
		walk->is_end = true;
		is_found = find_next(walk, news, n, out);
	}
	return is_found;
}

/* Whether a recording is left out since it is known to be another's. */
static bool is_known_to_be(outcome *fate, const struct walk *walk, const tool_call *call, const common *all,
			   const char *whole)
{
	char owner[TOOL_OWNER_SIZE], *npz = tool_output_of_shard(whole, &call->values.analysis);
	if (tool_news_knows(&all->news, all->at, TOOL_DONE)) {
		say_done(call, npz ? npz : whole);
		*fate = SKIPPED;
	} else if (walk->is_end && npz && tool_claim_is_anothers(npz, owner)) {
		say_left(call, npz, owner);
		*fate = LEFT;
	}
	clpac__free(npz);
	return *fate != FAILED;
}

/* Each recording of several by itself: one that fails is reported, and the next is begun. */
static clpac_status run_each(tool_call *call, const tool_computation *what, clpac__inputs *inputs, common *all,
			     clpac_error *err)
{
	clpac_status done = CLPAC_OK;
	failures failed = {0};
	size_t counts[OUTCOME_COUNT] = {0};
	struct walk walk = {0};
	RETURN_IF_ERROR(begin_walk(inputs->n, &walk, err));
	while (take_next(&walk, &all->news, inputs->n, &all->at)) {
		tool_interrupt_let_end();
		clpac__input_file *file = &inputs->each[all->at];
		clpac_error why = {0};
		outcome fate = FAILED;
		char place[64];
		walk.is_over[all->at] = true;
		walk.next = all->at + 1;
		snprintf(place, sizeof place, "file %zu of %zu", all->at + 1, inputs->n);
		call->values.analysis.input = file->path;
		call->direction = TOOL_INPUT;
		if (!call->values.quiet)
			tool_print(stderr, "clpac %s: %s: %s\n", call->command->name, place, file->path);
		clpac_status st = CLPAC_OK;
		if (!is_known_to_be(&fate, &walk, call, all, file->output)) {
			st = run_recording(call, what, file->output, all, place, &fate, &why);
			if (fate == DONE || fate == SKIPPED)
				tool_news_tell(&all->news, all->at, TOOL_DONE);
		}
		if (fate == LEFT && !walk.is_end) { /* another was quicker */
			tool_news_note(&all->news, all->at, TOOL_BEGUN);
			walk.is_over[all->at] = false;
			jump(&walk, inputs->n);
			continue;
		}
		counts[fate]++;
		if (fate == DONE)
			tool_interrupt_next();
		if (st == CLPAC_OK)
			continue;
		tool_interrupt_let_end();
		tool_print(stderr, "clpac %s: %s, %s, failed: %s\n", call->command->name, place, file->path, why.text);
		file->failure = clpac__strdup(why.text);
		if (!failed.n++) {
			failed = (failures){1, file->path, st, why.native_code, call->direction, ""};
			snprintf(failed.why, sizeof failed.why, "%s", why.text);
		}
		/* A device that failed is opened anew. */
		if (st == CLPAC_ERROR_DEVICE)
			clpac__job_contexts_close(&all->contexts);
	}
	if (!counts[LEFT])
		tool_news_remove(&all->news);
	done = close_several(inputs, counts, &failed, call, err);
	clpac__free(walk.is_over);
	return done;
}

clpac_status tool_several_prepare(tool_call *call, const tool_computation *what, clpac_error *err)
{
	RETURN_IF_ERROR(tool_interrupt_watch(call->command->name, err));
	return check_options(call, what, err);
}

clpac_status tool_several_compute(tool_call *call, const tool_computation *what, clpac__inputs *inputs,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	common all = {0};
	outcome fate;
	call->values.analysis.is_one_of_several = inputs->are_several;
	if (inputs->are_several && call->values.skip_existing)
		TRY(tool_news_open(call, inputs, &all.news, err));
	st = inputs->are_several ? run_each(call, what, inputs, &all, err)
				 : run_recording(call, what, inputs->each[0].output, &all, NULL, &fate, err);
done:
	tool_news_close(&all.news);
	clpac__job_contexts_close(&all.contexts);
	clpac__kept_names_clear(&all.kept);
	return st;
}

clpac_status tool_several_run(tool_call *call, const tool_computation *what, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__inputs inputs = {0};
	TRY(tool_several_prepare(call, what, err));
	TRY(clpac__inputs_find(call->every_operand, call->n_operands, call->values.output, &inputs, err));
	TRY(tool_several_compute(call, what, &inputs, err));
done:
	clpac__inputs_clear(&inputs);
	return st;
}
