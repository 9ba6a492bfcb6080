/* Times two variants in turns and prints one JSON line about them. */
#include "bench/pool_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { LEAST_REPETITIONS = 11, MOST_REPETITIONS = 51, QUICK_REPETITIONS = 3, N_TRIES = 3, N_CLOCK_READINGS = 1001 };

static const double enough_s = 0.4; /* fast variants are repeated until this much time is spent */

static const char *const level_text[] = {"L0", "L1", "L2"};
_Static_assert(sizeof level_text / sizeof *level_text == N_LEVELS, "one text per level");

void end(const char *why)
{
	fprintf(stderr, "bench/pool: %s\n", why);
	exit(EXIT_FAILURE);
}

void end_if(clpac_status st, const clpac_error *err)
{
	if (st != CLPAC_OK)
		end(err->text);
}

void *get_memory(size_t n, size_t each)
{
	void *memory = calloc(n ? n : 1, each);
	if (!memory)
		end("no memory for the bench itself");
	return memory;
}

bool is_native(const bench *b)
{
	return strcmp(b->device->backend, "native") == 0;
}

/* --- Statistics ------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double sort_for_median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void take_turns_once(const bench *b, variant *baseline, void *baseline_user, variant *ours, void *our_user,
			    line *l)
{
	double ratio[MOST_REPETITIONS], control[MOST_REPETITIONS], theirs_s[2 * MOST_REPETITIONS],
		ours_s[2 * MOST_REPETITIONS];
	const size_t least = b->is_quick ? QUICK_REPETITIONS : LEAST_REPETITIONS;
	const double begin = clpac__clock_seconds();
	size_t n = 0;
	while (n < least || (!b->is_quick && n < MOST_REPETITIONS && clpac__clock_seconds() - begin < enough_s)) {
		double *theirs = &theirs_s[2 * n], *own = &ours_s[2 * n];
		theirs[0] = baseline(baseline_user);
		own[0] = ours(our_user);
		theirs[1] = baseline(baseline_user);
		own[1] = ours(our_user);
		ratio[n] = (theirs[0] + theirs[1]) / (own[0] + own[1]);
		control[n] = theirs[0] / theirs[1];
		n++;
	}
	l->ratio = sort_for_median(ratio, n);
	l->low = ratio[0];
	l->high = ratio[n - 1];
	l->control = sort_for_median(control, n);
	l->baseline_ns = 1e9 * sort_for_median(theirs_s, 2 * n);
	l->ours_ns = 1e9 * sort_for_median(ours_s, 2 * n);
	l->baseline_least_ns = 1e9 * theirs_s[0];
	l->ours_least_ns = 1e9 * ours_s[0];
	l->n_repetitions = n;
}

void take_turns(const bench *b, variant *baseline, void *baseline_user, variant *ours, void *our_user, line *l)
{
	double nearest = INFINITY;
	line found = *l;
	for (size_t i = 1; i <= N_TRIES && nearest > 0.05; i++) {
		take_turns_once(b, baseline, baseline_user, ours, our_user, &found);
		if (fabs(found.control - 1) < nearest) {
			nearest = fabs(found.control - 1);
			*l = found;
		}
		l->n_tries = i;
		if (b->is_quick)
			break;
	}
}

void line_latencies(line *l, double *seconds, size_t n)
{
	double reading[N_CLOCK_READINGS];
	if (!n)
		return;
	for (size_t i = 0; i < N_CLOCK_READINGS; i++) {
		const double begin = clpac__clock_seconds();
		reading[i] = clpac__clock_seconds() - begin;
	}
	const double clock_s = sort_for_median(reading, N_CLOCK_READINGS);
	for (size_t i = 0; i < n; i++)
		seconds[i] = seconds[i] > clock_s ? seconds[i] - clock_s : 0;
	l->p50 = 1e9 * sort_for_median(seconds, n);
	l->p99 = 1e9 * seconds[(size_t)(0.99 * (double)(n - 1))];
	l->p999 = 1e9 * seconds[(size_t)(0.999 * (double)(n - 1))];
	l->most = 1e9 * seconds[n - 1];
}

/* --- Lines ------------------------------------------------------------------------------------ */

line line_make(const char *id, const char *what, level level, const char *baseline)
{
	return (line){.id = id,
		      .what = what,
		      .baseline = baseline,
		      .level = level,
		      .ratio = NAN,
		      .low = NAN,
		      .high = NAN,
		      .control = NAN,
		      .baseline_ns = NAN,
		      .ours_ns = NAN,
		      .baseline_least_ns = NAN,
		      .ours_least_ns = NAN,
		      .p50 = NAN,
		      .p99 = NAN,
		      .p999 = NAN,
		      .most = NAN,
		      .hit_rate = NAN,
		      .found = NAN,
		      .wanted = NAN};
}

static void print_number(const char *name, double value)
{
	if (isnan(value))
		printf(", \"%s\": null", name);
	else
		printf(", \"%s\": %.5g", name, value);
}

static void print_text(const char *name, const char *text)
{
	printf(", \"%s\": \"", name);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar((unsigned char)*text < ' ' ? ' ' : *text);
	putchar('"');
}

void line_print(const bench *b, const line *l)
{
	double load = 0;
	getloadavg(&load, 1);
	printf("{\"bench\": \"pool\", \"id\": \"%s\", \"what\": \"%s\", \"level\": \"%s\", \"setting\": \"%s\", "
	       "\"baseline\": \"%s\"",
	       l->id, l->what, level_text[l->level], b->setting, l->baseline);
	print_number("ratio", l->ratio);
	print_number("low", l->low);
	print_number("high", l->high);
	print_number("control", l->control);
	print_number("p50", l->p50);
	print_number("p99", l->p99);
	print_number("p999", l->p999);
	print_number("max", l->most);
	printf(", \"driver_calls\": %" PRIu64, l->driver_calls);
	print_number("hit_rate", l->hit_rate);
	print_number("found", l->found);
	print_number("wanted", l->wanted);
	printf(", \"is_at_most\": %s", l->is_at_most ? "true" : "false");
	print_number("baseline_ns", l->baseline_ns);
	print_number("ours_ns", l->ours_ns);
	print_number("baseline_least_ns", l->baseline_least_ns);
	print_number("ours_least_ns", l->ours_least_ns);
	printf(", \"repetitions\": %zu, \"tries\": %zu%s", l->n_repetitions, l->n_tries, l->more);
	print_text("device", b->device->name);
	print_text("backend", b->device->backend);
	print_text("platform", b->device->platform_name);
	print_text("driver", b->device->driver);
	printf(", \"load\": %.2f}\n", load);
	fflush(stdout);
}

static bool is_listed(const char *list, const char *name)
{
	const size_t n = strlen(name);
	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, name, n) == 0 && (at[n] == ',' || !at[n]))
			return true;
	return !list;
}

bool is_wanted(const bench *b, const char *id, const char *what, level level, const char *baseline)
{
	return is_listed(b->only, id) && (!what || is_listed(b->only_what, what)) &&
	       (level == N_LEVELS || is_listed(b->only_level, level_text[level])) &&
	       (!baseline || is_listed(b->only_baseline, baseline));
}

/* --- A trace on two allocators ---------------------------------------------------------------- */

typedef struct player {
	const struct trace *trace;
	allocator *allocator;
	level level;
} player;

static double play(void *user)
{
	const player *p = user;
	return trace_play(p->trace, p->allocator, p->level) / (double)p->trace->n_timed;
}

static void measure_latencies(const player *p, line *l)
{
	double *seconds = get_memory(p->trace->n_timed, sizeof *seconds);
	line_latencies(l, seconds, trace_play_timed(p->trace, p->allocator, p->level, seconds));
	free(seconds);
}

bool contest_run(const bench *b, const contest *c, line *l)
{
	usage before, after;
	if (!is_wanted(b, c->id, c->what, c->level, c->baseline))
		return false;
	*l = line_make(c->id, c->what, c->level, c->baseline);
	player theirs = {c->trace,
			 baseline_open(b, c->baseline, c->level,
				       c->baseline_bytes ? c->baseline_bytes : c->options.budget.bytes),
			 c->level};
	player ours = {c->trace, ours_open(b, &c->options), c->level};

	/* Each variant runs once untimed: first touches and cold caches belong to S11. */
	play(&theirs);
	play(&ours);
	ours.allocator->measure(ours.allocator, &before);
	take_turns(b, play, &theirs, play, &ours, l);
	ours.allocator->measure(ours.allocator, &after);
	measure_latencies(&ours, l);
	l->driver_calls = after.driver_calls - before.driver_calls;
	const uint64_t hits = after.hits - before.hits, misses = after.misses - before.misses;
	l->hit_rate = hits + misses ? (double)hits / (double)(hits + misses) : NAN;
	l->found = l->ratio;
	l->wanted = c->wanted;
	if (after.peak_requested_bytes)
		snprintf(l->more, sizeof l->more, ", \"reserved_to_requested\": %.4g",
			 (double)after.peak_reserved_bytes / (double)after.peak_requested_bytes);
	ours.allocator->close(ours.allocator);
	theirs.allocator->close(theirs.allocator);
	return true;
}

void contest_print(const bench *b, const contest *c)
{
	line l;
	if (contest_run(b, c, &l))
		line_print(b, &l);
}
