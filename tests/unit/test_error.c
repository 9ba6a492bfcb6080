/* Statuses in words, and errors as values. */
#include "runner.h"
#include "assertions.h"
#include "base/error.h"

TEST(each_status_has_its_own_text)
{
	for (int a = 0; a < CLPAC_STATUS_COUNT; a++) {
		ck_assert_ptr_nonnull(clpac_status_text(a));
		for (int b = 0; b < a; b++)
			ck_assert_str_ne(clpac_status_text(a), clpac_status_text(b));
	}
}

TEST(an_unknown_status_is_named_so)
{
	ck_assert_str_eq(clpac_status_text((clpac_status)CLPAC_STATUS_COUNT), "unknown status");
	ck_assert_str_eq(clpac_status_text((clpac_status)-1), "unknown status");
}

TEST(a_failure_carries_status_code_and_text)
{
	clpac_error err;
	ck_assert_int_eq(clpac__fail(&err, CLPAC_ERROR_ARGUMENT, "rate is %d", 7), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(err.status, CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(err.native_code, 0);
	ck_assert_str_eq(err.text, "rate is 7");
	ck_assert_int_eq(clpac__fail_native(&err, CLPAC_ERROR_DEVICE, -4, "no"), CLPAC_ERROR_DEVICE);
	ck_assert_int_eq(err.native_code, -4);
}

TEST(nobody_has_to_ask_for_the_error)
{
	ck_assert_int_eq(clpac__fail(NULL, CLPAC_ERROR_IO, "x"), CLPAC_ERROR_IO);
	ck_assert_int_eq(clpac__fail_native(NULL, CLPAC_ERROR_IO, 2, "x"), CLPAC_ERROR_IO);
	ck_assert_int_eq(clpac__fail_context(NULL, CLPAC_ERROR_IO, "x"), CLPAC_ERROR_IO);
}

TEST(an_error_may_quote_itself)
{
	clpac_error err;
	clpac__fail(&err, CLPAC_ERROR_IO, "inner");
	clpac__fail(&err, CLPAC_ERROR_IO, "outer: %s", err.text);
	ck_assert_str_eq(err.text, "outer: inner");
}

TEST(an_error_is_one_line)
{
	clpac_error err;
	clpac__fail(&err, CLPAC_ERROR_FORMAT, "channel \"%s\"", "a\nb\x1b[31m\x7f\u00b5");
	ck_assert_str_eq(err.text, "channel \"a?b?[31m?\u00b5\"");
	clpac__fail_context(&err, CLPAC_ERROR_FORMAT, "file %s", "\r");
	ck_assert_str_eq(err.text, "file ?: channel \"a?b?[31m?\u00b5\"");
}

TEST(an_error_of_the_system_says_its_reason)
{
	clpac_error err;
	ck_assert_int_eq(clpac__fail_system(&err, ENOENT, "reading %s", "a.edf"), CLPAC_ERROR_IO);
	ck_assert_int_eq(err.native_code, ENOENT);
	ck_assert_str_eq(err.text, "reading a.edf: No such file or directory");
	clpac__fail_system(&err, ENOENT, "%02000d", 1);
	ck_assert_uint_eq(strlen(err.text), CLPAC_ERROR_TEXT_SIZE - 1);
	ck_assert_str_eq(strrchr(err.text, ':'), ": No such file or directory");
	ck_assert_int_eq(clpac__fail_system(NULL, ENOENT, "x"), CLPAC_ERROR_IO);
}

TEST(context_goes_before_the_text)
{
	clpac_error err;
	clpac__fail_native(&err, CLPAC_ERROR_IO, 2, "no such file");
	ck_assert_int_eq(clpac__fail_context(&err, CLPAC_ERROR_IO, "file %d", 3), CLPAC_ERROR_IO);
	ck_assert_str_eq(err.text, "file 3: no such file");
	ck_assert_int_eq(err.native_code, 2);
	ck_assert_int_eq(err.status, CLPAC_ERROR_IO);
}

TEST(a_long_text_is_cut_and_ended)
{
	clpac_error err;
	clpac__fail(&err, CLPAC_ERROR_IO, "%02000d", 1);
	ck_assert_uint_eq(strlen(err.text), CLPAC_ERROR_TEXT_SIZE - 1);
	clpac__fail_context(&err, CLPAC_ERROR_IO, "%02000d", 2);
	ck_assert_uint_lt(strlen(err.text), CLPAC_ERROR_TEXT_SIZE);
}

TEST(what_an_error_says_to_programs_is_empty_until_it_is_set)
{
	clpac_error err;
	memset(&err, 0xEE, sizeof err);
	clpac__fail(&err, CLPAC_ERROR_ARGUMENT, "x");
	ck_assert_str_eq(err.member, "");
	ck_assert(!err.line && !err.wanted_bytes && !err.available_bytes);
	for (size_t i = 0; i < COUNT(err.reserved); i++)
		ck_assert_uint_eq(err.reserved[i], 0);
	ck_assert_int_eq(clpac__of_member(&err, CLPAC_ERROR_ARGUMENT, "n_bins"), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac__of_line(&err, CLPAC_ERROR_FORMAT, 7), CLPAC_ERROR_FORMAT);
	ck_assert_int_eq(clpac__of_bytes(&err, CLPAC_ERROR_NO_MEMORY, 80, 64), CLPAC_ERROR_NO_MEMORY);
	/* Context keeps it, another error does not. */
	clpac__fail_context(&err, CLPAC_ERROR_ARGUMENT, "file %d", 3);
	ck_assert_str_eq(err.text, "file 3: x");
	ck_assert_str_eq(err.member, "n_bins");
	ck_assert(err.line == 7 && err.wanted_bytes == 80 && err.available_bytes == 64);
	clpac_error copy;
	ck_assert_int_eq(clpac__fail_as(&copy, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_mem_eq(&copy, &err, sizeof err);
	clpac__fail(&err, CLPAC_ERROR_IO, "y");
	ck_assert(!*err.member && !err.line && !err.wanted_bytes);
	clpac__of_member(NULL, CLPAC_ERROR_IO, "x");
	clpac__of_line(NULL, CLPAC_ERROR_IO, 1);
	clpac__of_bytes(NULL, CLPAC_ERROR_IO, 1, 1);
	ck_assert_int_eq(clpac__fail_as(NULL, &copy), CLPAC_ERROR_ARGUMENT);
}

TEST(a_name_that_is_longer_than_its_room_is_cut)
{
	clpac_error err = {0};
	char name[200];
	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = 0;
	clpac__of_member(&err, CLPAC_ERROR_ARGUMENT, name);
	ck_assert_uint_eq(strlen(err.member), CLPAC_ERROR_MEMBER_SIZE - 1);
}

TEST(lack_of_memory_and_null_say_what_they_are_about)
{
	clpac_error err;
	clpac__fail_no_memory(&err, 80);
	ck_assert_uint_eq(err.wanted_bytes, 80);
	clpac__need_fail(&err, "f", "pool");
	ck_assert_str_eq(err.member, "pool");
}
