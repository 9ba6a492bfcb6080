/* The fuzzer's target on generated input: it is built and run where there is no fuzzer, too. */
#include "runner.h"

#include <stdint.h>
#include "assertions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 4096 };

static void run(unsigned long long seed, size_t bytes, unsigned n_values)
{
	static uint8_t data[MAX_BYTES];
	unsigned long long state = seed;
	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)random_below(&state, n_values);
	LLVMFuzzerTestOneInput(data, bytes);
}

TEST(any_bytes_leave_the_books_true)
{
	for (unsigned seed = 1; seed <= 500; seed++)
		run(seed, seed * 8, 256);
}

/* Mostly requests of a few sizes, so that pieces touch and bins fill. */
TEST(small_bytes_leave_the_books_true)
{
	for (unsigned seed = 1; seed <= 500; seed++)
		run(1000 + seed, MAX_BYTES / 4, 10 + seed % 16);
}

TEST(the_shortest_inputs_leave_the_books_true)
{
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (unsigned first = 0; first < 256; first++) {
		uint8_t data[] = {(uint8_t)first, (uint8_t)(first * 7), (uint8_t)(first / 2), 255, 0, 1};
		for (size_t bytes = 1; bytes <= sizeof data; bytes++)
			LLVMFuzzerTestOneInput(data, bytes);
	}
}
