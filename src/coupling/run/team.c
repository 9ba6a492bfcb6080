/* Shares a run's series among members.
 *
 * A free member takes the next batch: half of its share of the remaining series.  Shares follow the members' speeds in
 * their last batches, so that all end together.  A member that would need longer for one series than the others for all
 * the rest stands by.  Which member computes a series changes no number, except through its device's own arithmetic.
 *
 * A member that fails leaves the team.  Others compute the batch it had begun and overwrite all its rows in the result.
 */
#include "coupling/run/team.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "coupling/run/ahead.h"
#include "coupling/run/making.h"
#include "coupling/run/place.h"
#include "coupling/stages/pulse.h"

static bool is_out(const clpac__member *member)
{
	return member->st != CLPAC_OK;
}

/* --- Taking batches; the lock is held -------------------------------------------------------------- */

/* Assumed relative speed of a kind of device, used until it is measured; right within a factor of a few. */
static double guess(const clpac_plan *plan)
{
	static const double of_kind[CLPAC_DEVICE_KIND_COUNT] = {
		[CLPAC_DEVICE_DISCRETE_GPU] = 30, [CLPAC_DEVICE_INTEGRATED_GPU] = 4, [CLPAC_DEVICE_ACCELERATOR] = 4,
		[CLPAC_DEVICE_NATIVE] = 1,	  [CLPAC_DEVICE_OPENCL_CPU] = 0.7,   [CLPAC_DEVICE_OTHER] = 0.5,
	};
	return of_kind[plan->context->queue->device.kind];
}

/* The other members still at work, seen from one member. */
struct others {
	size_t n, n_working, n_at_work_on; /* n_at_work_on: series */
	double speed, fastest, own_speed;  /* in one unit: as measured, or as guessed until every member is measured */
	bool is_guess;
};

static struct others look_at_others(const clpac__member *self)
{
	const clpac__team *team = self->team;
	struct others found = {0};
	for (size_t i = 0; i < team->n_members; i++)
		found.is_guess |= !is_out(&team->members[i]) && !(team->members[i].batch->speed > 0);
	for (size_t i = 0; i < team->n_members; i++) {
		const clpac__member *member = &team->members[i];
		const double speed = found.is_guess ? guess(member->plan) : member->batch->speed;
		if (member == self)
			found.own_speed = speed;
		if (member == self || is_out(member))
			continue;
		found.n++;
		found.n_working += member->is_working;
		found.n_at_work_on += member->is_working ? member->span.n : 0;
		found.speed += speed;
		found.fastest = speed > found.fastest ? speed : found.fastest;
	}
	return found;
}

/* Whether the others would not have to wait for one more series of this member.  The fastest member is always of use,
 * so that not all stand by. */
static bool is_of_use(const struct others *others, size_t left)
{
	return !others->n || others->own_speed >= others->fastest ||
	       1 / others->own_speed <= (double)(left + others->n_at_work_on) / others->speed;
}

/* Half of this member's share of the remaining series; a quarter while speeds are guessed. */
static size_t fair_batch(const struct others *others, size_t left)
{
	if (!others->n)
		return left;
	const double part = others->own_speed / (others->own_speed + others->speed);
	const size_t batch = (size_t)((others->is_guess ? 0.25 : 0.5) * part * (double)left);
	return batch ? batch : 1;
}

/* Takes up to n consecutive free series. */
static clpac__span cut(clpac__team *team, size_t n)
{
	while (team->is_taken[team->lowest])
		team->lowest++;
	clpac__span span = {team->lowest, 0};
	while (span.n < n && span.first + span.n < team->n_series && !team->is_taken[span.first + span.n])
		team->is_taken[span.first + span.n++] = true;
	team->n_left -= span.n;
	return span;
}

/* What a member that works alone takes next, if its layout stays.  Where there are several, the speed of this batch
 * decides. */
static clpac__span behind(const clpac__member *self)
{
	const clpac__team *team = self->team;
	const size_t n = team->n_members > 1 ? 0 : clpac__smaller(self->plan->layout.batch, team->n_left);
	return (clpac__span){self->span.first + self->span.n, n};
}

static void give_back(clpac__team *team, clpac__span span)
{
	for (size_t i = 0; i < span.n; i++)
		team->is_taken[span.first + i] = false;
	team->lowest = clpac__smaller(team->lowest, span.first);
	team->n_left += span.n;
}

/* Takes a batch, waiting if necessary.  False: nothing is left to do, or the run was cancelled. */
static bool take(clpac__member *self)
{
	clpac__team *team = self->team;
	for (;;) {
		const struct others others = look_at_others(self);
		const size_t left = team->n_left;
		if (team->is_cancelled || (!left && !others.n_working))
			return false;
		if (left && is_of_use(&others, left)) {
			const size_t batch = clpac__smaller(self->plan->layout.batch, fair_batch(&others, left));
			self->span = cut(team, batch);
			const clpac__span next = behind(self);
			self->run.next = next.first;
			self->run.n_next = next.n;
			self->is_working = true;
			self->advanced = 0;
			return true;
		}
		pthread_cond_wait(&team->changed, &team->lock); /* another member may still fail and return its batch */
	}
}

/* --- Work ------------------------------------------------------------------------------------- */

static void keep_peak(clpac__member *self)
{
	const uint64_t now = clpac__batch_taken(self->batch);
	if (now > self->report.peak_bytes)
		self->report.peak_bytes = now;
}

/* Switches to a smaller layout after a batch was refused memory; the report is as if the batch had not been tried. */
static clpac_status go_down(clpac__member *self, const clpac_report *before, clpac_error *err)
{
	clpac_report *report = &self->report;
	keep_peak(self);
	const uint64_t peak = report->peak_bytes;
	const size_t n_phase = report->n_phase_filterings, n_amplitude = report->n_amplitude_filterings;
	char why[CLPAC_ERROR_TEXT_SIZE];
	memcpy(why, err->text, sizeof why);
	clpac_plan *now = self->plan;
	const clpac_status st = clpac__plan_go_down(&now, self->batch, why, err);
	/* Other members look at the plans of all when they take a batch. */
	pthread_mutex_lock(&self->team->lock);
	self->plan = now;
	pthread_mutex_unlock(&self->team->lock);
	RETURN_IF_ERROR(st);
	*report = self->plan->report;
	report->peak_bytes = peak;
	report->n_cpu_fallbacks = before->n_cpu_fallbacks;
	report->n_overflowing_series = before->n_overflowing_series;
	report->n_phase_filterings = n_phase; /* channels that were kept of the batch are not filtered again */
	report->n_amplitude_filterings = n_amplitude;
	report->n_stages = before->n_stages;
	memcpy(report->stages, before->stages, sizeof report->stages);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		if (kind != CLPAC_WARN_STRATEGY)
			report->warnings[kind] = before->warnings[kind];
	return CLPAC_OK;
}

static clpac_status stop(const clpac__team *team, size_t done, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_CANCELLED, "stopped after %zu of %zu series and surrogates, as asked", done,
			   team->total);
}

/* Computes one batch.  CLPAC_OK with *is_done false: the run got a smaller layout, and the batch must be taken
 * again. */
static clpac_status compute(clpac__member *self, bool *is_done, clpac_error *err)
{
	const clpac_report before = self->report;
	clpac_status st =
		clpac__execute_batch(self->plan, self->batch, &self->run, self->span.first, self->span.n, err);
	*is_done = st == CLPAC_OK;
	if (st == CLPAC_OK)
		self->report.n_cpu_fallbacks += self->plan->fallback != NULL;
	else if (st == CLPAC_ERROR_NO_DEVICE_MEMORY)
		st = go_down(self, &before, err);
	else
		self->report = before;
	if (st == CLPAC_ERROR_CANCELLED && self->is_stopped)
		return stop(self->team, self->team->told, err);
	return st;
}

/* Tells progress within a launch: how much of what it will advance by is done. */
static bool hear(void *user, double share)
{
	clpac__member *self = user;
	clpac__team *team = self->team;
	const clpac_plan_options *options = team->options;
	pthread_mutex_lock(&team->telling);
	pthread_mutex_lock(&team->lock);
	const size_t done = team->done + (size_t)(share * (double)self->run.expected);
	team->told = done > team->told ? done : team->told;
	const size_t told = team->told;
	bool goes_on = !team->is_cancelled;
	pthread_mutex_unlock(&team->lock);
	goes_on = goes_on && clpac__pulse_tell(options->progress, options->progress_user, told, team->total);
	pthread_mutex_unlock(&team->telling);
	self->is_stopped |= !goes_on;
	return goes_on;
}

static void *work(void *user)
{
	clpac__member *self = user;
	clpac__team *team = self->team;
	clpac__pulse pulse = {.beat = hear, .user = self, .told_s = clpac__clock_seconds()};
	clpac__pulse *before = clpac__pulse_use(team->options->progress ? &pulse : NULL);
	clpac_cancel_use(team->cancel); /* the thread may be the library's */
	pthread_mutex_lock(&team->lock);
	while (!is_out(self) && take(self)) {
		bool is_done = false;
		pthread_mutex_unlock(&team->lock);
		const double started = clpac__clock_seconds();
		clpac_error why = {0};
		const clpac_status st = compute(self, &is_done, &why);
		const double seconds = clpac__clock_seconds() - started;
		pthread_mutex_lock(&team->lock);
		self->did.seconds += seconds;
		if (is_done) {
			if (seconds > 0)
				self->batch->speed = (double)self->span.n / seconds;
			self->did.n_series += self->span.n;
			self->did.n_batches++;
		} else {
			give_back(team, self->span);
			team->done -= self->advanced;
			self->st = st;
			self->why = why;
			team->is_cancelled |= st == CLPAC_ERROR_CANCELLED;
		}
		self->is_working = false;
		pthread_cond_broadcast(&team->changed);
	}
	pthread_mutex_unlock(&team->lock);
	clpac__ahead_drop(self->plan, self->batch, &self->run);
	clpac__pulse_use(before);
	return NULL;
}

clpac_status clpac__team_advance(clpac__run *run, size_t more, clpac_error *err)
{
	clpac__member *member = run->member;
	clpac__team *team = member->team;
	const clpac_plan_options *options = team->options;
	clpac__queue *queue = member->plan->context->queue;
	/* Who hears of progress hears of work that is done. */
	if (options->progress)
		RETURN_IF_ERROR(queue->operations->finish(queue, err));
	pthread_mutex_lock(&team->telling);
	pthread_mutex_lock(&team->lock);
	member->advanced += more;
	member->run.expected = 0;
	team->done += more;
	team->told = team->done > team->told ? team->done : team->told;
	const size_t done = team->told;
	bool goes_on = !team->is_cancelled;
	pthread_mutex_unlock(&team->lock);
	if (goes_on && options->progress)
		goes_on = clpac__pulse_tell(options->progress, options->progress_user, done, team->total);
	pthread_mutex_unlock(&team->telling);
	return goes_on ? CLPAC_OK : stop(team, done, err);
}

/* Reports why no member is left, or why the run was cancelled. */
static clpac_status fail(const clpac__team *team, clpac_error *err)
{
	const clpac__member *first = &team->members[0];
	for (size_t i = 0; i < team->n_members; i++)
		if (team->members[i].st == CLPAC_ERROR_CANCELLED)
			first = &team->members[i];
	if (err)
		*err = first->why;
	if (first->st == CLPAC_ERROR_CANCELLED || team->n_members == 1)
		return first->st;
	return clpac__fail_context(err, first->st, "none of %zu devices is left; the first one, %.100s, failed",
				   team->n_members, first->report.device);
}

clpac_status clpac__team_work(clpac__team *team, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pthread_t *threads = NULL;
	size_t n_threads = 0;
	team->options = &team->members[0].plan->options;
	team->cancel = clpac_cancel_used();
	if (team->n_members > 1 && !(threads = clpac__alloc_array(team->n_members, sizeof *threads)))
		FAIL_NO_MEMORY(team->n_members * sizeof *threads);
	for (size_t i = 1; i < team->n_members; i++) {
		clpac__member *member = &team->members[i];
		clpac_error why = {0};
		const int code = clpac__thread_create(&threads[n_threads], CLPAC__LEAST_STACK, work, member);
		if (!code) {
			n_threads++;
			continue;
		}
		clpac__fail_native(&why, CLPAC_ERROR_NO_MEMORY, code,
				   "pthread_create: no thread could be started for the device (%d)", code);
		pthread_mutex_lock(&team->lock);
		member->st = CLPAC_ERROR_NO_MEMORY;
		member->why = why;
		pthread_mutex_unlock(&team->lock);
	}
	work(&team->members[0]);
	for (size_t i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < team->n_members; i++)
		keep_peak(&team->members[i]);
	if (team->is_cancelled || team->n_left)
		st = fail(team, err);
done:
	clpac__free(threads);
	return st;
}
