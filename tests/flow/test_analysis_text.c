/* The options of an analysis as lines of text, one by one, and described. */
#include "runner.h"
#include "assertions.h"

#include <clpac/analysis.h>

static clpac_error err;

static void assert_text(const clpac_analysis *analysis, const char *wanted)
{
	char *text;
	assert_works(clpac_analysis_text(analysis, &text, &err), err);
	ck_assert_str_eq(text, wanted);
	clpac_text_free(text);
}

TEST(a_line_is_written_as_it_was_read)
{
	static const char *const lines[] = {"", "phase=4:12:8 surrogates=500",
					    "events=\"go left,stop\" window=-0.5:1.5 pool", "seed=18446744073709551615",
					    "channels=\"\""};
	for (size_t i = 0; i < COUNT(lines); i++) {
		clpac_analysis *analysis;
		assert_works(clpac_analysis_read(lines[i], &analysis, &err), err);
		assert_text(analysis, lines[i]);
		clpac_analysis_destroy(analysis);
	}
}

TEST(options_are_set_and_taken_out)
{
	clpac_analysis *analysis;
	assert_works(clpac_analysis_read("  pool=yes\tkeep-bad=no   seed=1 ", &analysis, &err), err);
	assert_text(analysis, "pool seed=1");
	assert_works(clpac_analysis_set(analysis, "seed", "7", &err), err);
	assert_works(clpac_analysis_set(analysis, "pool", "no", &err), err);
	assert_works(clpac_analysis_set(analysis, "events", "a b", &err), err);
	assert_text(analysis, "seed=7 events=\"a b\"");
	assert_works(clpac_analysis_set(analysis, "seed", NULL, &err), err);
	assert_works(clpac_analysis_set(analysis, "seed", NULL, &err), err);
	assert_text(analysis, "events=\"a b\"");
	/* A refused option changes nothing. */
	assert_refused(clpac_analysis_set(analysis, "seed", "-1", &err), err, CLPAC_ERROR_ARGUMENT, "seed -1");
	assert_refused(clpac_analysis_set(analysis, "pool", "maybe", &err), err, CLPAC_ERROR_ARGUMENT, "yes or no");
	assert_text(analysis, "events=\"a b\"");
	clpac_analysis_destroy(analysis);
}

static const struct {
	const char *text, *said, *member;
} refused[] = {
	{"colour=red", "no option colour", "colour"},
	{"surogates=5", "did you mean surrogates", "surogates"},
	{"seed", "seed needs a value: seed=N", "seed"},
	{"=5", "a key is missing", ""},
	{"events=\"go", "a quote is not closed", ""},
	{"seed=1 bins=18 seed=1", "seed is there twice", "seed"},
	{"average=median", "give one of mean|sum", "average"},
	{"rate=fast", "not a number", "rate"},
	{"pool=maybe", "yes or no", "pool"},
	{"checkpoint=5", "no option checkpoint", "checkpoint"},
};

TEST_EACH(a_wrong_word_is_named, COUNT(refused))
{
	clpac_analysis *analysis = NULL;
	assert_refused(clpac_analysis_read(refused[_i].text, &analysis, &err), err, CLPAC_ERROR_ARGUMENT,
		       refused[_i].said);
	ck_assert_str_eq(err.member, refused[_i].member);
	ck_assert_ptr_null(analysis);
	ck_assert_ptr_null(strstr(err.text, "--"));
}

TEST(options_tell_what_they_are)
{
	clpac_analysis_option option = {.size = sizeof option};
	size_t n_flags = 0, n_choices = 0, i = 0;
	for (; clpac_analysis_option_get(CLPAC_ANALYSIS_RUN, i, &option); i++) {
		ck_assert(*option.name && *option.meaning);
		ck_assert((option.type == CLPAC_OPTION_FLAG) == !*option.argument);
		n_flags += option.type == CLPAC_OPTION_FLAG;
		n_choices += option.type == CLPAC_OPTION_CHOICE && strchr(option.argument, '|');
	}
	ck_assert_uint_gt(n_flags, 3);
	ck_assert_uint_gt(n_choices, 3);
	ck_assert(!clpac_analysis_option_get(CLPAC_ANALYSIS_KIND_COUNT, 0, &option));
	ck_assert_str_eq(clpac_analysis_kind_name(CLPAC_ANALYSIS_KIND_COUNT), "");
}
