/* Names of hidden files: those that a write may have made are known, and no others. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "assertions.h"
#include "recording/temporary_files.h"

TEST(what_is_made_is_known)
{
	/* A long name is repeated in part. */
	char names[][NAME_MAX + 1] = {"a", "out.npz", ".hidden", "with.123-4.tmp", ""};
	memset(names[4], 'x', 250);
	static const char *const endings[] = {CLPAC__TEMPORARY, CLPAC__OLDER};
	for (size_t i = 0; i < COUNT(names); i++) {
		for (size_t e = 0; e < COUNT(endings); e++) {
			char made[NAME_MAX + 1], other[NAME_MAX + 1];
			clpac__temporary_name(names[i], endings[e], made);
			clpac__temporary_name(names[i], endings[e], other);
			ck_assert_str_ne(made, other);
			ck_assert(made[0] == '.' && strncmp(made + 1, names[i], strnlen(names[i], 200)) == 0);
			ck_assert(clpac__is_temporary_name(made, names[i], endings[e]));
			ck_assert(clpac__is_temporary_name(other, names[i], endings[e]));
			ck_assert(!clpac__is_temporary_name(made, names[i], endings[!e]));
			ck_assert(!clpac__is_temporary_name(made, names[(i + 1) % COUNT(names)], endings[e]));
			ck_assert(!clpac__is_temporary_name(made + 1, names[i], endings[e]));
			ck_assert(!clpac__is_journal_name(made));
		}
		char journal[NAME_MAX + 1];
		clpac__journal_name(names[i], journal);
		ck_assert(clpac__is_journal_name(journal));
		ck_assert(!clpac__is_journal_name(journal + 1) || journal[1] == '.');
		ck_assert(!clpac__is_temporary_name(journal, names[i], CLPAC__TEMPORARY));
	}
}

TEST(nothing_else_is)
{
	static const char *const others[] = {"",
					     ".",
					     ".o",
					     ".out",
					     ".out.",
					     ".out.tmp",
					     "out.1-2.tmp",
					     ".out.1-2",
					     ".out.1-.tmp",
					     ".out.-2.tmp",
					     ".out.12.tmp",
					     ".out.1-2.tmpx",
					     ".out.1-2x.tmp",
					     ".out.x1-2.tmp",
					     ".outx1-2.tmp",
					     ".oux.1-2.tmp",
					     ".out.1-2.old"};
	ck_assert(clpac__is_temporary_name(".out.1-2.tmp", "out", ".tmp"));
	for (size_t i = 0; i < COUNT(others); i++)
		ck_assert_msg(!clpac__is_temporary_name(others[i], "out", ".tmp"), "%s", others[i]);
	/* Names that no output has. */
	ck_assert(!clpac__is_temporary_name("..1-2.tmp", "", ".tmp"));
	ck_assert(!clpac__is_temporary_name("...1-2.tmp", ".", ".tmp"));
	ck_assert(!clpac__is_temporary_name("....1-2.tmp", "..", ".tmp"));
	ck_assert(!clpac__is_temporary_name(".a/b.1-2.tmp", "a/b", ".tmp"));
	ck_assert(!clpac__is_journal_name(".clpac-set") && !clpac__is_journal_name("a.clpac-set"));
	ck_assert(clpac__is_journal_name(".a.clpac-set") && !clpac__is_journal_name(".a.clpac-sets"));
}
