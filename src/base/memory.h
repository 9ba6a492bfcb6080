/* Host memory.  Every allocation of the libraries and of the program passes here, so that sizes are checked for
 * overflow in one place and tests can make the k-th allocation fail. */
#ifndef CLPAC_BASE_MEMORY_H
#define CLPAC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *clpac__alloc(size_t bytes); /* uninitialised; NULL: no memory left; 0 bytes give a valid pointer */
void *clpac__alloc_zero(size_t bytes);
void *clpac__alloc_array(size_t n, size_t each); /* zeroed; NULL also when n * each overflows */
void *clpac__realloc_array(void *old, size_t n, size_t each);
char *clpac__strdup(const char *text);
char *clpac__strndup(const char *text, size_t n); /* at most n bytes of it */
void clpac__free(void *pointer);		  /* NULL is fine */
void clpac__free_all(size_t n, void *const *pointers);
#define FREE_ALL(...) clpac__free_all(sizeof(void *[]){__VA_ARGS__} / sizeof(void *), (void *const[]){__VA_ARGS__})

/* Allocations with the status of their function, where err is the caller's: TRY(NEW_ARRAY(names, n)).  The pointer is
 * set either way; what it pointed to is not freed. */
#define NEW(pointer) CLPAC__NEW(pointer, clpac__alloc_zero(sizeof *(pointer)), sizeof *(pointer))
#define NEW_ARRAY(pointer, n)                                                                                          \
	CLPAC__NEW(pointer, clpac__alloc_array((n), sizeof *(pointer)), (n) * sizeof *(pointer)) /* zeroed */
#define NEW_BYTES(pointer, bytes) CLPAC__NEW(pointer, clpac__alloc(bytes), bytes)		 /* uninitialised */
#define NEW_COPY(pointer, text) CLPAC__NEW(pointer, clpac__strdup(text), strlen(text) + 1)
#define CLPAC__NEW(pointer, call, bytes) (((pointer) = (call)) != NULL ? CLPAC_OK : clpac__fail_no_memory(err, (bytes)))

/* An array that grows, likewise; one that cannot stays as it was.  ROOM_FOR_ONE: for one more behind n, doubled from
 * `first` members on. */
#define GROW(array, n)                                                                                                 \
	(clpac__grow(&(array), (n), sizeof *(array)) ? CLPAC_OK : clpac__fail_no_memory(err, (n) * sizeof *(array)))
#define ROOM_FOR_ONE(array, n, capacity, first)                                                                        \
	(clpac__room_for_one(&(array), (n), &(capacity), (first), sizeof *(array))                                     \
		 ? CLPAC_OK                                                                                            \
		 : clpac__fail_no_memory(err, clpac__doubled(capacity, first) * sizeof *(array)))
bool clpac__grow(void *array, size_t n, size_t each);
bool clpac__room_for_one(void *array, size_t n, size_t *capacity, size_t first, size_t each);
static inline size_t clpac__doubled(size_t capacity, size_t first)
{
	return capacity ? 2 * capacity : first;
}

/* Large working memory of the native device.  Aligned to a page, so that no vector load straddles two and a stage may
 * be given a part of it; from CLPAC__LARGE_PAGE bytes on to a large page, which the system can then use. */
enum { CLPAC__LARGE_PAGE = 2 << 20 }; /* bytes; of x86-64, and of others with pages of 4 KiB */
void *clpac__alloc_pages(size_t bytes);
void clpac__free_pages(void *pointer);

/* Zeroed memory at addresses that nothing else in this process ever gets again.  Retired, it reads as 0 and takes no
 * memory, only its addresses. */
void *clpac__alloc_once(size_t bytes); /* a multiple of 64 KiB */
void clpac__retire(void *pointer, size_t bytes);

/* Whether the system has this much memory left, asked before a library is entered that ends the process where it is
 * refused memory.  It is neither kept nor touched. */
bool clpac__has_room(size_t bytes);

/* For tests: the allocation with this number, counted from 1, fails; with sticky all later ones fail too.  0 switches
 * it off.  Process-wide; not for use beside other threads. */
void clpac__fail_allocation(unsigned long number, bool sticky);
unsigned long clpac__count_allocations(void); /* since the last clpac__fail_allocation */
/* The bytes of the latest allocation that was let fail, until another is to fail; 0: none was. */
size_t clpac__failed_bytes(void);
/* For tests: called with the number of every allocation, from the function that makes it; NULL switches it off. */
void clpac__watch_allocations(void (*watch)(unsigned long number));

/* Overflow-checked sizes.  False, and *out untouched, when the result does not fit. */
bool clpac__size_add(size_t a, size_t b, size_t *out);
bool clpac__size_mul(size_t a, size_t b, size_t *out);

static inline size_t clpac__smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t clpac__larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static inline uint64_t clpac__smaller64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t clpac__larger64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline size_t clpac__round_up(size_t value, size_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

#endif
