/* Exit codes: a status has one; errors of files are told apart by the system's error number and the direction. */
#include "runner.h"

#include <errno.h>
#include "assertions.h"
#include "tool/commands.h"

TEST(a_file_that_cannot_be_opened_is_no_input_or_no_output)
{
	static const int numbers[] = {ENOENT, EACCES, EPERM, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG,
				      EEXIST, EROFS,  EBUSY, EXDEV,  ENXIO,   EINVAL};
	for (size_t i = 0; i < COUNT(numbers); i++) {
		ck_assert_int_eq(tool_exit_code(CLPAC_ERROR_IO, numbers[i], TOOL_INPUT), 66);
		ck_assert_int_eq(tool_exit_code(CLPAC_ERROR_IO, numbers[i], TOOL_OUTPUT), 73);
	}
}

TEST(what_fails_on_the_way_is_an_error_of_input_or_output)
{
	static const int numbers[] = {
		0,	EIO, ENOSPC, EFBIG, EPIPE, ENOMEM, EMFILE,
#ifdef EDQUOT /* Windows has none */
		EDQUOT,
#endif
	};
	for (size_t i = 0; i < COUNT(numbers); i++) {
		ck_assert_int_eq(tool_exit_code(CLPAC_ERROR_IO, numbers[i], TOOL_INPUT), 74);
		ck_assert_int_eq(tool_exit_code(CLPAC_ERROR_IO, numbers[i], TOOL_OUTPUT), 74);
	}
}

/* The numbers are those of the manual page; the system's error number does not matter to them. */
TEST(every_status_has_its_exit_code)
{
	static const struct {
		clpac_status status;
		int code;
	} cases[] = {
		{CLPAC_OK, 0},
		{CLPAC_ERROR_ARGUMENT, 2},
		{CLPAC_ERROR_NO_MEMORY, 69},
		{CLPAC_ERROR_NO_DEVICE_MEMORY, 69},
		{CLPAC_ERROR_NO_DEVICE, 69},
		{CLPAC_ERROR_DEVICE, 69},
		{CLPAC_ERROR_BUILD, 70},
		{CLPAC_ERROR_FORMAT, 65},
		{CLPAC_ERROR_UNSUPPORTED, 69},
		{CLPAC_ERROR_CANCELLED, 130},
		{CLPAC_ERROR_INTERNAL, 70},
		{CLPAC_ERROR_FORKED, 70},
	};
	ck_assert_uint_eq(COUNT(cases), CLPAC_STATUS_COUNT - 1); /* all but CLPAC_ERROR_IO */
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int direction = TOOL_INPUT; direction <= TOOL_OUTPUT; direction++) {
			ck_assert_int_eq(tool_exit_code(cases[i].status, 0, (tool_direction)direction), cases[i].code);
			ck_assert_int_eq(tool_exit_code(cases[i].status, ENOENT, (tool_direction)direction),
					 cases[i].code);
		}
	ck_assert_int_eq(tool_exit_code((clpac_status)CLPAC_STATUS_COUNT, 0, TOOL_INPUT), 70);
	ck_assert_int_eq(tool_exit_code((clpac_status)-1, 0, TOOL_INPUT), 70);
}
