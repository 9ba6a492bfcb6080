/* Random operations on a range allocator and on a plain list of the pieces taken (offsets_shadow.h): a million of each
 * kind of traffic. */
#include "runner.h"

#include "assertions.h"
#include "offsets_shadow.h"

enum { N_OPERATIONS = 1000000, AUDIT_EVERY = 64 };

/* A kind of traffic: typical sizes of pieces, and their typical number. */
struct traffic {
	uint64_t size;
	size_t n_live;	       /* taking and giving balance here */
	unsigned max_log2;     /* units up to 2^this, log-uniform */
	unsigned n_alignments; /* 2^0 to 2^(this - 1) */
};

static uint64_t random_units(unsigned long long *state, unsigned max_log2)
{
	unsigned bits = (unsigned)random_below(state, max_log2 + 1);
	return 1 + (random_bits(state) & (((uint64_t)1 << bits) - 1));
}

static bool one_operation(offsets_shadow *shadow, const struct traffic *traffic, unsigned long long *state)
{
	size_t choice = random_below(state, 1000);
	if (shadow->n && choice < 2)
		return offsets_shadow_give_wrongly(shadow, random_below(state, shadow->n), random_bits(state));
	/* The further from the balance, the rarer the operation that leads away from it. */
	bool takes = random_below(state, 2 * traffic->n_live) >= shadow->n;
	if (!takes)
		return offsets_shadow_give(shadow, random_below(state, shadow->n));
	uint64_t units = random_units(state, traffic->max_log2);
	uint64_t alignment = (uint64_t)1 << random_below(state, traffic->n_alignments);
	if (choice < 20)
		return offsets_shadow_take_without_memory(shadow, units, alignment);
	return offsets_shadow_take(shadow, units, alignment);
}

static void run(unsigned long long seed, unsigned n_operations, const struct traffic *traffic)
{
	static offsets_shadow shadow;
	unsigned long long state = seed;
	bool is_well = offsets_shadow_open(&shadow, traffic->size);
	unsigned n = 0;
	for (; is_well && n < n_operations; n++) {
		is_well = one_operation(&shadow, traffic, &state);
		if (n % AUDIT_EVERY == 0)
			is_well = is_well && offsets_shadow_audit(&shadow);
	}
	/* Both kinds occurred; otherwise the model saw one side only. */
	unsigned long taken = shadow.n_taken, refused = shadow.n_refused;
	is_well = is_well && offsets_shadow_close(&shadow);
	ck_assert_msg(is_well, "seed %llu, operation %u: %s", seed, n, shadow.failure);
	ck_assert_uint_gt(taken, n_operations / 10);
	ck_assert_uint_gt(refused, n_operations / 1000);
}

TEST(the_books_of_a_crowded_range_do_what_the_list_says)
{
	const struct traffic crowded = {3000, 150, 7, 3};
	for (unsigned seed = 1; seed <= 4; seed++)
		run(seed, N_OPERATIONS / 4, &crowded);
}

TEST(the_books_of_a_large_range_do_what_the_list_says)
{
	const struct traffic large = {((uint64_t)1 << 40) + 12345, 100, 40, 20};
	for (unsigned seed = 11; seed <= 14; seed++)
		run(seed, N_OPERATIONS / 4, &large);
}

TEST(the_books_of_the_largest_range_do_what_the_list_says)
{
	const struct traffic largest = {CLPAC_OFFSETS_MAX_SIZE, 50, 62, 64};
	for (unsigned seed = 21; seed <= 22; seed++)
		run(seed, N_OPERATIONS / 8, &largest);
}

TEST(the_books_of_any_small_range_do_what_the_list_says)
{
	for (unsigned size = 1; size <= 200; size++) {
		const struct traffic small = {size, 1 + size / 8, 5, 4};
		run(100 + size, N_OPERATIONS / 400, &small);
	}
}

/* Mean demand well above the size, pieces of nearly one size: bins are full and searched to their end. */
TEST(the_books_of_a_range_of_nearly_equal_pieces_do_what_the_list_says)
{
	static offsets_shadow shadow;
	unsigned long long state = 31;
	ck_assert_msg(offsets_shadow_open(&shadow, 40000), "%s", shadow.failure);
	bool is_well = true;
	for (unsigned n = 0; is_well && n < N_OPERATIONS / 4; n++) {
		bool takes = random_below(&state, 100) < 55;
		if (takes || !shadow.n)
			is_well = offsets_shadow_take(&shadow, 129 + random_below(&state, 6),
						      (uint64_t)1 << random_below(&state, 4));
		else
			is_well = offsets_shadow_give(&shadow, random_below(&state, shadow.n));
		if (n % AUDIT_EVERY == 0)
			is_well = is_well && offsets_shadow_audit(&shadow);
	}
	unsigned long refused = shadow.n_refused;
	is_well = is_well && offsets_shadow_close(&shadow);
	ck_assert_msg(is_well, "%s", shadow.failure);
	ck_assert_uint_gt(refused, 1000);
}
