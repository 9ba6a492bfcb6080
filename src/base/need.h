/* The rule for pointers that a public function requires (clpac/status.h): NULL is refused by name before anything else
 * happens, as in "clpac_pool_allocate: pool is NULL".
 *
 *     clpac_status clpac_thing(clpac_pool *pool, size_t n, const size_t *bytes, clpac_error *err)
 *     {
 *         NEED(pool);
 *         NEED_AS(bytes || !n, "bytes");   // with the name that the header gives, or where NULL will do otherwise
 *         ...
 *
 * Both return from the function, so they are its first lines, where there is nothing to undo.  Each costs a branch that
 * is predicted. */
#ifndef CLPAC_BASE_NEED_H
#define CLPAC_BASE_NEED_H

#include <clpac/status.h>

/* Writes the refusal into a nullable error.  Returns CLPAC_ERROR_ARGUMENT. */
clpac_status clpac__need_fail(clpac_error *err, const char *function, const char *parameter);

/* A frequent path is inlined whole, and its rare continuations are called, so that it needs no room on the stack. */
#if defined(__GNUC__)
#define CLPAC__RARELY(condition) __builtin_expect(!!(condition), 0)
#define CLPAC__FREQUENT static inline __attribute__((always_inline))
#define CLPAC__RARE static __attribute__((noinline))
#else
#define CLPAC__RARELY(condition) (condition)
#define CLPAC__FREQUENT static inline
#define CLPAC__RARE static
#endif

#define NEED(pointer) NEED_AS(pointer, #pointer)

#define NEED_AS(is_given, parameter)                                                                                   \
	do {                                                                                                           \
		if (CLPAC__RARELY(!(is_given)))                                                                        \
			return clpac__need_fail(err, __func__, parameter);                                             \
	} while (0)

#endif
