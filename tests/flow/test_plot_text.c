/* The texts of a drawing: any title and name, and text that stays text in an SVG. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "made_result.h"

#include <stdlib.h>

FIXTURE(make_scratch, remove_scratch);

TEST(text_is_text_in_an_svg)
{
	clpac_error err;
	clpac_result *result = make_map(0, 0, 2, 1u << CLPAC_MI);
	assert_works(clpac_result_set_channel_name(result, 0, "<b> & \"C3\" \xef\xbf\xbf\u00b5", &err), err);
	count_letters(result, NULL);
	char *svg = scratch_read("letters.svg", NULL);
	ck_assert_ptr_nonnull(strstr(svg, ">Channel &lt;b&gt; &amp; \"C3\" \ufffd\u00b5</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">phase frequency (Hz)</text>"));
	ck_assert_ptr_null(strstr(svg, "<use "));
	const char *end = strstr(svg, "</svg>");
	ck_assert(end && !strstr(end + 1, "</svg>") && !strstr(end, "<text "));
	free(svg);
	clpac_result_destroy(result);
}

TEST(any_title_and_any_name_can_be_drawn)
{
	static const char *const titles[] = {"", "\xff\xfe", "line\nbreak\ttab", "\U0001d6fc \u6f22"};
	clpac_error err;
	clpac_result *result = make_result(MADE_ALL);
	char *long_title = malloc(5001);
	ck_assert_ptr_nonnull(long_title);
	memset(long_title, 'M', 5000);
	long_title[5000] = 0;
	for (size_t i = 0; i <= COUNT(titles); i++) {
		const char *title = i < COUNT(titles) ? titles[i] : long_title;
		const clpac_plot_options options = {.title = title, .overwrite = true};
		assert_works(clpac_result_set_channel_name(result, 0, title, &err), err);
		assert_works(clpac_result_plot(result, scratch_path("a.png"), &options, &err), err);
		assert_works(clpac_result_plot(result, scratch_path("a.pdf"), &options, &err), err);
		assert_works(clpac_result_plot(result, scratch_path("a.svg"), &(clpac_plot_options){.overwrite = true},
					       &err),
			     err);
	}
	free(long_title);
	clpac_result_destroy(result);
}
