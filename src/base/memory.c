/* Host memory with overflow checks and failure injection. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/system.h"

static atomic_ulong n_allocations;
static atomic_ulong failing_number;
static atomic_bool failing_sticky;
static atomic_size_t failed_bytes;
static void (*_Atomic watching)(unsigned long number);

void clpac__fail_allocation(unsigned long number, bool sticky)
{
	atomic_store(&n_allocations, 0);
	atomic_store(&failing_number, number);
	atomic_store(&failing_sticky, sticky);
	if (number)
		atomic_store(&failed_bytes, 0);
}

size_t clpac__failed_bytes(void)
{
	return atomic_load(&failed_bytes);
}

unsigned long clpac__count_allocations(void)
{
	return atomic_load(&n_allocations);
}

void clpac__watch_allocations(void (*watch)(unsigned long number))
{
	atomic_store(&watching, watch);
}

static bool must_fail(size_t bytes)
{
	unsigned long number = atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed) + 1;
	void (*const watch)(unsigned long) = atomic_load_explicit(&watching, memory_order_relaxed);
	if (watch)
		watch(number);
	unsigned long failing = atomic_load_explicit(&failing_number, memory_order_relaxed);
	if (!failing || (number != failing && !(number > failing && atomic_load(&failing_sticky))))
		return false;
	atomic_store(&failed_bytes, bytes);
	return true;
}

bool clpac__size_add(size_t a, size_t b, size_t *out)
{
	if (a > SIZE_MAX - b)
		return false;
	*out = a + b;
	return true;
}

bool clpac__size_mul(size_t a, size_t b, size_t *out)
{
	if (b && a > SIZE_MAX / b)
		return false;
	*out = a * b;
	return true;
}

void *clpac__alloc(size_t bytes)
{
	return must_fail(bytes) ? NULL : malloc(bytes ? bytes : 1);
}

void *clpac__alloc_zero(size_t bytes)
{
	return must_fail(bytes) ? NULL : calloc(1, bytes ? bytes : 1);
}

void *clpac__alloc_array(size_t n, size_t each)
{
	size_t bytes;
	return clpac__size_mul(n, each, &bytes) ? clpac__alloc_zero(bytes) : NULL;
}

void *clpac__realloc_array(void *old, size_t n, size_t each)
{
	size_t bytes;
	if (!clpac__size_mul(n, each, &bytes) || must_fail(bytes))
		return NULL;
	return realloc(old, bytes ? bytes : 1);
}

bool clpac__grow(void *array, size_t n, size_t each)
{
	void *members;
	memcpy(&members, array, sizeof members);
	members = clpac__realloc_array(members, n, each);
	if (members)
		memcpy(array, &members, sizeof members);
	return members != NULL;
}

bool clpac__room_for_one(void *array, size_t n, size_t *capacity, size_t first, size_t each)
{
	if (n < *capacity)
		return true;
	if (!clpac__grow(array, clpac__doubled(*capacity, first), each))
		return false;
	*capacity = clpac__doubled(*capacity, first);
	return true;
}

char *clpac__strdup(const char *text)
{
	return clpac__strndup(text, SIZE_MAX - 1);
}

char *clpac__strndup(const char *text, size_t n)
{
	size_t length = strnlen(text, n);
	char *copy = clpac__alloc(length + 1);
	if (copy) {
		memcpy(copy, text, length);
		copy[length] = 0;
	}
	return copy;
}

void clpac__free(void *pointer)
{
	free(pointer);
}

void clpac__free_all(size_t n, void *const *pointers)
{
	for (size_t i = 0; i < n; i++)
		clpac__free(pointers[i]);
}

enum { PAGE = 4096 };

void *clpac__alloc_pages(size_t bytes)
{
	const size_t page = bytes < CLPAC__LARGE_PAGE ? PAGE : CLPAC__LARGE_PAGE;
	if (must_fail(bytes) || bytes > SIZE_MAX - page)
		return NULL;
	return clpac__aligned_alloc(page, clpac__round_up(bytes ? bytes : 1, page));
}

void clpac__free_pages(void *pointer)
{
	clpac__aligned_free(pointer);
}

static void *map(void *place, size_t bytes, int flags)
{
	return mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

void *clpac__alloc_once(size_t bytes)
{
	void *pages = must_fail(bytes) ? MAP_FAILED : map(NULL, bytes, 0);
	return pages == MAP_FAILED ? NULL : pages;
}

/* New pages in place of the old: they take memory only once somebody writes to them. */
void clpac__retire(void *pointer, size_t bytes)
{
	if (map(pointer, bytes, MAP_FIXED) == MAP_FAILED)
		memset(pointer, 0, bytes);
}

/* Not by malloc, which may have the bytes in a place from which it serves this thread alone. */
bool clpac__has_room(size_t bytes)
{
	if (must_fail(bytes) || bytes > SIZE_MAX - PAGE)
		return false;
	bytes = clpac__round_up(bytes ? bytes : 1, PAGE);
	void *pages = map(NULL, bytes, 0);
	if (pages == MAP_FAILED)
		return false;
	munmap(pages, bytes);
	return true;
}
