/* The two shapes of a fallible function.  One that has nothing to free returns at once:
 *
 *     clpac_status clpac__check(double rate_hz, clpac_error *err)
 *     {
 *         RETURN_IF_ERROR(clpac__step(..., err));
 *         if (rate_hz <= 0)
 *             RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "rate_hz is %g: it must be above 0", rate_hz);
 *         return CLPAC_OK;
 *     }
 *
 * One that has something to free, or to undo, does so behind its only label, which failure and success both reach:
 *
 *     clpac_status clpac__thing(..., clpac_thing **out, clpac_error *err)
 *     {
 *         clpac_status st = CLPAC_OK;
 *         clpac_thing *made = NULL;
 *         TRY(make_thing(&made, err));
 *         if (bad)
 *             FAIL(CLPAC_ERROR_ARGUMENT, "rate_hz is %g: it must be above 0", rate_hz);
 *         *out = made, made = NULL;      // ownership handed over by storing and forgetting
 *     done:
 *         clpac__thing_destroy(made);
 *         return st;
 *     }
 */
#ifndef CLPAC_BASE_ERROR_H
#define CLPAC_BASE_ERROR_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include <clpac/status.h>

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

/* Of up to five pointers, the first that is missing. */
#define NEED(...) CLPAC__SIXTH(__VA_ARGS__, NEED_5, NEED_4, NEED_3, NEED_2, NEED_1, 0)(__VA_ARGS__)
#define CLPAC__SIXTH(a, b, c, d, e, macro, ...) macro
#define NEED_1(a) NEED_AS(a, #a)
#define NEED_2(a, b) CLPAC__BOTH(NEED_1(a), NEED_1(b))
#define NEED_3(a, b, c) CLPAC__BOTH(NEED_2(a, b), NEED_1(c))
#define NEED_4(a, b, c, d) CLPAC__BOTH(NEED_3(a, b, c), NEED_1(d))
#define NEED_5(a, b, c, d, e) CLPAC__BOTH(NEED_4(a, b, c, d), NEED_1(e))
#define CLPAC__BOTH(first, second)                                                                                     \
	do {                                                                                                           \
		first;                                                                                                 \
		second;                                                                                                \
	} while (0)

#define NEED_AS(is_given, parameter)                                                                                   \
	do {                                                                                                           \
		if (CLPAC__RARELY(!(is_given)))                                                                        \
			return clpac__need_fail(err, __func__, parameter);                                             \
	} while (0)

#if defined(__MINGW32__) /* its own `printf` is what Windows' library knows */
#define CLPAC__PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define CLPAC__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLPAC__PRINTF(text, first)
#endif

/* Writes status and text into a nullable error; returns the status, so that setting and returning are one line.  The
 * text is one line of UTF-8: whatever a terminal might obey becomes "?" (base/clean.h). */
clpac_status clpac__fail(clpac_error *err, clpac_status status, const char *format, ...) CLPAC__PRINTF(3, 4);

/* The same with the code of a driver or of the system. */
clpac_status clpac__fail_native(clpac_error *err, clpac_status status, int native_code, const char *format, ...)
	CLPAC__PRINTF(4, 5);

/* CLPAC_ERROR_IO with an errno, whose meaning is put behind the text: "writing a.npz: No space left on device".
 * CLPAC_ERROR_NO_MEMORY for ENOMEM, which may come from any call. */
clpac_status clpac__fail_system(clpac_error *err, int number, const char *format, ...) CLPAC__PRINTF(3, 4);

/* CLPAC_ERROR_NO_MEMORY: "the host has no memory left for 80 bytes". */
clpac_status clpac__fail_no_memory(clpac_error *err, size_t bytes);

/* What an error says to programs (clpac/status.h), set behind the call that wrote its text; err is nullable.  Each
 * returns the status that it is given:
 *
 *     return clpac__of_member(err, clpac__fail(err, CLPAC_ERROR_ARGUMENT, "n_bins is %u: ...", n), "n_bins");
 */
clpac_status clpac__of_member(clpac_error *err, clpac_status status, const char *member);
clpac_status clpac__of_line(clpac_error *err, clpac_status status, uint64_t line);
clpac_status clpac__of_bytes(clpac_error *err, clpac_status status, uint64_t wanted, uint64_t available);

/* An error that was written elsewhere, as by another thread: all of it. */
clpac_status clpac__fail_as(clpac_error *err, const clpac_error *why);

/* Puts "context: " before the text that an inner call left in err; keeps all else.  Returns status. */
clpac_status clpac__fail_context(clpac_error *err, clpac_status status, const char *format, ...) CLPAC__PRINTF(3, 4);

/* In a function that has nothing to free. */
#define RETURN_IF_ERROR(call)                                                                                          \
	do {                                                                                                           \
		const clpac_status returned_ = (call);                                                                 \
		if (returned_ != CLPAC_OK)                                                                             \
			return returned_;                                                                              \
	} while (0)
#define RETURN_ERROR(...) return clpac__fail(err, __VA_ARGS__)
#define RETURN_SYSTEM_ERROR(...) return clpac__fail_system(err, errno, __VA_ARGS__)
#define RETURN_NO_MEMORY(bytes) return clpac__fail_no_memory(err, (bytes))

/* In a function with a label "done" and a status "st". */
#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		st = (call);                                                                                           \
		if (st != CLPAC_OK)                                                                                    \
			goto done;                                                                                     \
	} while (0)

#define FAIL(...)                                                                                                      \
	do {                                                                                                           \
		st = clpac__fail(err, __VA_ARGS__);                                                                    \
		goto done;                                                                                             \
	} while (0)

/* After a failed system call, also with RETURN_SYSTEM_ERROR: FAIL_SYSTEM("writing %s", path). */
#define FAIL_SYSTEM(...)                                                                                               \
	do {                                                                                                           \
		st = clpac__fail_system(err, errno, __VA_ARGS__);                                                      \
		goto done;                                                                                             \
	} while (0)

#define FAIL_NO_MEMORY(bytes)                                                                                          \
	do {                                                                                                           \
		st = clpac__fail_no_memory(err, (bytes));                                                              \
		goto done;                                                                                             \
	} while (0)

#endif
