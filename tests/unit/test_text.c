/* Growing texts. */
#include "runner.h"
#include "assertions.h"
#include "base/text.h"

TEST(an_empty_text_is_an_empty_string)
{
	clpac__text text = {0};
	char *taken = clpac__text_take(&text);
	ck_assert_str_eq(taken, "");
	clpac__free(taken);
}

TEST(a_text_grows_as_far_as_it_must)
{
	clpac__text text = {0};
	for (int i = 0; i < 10000; i++)
		clpac__text_add(&text, "%d,", i % 10);
	ck_assert_uint_eq(text.length, 20000);
	char *taken = clpac__text_take(&text);
	for (int i = 0; i < 10000; i++)
		ck_assert(taken[2 * i] == '0' + i % 10 && taken[2 * i + 1] == ',');
	ck_assert_uint_eq(strlen(taken), 20000);
	ck_assert_ptr_null(text.data);
	clpac__free(taken);
}

TEST(a_failed_allocation_is_reported_by_take)
{
	for (unsigned long k = 1; k <= 3; k++) {
		clpac__text text = {0};
		clpac__fail_allocation(k, false);
		for (int i = 0; i < 300; i++)
			clpac__text_add(&text, "more ");
		char *taken = clpac__text_take(&text);
		clpac__fail_allocation(0, false);
		ck_assert_ptr_null(taken);
	}
}

TEST(bytes_and_numbers_are_appended)
{
	clpac__text text = {0};
	clpac__text_add_bytes(&text, "ab\0c", 4);
	ck_assert_str_eq(text.data, "ab");
	clpac__text_add_number(&text, 0.1);
	ck_assert_uint_eq(text.length, 7);
	ck_assert_mem_eq(text.data, "ab\0c0.1", 8);
	clpac__text_add_bytes(&text, text.data, SIZE_MAX); /* no memory is that large: nothing is read */
	ck_assert_ptr_null(clpac__text_take(&text));
}
