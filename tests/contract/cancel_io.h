/* Calls on files, recordings and results that are cancelled: reading, resampling, checksums, analyses, writing,
 * pictures. */
#ifndef CLPAC_TESTS_CANCEL_IO_H
#define CLPAC_TESTS_CANCEL_IO_H

#include <clpac/memory/context.h>
#include <clpac/result.h>

typedef struct cancel_call {
	const char *name;
	/* Leaves *out alone where it makes no result. */
	clpac_status (*call)(clpac_result **out, clpac_error *err);
} cancel_call;

extern const cancel_call cancel_io_calls[];
extern const size_t cancel_io_n_calls;

/* Makes the files and recordings of the calls, in a folder of the test.
 * @param subjects n results for statistics over them, kept by the caller. */
void cancel_io_begin(clpac_context *context, clpac_result *const *subjects, size_t n);
/* Ends the test where a file is there that no call writes, or one that was written is not whole. */
void cancel_io_check(void);
void cancel_io_end(void);

#endif
