/* The available instruction sets, and choosing one. */
#include "runner.h"

#include <string.h>

#include "coupling/native/kernels.h"
#include "memory/native/isa.h"

TEST(the_last_one_is_always_baseline)
{
	const clpac__isa *last = NULL, *isa;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++)
		last = isa;
	ck_assert_ptr_nonnull(last);
	ck_assert_str_eq(last->name, "baseline");
}

TEST(wider_vectors_come_first)
{
	const clpac__isa *isa;
	unsigned before = 64;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++) {
		unsigned width = isa->vector_width;
		ck_assert_uint_eq(clpac__native_kernels_find(isa->name)->vector_width, width);
		ck_assert_uint_lt(width, before);
		ck_assert(width == 4 || width == 8 || width == 16);
		before = width;
	}
}

TEST(each_has_a_kernel_for_every_stage)
{
	const clpac__isa *isa;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++)
		for (size_t stage = 0; stage < CLPAC__STAGE_COUNT; stage++) {
			const clpac__native_stage *made = &clpac__native_kernels_find(isa->name)->stages[stage];
			ck_assert_msg(made->run, "%s of %s", clpac__stage_get((unsigned)stage)->name, isa->name);
			ck_assert_uint_gt(made->piece, 0);
		}
}

TEST(each_is_found_by_its_name)
{
	const clpac__isa *isa, *found;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++) {
		ck_assert_int_eq(clpac__isa_find(isa->name, &found, NULL), CLPAC_OK);
		ck_assert_ptr_eq(found, isa);
	}
}

TEST(the_widest_is_taken_unless_one_is_named)
{
	static const char *const automatic[] = {NULL, "", "auto"};
	for (int i = 0; i < 3; i++) {
		const clpac__isa *found = NULL;
		ck_assert_int_eq(clpac__isa_find(automatic[i], &found, NULL), CLPAC_OK);
		ck_assert_ptr_eq(found, clpac__isa_get(0));
	}
}

TEST(an_unknown_one_is_refused_with_the_names_of_those_there_are)
{
	const clpac__isa *found = NULL;
	clpac_error err;
	ck_assert_int_eq(clpac__isa_find("mmx", &found, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_ptr_null(found);
	ck_assert_ptr_nonnull(strstr(err.text, "\"mmx\""));
	const clpac__isa *isa;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++)
		ck_assert_ptr_nonnull(strstr(err.text, isa->name));
}
