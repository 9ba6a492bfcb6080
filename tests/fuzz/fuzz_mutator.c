/* The fuzzer's own changes of an input, and numbers on borders as often.  Linked by scripts/fuzz.sh alone. */
#include "fuzz/fuzz_input.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity); /* the fuzzer's */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
	return seed % 2 ? fuzz_change_number(data, size, capacity, seed) : LLVMFuzzerMutate(data, size, capacity);
}
