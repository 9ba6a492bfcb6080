/* Time and memory of input by its length. */
#include "growth.h"

#include "test_thread.h"
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t live_bytes, most_bytes;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_realloc(void *old, size_t n);
void __real_free(void *old);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t each);
void *__wrap_realloc(void *old, size_t n);
void __wrap_free(void *old);

static void *count(void *made)
{
	live_bytes += malloc_usable_size(made);
	most_bytes = live_bytes > most_bytes ? live_bytes : most_bytes;
	return made;
}

void *__wrap_malloc(size_t n)
{
	return count(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t each)
{
	return count(__real_calloc(n, each));
}

/* The old block still lives while its content is copied. */
void *__wrap_realloc(void *old, size_t n)
{
	size_t before = malloc_usable_size(old);
	void *made = count(__real_realloc(old, n));
	live_bytes -= made ? before : 0;
	return made;
}

/* Blocks from libraries that are not watched, as texts of jansson, are freed here too. */
void __wrap_free(void *old)
{
	size_t bytes = malloc_usable_size(old);
	live_bytes -= bytes < live_bytes ? bytes : live_bytes;
	__real_free(old);
}

typedef struct cost {
	char path[4096];
	size_t held, bytes;
	double seconds;
} cost;

static double seconds_now(void)
{
	struct timespec now;
	ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const growth_case *growth, size_t n, cost *found)
{
	const size_t before = live_bytes;
	most_bytes = live_bytes;
	const double start = seconds_now();
	growth->use(found->path, n);
	const double seconds = seconds_now() - start;
	found->bytes = most_bytes - before;
	found->seconds = seconds < found->seconds ? seconds : found->seconds;
}

/* A sanitizer's own string functions look at a whole list for each of its entries, so its time says nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool time_counts = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static const bool time_counts = false;
#else
static const bool time_counts = true;
#endif
#else
static const bool time_counts = true;
#endif

void growth_check(const growth_case *growth)
{
	enum { LEAST_ROUNDS = 2, MOST_ROUNDS = 20 };
	const double most = 2.5 * 2.5;
	const size_t bytes_each = growth->bytes_each ? growth->bytes_each : GROWTH_BYTES_EACH;
	/* Memory that was used once stays with the process: the system's time for new pages depends on their number
	 * in steps. */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	cost shorter = {.seconds = 1e9}, longer = {.seconds = 1e9};
	shorter.held = growth->make(growth->n, "shorter", shorter.path, sizeof shorter.path);
	longer.held = growth->make(4 * growth->n, "longer", longer.path, sizeof longer.path);
	for (int round = 0; round < MOST_ROUNDS; round++) {
		measure(growth, growth->n, &shorter);
		measure(growth, 4 * growth->n, &longer);
		if (!time_counts || (round + 1 >= LEAST_ROUNDS && longer.seconds <= most * shorter.seconds))
			break;
	}
	if (getenv("CLPAC_TEST_VERBOSE"))
		fprintf(stderr, "%-40s %8.2f ms, then %5.2f times; %10zu bytes, then %5.2f times; %6.1f a byte\n",
			growth->name, shorter.seconds * 1e3, longer.seconds / shorter.seconds, shorter.bytes,
			(double)longer.bytes / (double)shorter.bytes, (double)longer.bytes / (double)longer.held);
	ck_assert_msg(!time_counts || longer.seconds <= most * shorter.seconds,
		      "%s: %zu entries take %.4f s, four times as many %.4f s", growth->name, growth->n,
		      shorter.seconds, longer.seconds);
	ck_assert_msg((double)longer.bytes <= most * (double)shorter.bytes + GROWTH_FIXED_BYTES / 16,
		      "%s: %zu entries take %zu bytes, four times as many %zu", growth->name, growth->n, shorter.bytes,
		      longer.bytes);
	ck_assert_msg(longer.bytes <= bytes_each * longer.held + GROWTH_FIXED_BYTES,
		      "%s: %zu bytes of input take %zu bytes of memory", growth->name, longer.held, longer.bytes);
}
