/* The file of a drawing: its format, what is refused, and which channel is drawn. */
#include "config.h"
#include "runner.h"
#include "assertions.h"
#include "made_result.h"

#include <clpac/plot.h>

#include <stdlib.h>

FIXTURE(make_scratch, remove_scratch);

#ifdef HAVE_CAIRO
#include "drawn_maps.h"

TEST(each_ending_gives_its_format)
{
	static const struct {
		const char *name, *magic, *also;
	} formats[] = {
		{"a.png", "\x89PNG\r\n\x1a\n", ""},
		{"a.PNG", "\x89PNG\r\n\x1a\n", ""},
		{"a.svg", "<?xml", "<svg"},
		{"a.pdf", "%PDF-", ""},
	};
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	for (size_t i = 0; i < COUNT(formats); i++) {
		assert_works(clpac_result_plot(result, scratch_path(formats[i].name), &plot_defaults, &err), err);
		char *file = scratch_read(formats[i].name, NULL);
		ck_assert_int_eq(strncmp(file, formats[i].magic, strlen(formats[i].magic)), 0);
		ck_assert_ptr_nonnull(strstr(file, formats[i].also));
		free(file);
	}
	clpac_result_destroy(result);
}

TEST(another_ending_is_refused_with_those_there_are)
{
	static const char *const names[] = {"a.jpg", "a", "png", "a.svg.gz", ".", "a.png."};
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_refused(clpac_result_plot(result, scratch_path(names[i]), &plot_defaults, &err), err,
			       CLPAC_ERROR_ARGUMENT, ".png, .svg or .pdf");
	ck_assert_uint_eq(scratch_count(), 0);
	clpac_result_destroy(result);
}

TEST(what_cannot_be_drawn_is_refused)
{
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	const char *path = scratch_path("a.png");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.channel = MADE_CHANNELS}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "channel 2 does not exist: there are 2");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.segment = MADE_SEGMENTS}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "segment 3 does not exist");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.significance = 1.5}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "significance is 1.5");
	assert_refused(clpac_result_plot(result, path, &(clpac_plot_options){.significance = NAN}, &err), err,
		       CLPAC_ERROR_ARGUMENT, "significance is");
	clpac_result_amplitude_bands(result)[3] = (clpac_band){80, 70};
	assert_refused(clpac_result_plot(result, path, &plot_defaults, &err), err, CLPAC_ERROR_ARGUMENT,
		       "band 3 is 80 to 70 Hz");
	clpac_result_destroy(result);
	result = make_result(1u << CLPAC_Z);
	assert_refused(clpac_result_plot(result, path, &plot_defaults, &err), err, CLPAC_ERROR_ARGUMENT,
		       "holds no index to draw");
	clpac_result_destroy(result);
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST(the_channel_of_the_peak_is_drawn_unless_another_is_asked_for)
{
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	/* Equal bytes are equal drawings: a PNG from cairo holds neither time nor randomness. */
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	const clpac_plot_options same = {.channel = peak.channel, .segment = peak.segment};
	const clpac_plot_options other = {.channel = !peak.channel, .segment = peak.segment};
	static const char *const names[] = {"peak.png", "null.png", "same.png", "other.png"};
	const clpac_plot_options *options[] = {&plot_defaults, NULL, &same, &other};
	size_t bytes[COUNT(names)];
	char *files[COUNT(names)];
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_works(clpac_result_plot(result, scratch_path(names[i]), options[i], &err), err);
		files[i] = scratch_read(names[i], &bytes[i]);
		ck_assert_int_eq(bytes[i] == bytes[0] && memcmp(files[i], files[0], bytes[0]) == 0, i < 3);
	}
	for (size_t i = 0; i < COUNT(files); i++)
		free(files[i]);
	clpac_result_destroy(result);
}

#else

TEST(a_build_without_cairo_says_so)
{
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	assert_refused(clpac_result_plot(result, scratch_path("a.png"), NULL, &err), err, CLPAC_ERROR_UNSUPPORTED,
		       "--with-cairo");
	ck_assert_uint_eq(scratch_count(), 0);
	clpac_result_destroy(result);
}

#endif
