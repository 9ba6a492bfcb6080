#include "read_files.h"

#include "test_thread.h"
#include <string.h>

#include "assertions.h"
#include "files.h"

clpac_recording *files_read(const char *path, const clpac_read_options *options)
{
	clpac_recording *recording = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_recording_read(path, options, &recording, &err);
	ck_assert_msg(st == CLPAC_OK, "%s", err.text);
	ck_assert_ptr_nonnull(recording);
	return recording;
}

void files_refuse(const char *path, const clpac_read_options *options, clpac_status status, const char *text)
{
	clpac_recording *recording = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_recording_read(path, options, &recording, &err);
	ck_assert_msg(st == status, "%s, not %s: %s", clpac_status_text(st), clpac_status_text(status), err.text);
	ck_assert_int_eq(err.status, status);
	ck_assert_ptr_null(recording);
	ck_assert_msg(strstr(err.text, text) != NULL, "\"%s\" is not in \"%s\"", text, err.text);
	if (status != CLPAC_ERROR_ARGUMENT)
		ck_assert_msg(strstr(err.text, files_path("")) != NULL, "no file is named in \"%s\"", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	/* The caller may not want the text. */
	ck_assert_int_eq(clpac_recording_read(path, options, &recording, NULL), status);
}

double files_sample(const clpac_recording *recording, size_t channel, size_t i)
{
	const clpac_channel *c = clpac_recording_channel(recording, channel);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_lt(i, c->n_samples);
	return c->type == CLPAC_FLOAT32 ? (double)((const float *)c->samples)[i] : ((const double *)c->samples)[i];
}

size_t files_warned(const clpac_recording *recording, const char *text)
{
	const char *warning;
	size_t count;
	for (size_t i = 0; (warning = clpac_recording_warning(recording, i, &count)); i++)
		if (strstr(warning, text))
			return count;
	ck_abort_msg("no warning has \"%s\" in it; there are %zu", text, clpac_recording_n_warnings(recording));
	return 0;
}
