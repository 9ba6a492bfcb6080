/* The verdict on drivers that is kept in a file: it is found again as long as nothing that decides how drivers start
 * has changed, and never from a file that is damaged or others may have written. */
#include "runner.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "memory/opencl/verdict.h"

static char folder[1024], file[1100], icd[1024], library[1024];

static void set_up(void)
{
	char text[1100];
	files_begin();
	snprintf(folder, sizeof folder, "%s", files_path("cache"));
	snprintf(file, sizeof file, "%s/drivers.clpac", folder);
	snprintf(library, sizeof library, "%s", files_write_text("libmade.so", "not yet\n"));
	snprintf(text, sizeof text, "%s\n", library);
	snprintf(icd, sizeof icd, "%s", files_write_text("made.icd", text));
	setenv("OCL_ICD_VENDORS", files_path("."), 1);
}

static clpac__verdict made(clpac__probe_end end)
{
	clpac__verdict verdict = {.state = 7, .result = {end, 6}, .limit_s = 2.5, .when_s = time(NULL), .n_bad = 1};
	verdict.bad[0] = (clpac__bad_driver){
		.state = 8, .result = {CLPAC__PROBE_HUNG, 9}, .limit_s = 3.5, .when_s = verdict.when_s, .n_times = 3};
	snprintf(verdict.bad[0].file, sizeof verdict.bad[0].file, "%s", icd);
	return verdict;
}

FIXTURE(set_up, files_end);

TEST(a_verdict_is_found_again)
{
	clpac__verdict found;
	const clpac__verdict kept = made(CLPAC__PROBE_CRASHED);
	ck_assert(!clpac__verdict_read(folder, &found)); /* there is no folder yet */
	clpac__verdict_write(folder, &kept);
	ck_assert(clpac__verdict_read(folder, &found));
	ck_assert_uint_eq(found.state, 7);
	ck_assert_int_eq(found.result.end, CLPAC__PROBE_CRASHED);
	ck_assert_int_eq(found.result.detail, 6);
	ck_assert(found.limit_s == 2.5);
	ck_assert_int_eq(found.when_s, kept.when_s);
	ck_assert_int_eq(found.n_bad, 1);
	ck_assert_str_eq(found.bad[0].file, icd);
	ck_assert_uint_eq(found.bad[0].state, 8);
	ck_assert_int_eq(found.bad[0].result.end, CLPAC__PROBE_HUNG);
	ck_assert_int_eq(found.bad[0].result.detail, 9);
	ck_assert(found.bad[0].limit_s == 3.5);
	ck_assert_int_eq(found.bad[0].n_times, 3);
	ck_assert(!clpac__verdict_read("", &found));
	clpac__verdict_write("", &kept);
	clpac__verdict_write("/dev/null/no folder", &kept);
	ck_assert(!clpac__verdict_read("/dev/null/no folder", &found));
}

TEST(a_bad_driver_is_held_for_a_time_that_its_failures_tell)
{
	clpac__bad_driver bad = made(CLPAC__PROBE_WELL).bad[0];
	bad.state = clpac__driver_state(icd);
	ck_assert(clpac__bad_driver_is_held(&bad, 3.5));
	ck_assert(!clpac__bad_driver_is_held(&bad, 3.6)); /* it hung for less than it would have now */
	bad.when_s -= 4 * 3600 - 10;
	ck_assert(clpac__bad_driver_is_held(&bad, 1));
	bad.when_s -= 20;
	ck_assert(!clpac__bad_driver_is_held(&bad, 1));
	bad.when_s = time(NULL) + 1000; /* of the future */
	ck_assert(!clpac__bad_driver_is_held(&bad, 1));
	bad.when_s = time(NULL);
	files_write_text("libmade.so", "repaired, and longer\n");
	ck_assert(!clpac__bad_driver_is_held(&bad, 1));
}

TEST(a_damaged_or_foreign_file_is_no_verdict)
{
	clpac__verdict verdict = made(CLPAC__PROBE_WELL), found;
	static unsigned char bytes[16384];
	clpac__verdict_write(folder, &verdict);
	FILE *open = fopen(file, "rb");
	ck_assert_ptr_nonnull(open);
	const size_t n = fread(bytes, 1, sizeof bytes, open);
	fclose(open);
	for (size_t at = 0; at <= n; at++) {
		open = fopen(file, "wb"); /* at n: whole, as the control */
		if (at < n)
			bytes[at] ^= 4;
		ck_assert_uint_eq(fwrite(bytes, 1, n, open), n);
		fclose(open);
		if (at < n)
			bytes[at] ^= 4;
		ck_assert_int_eq(clpac__verdict_read(folder, &found), at == n);
	}
	ck_assert_int_eq(truncate(file, (off_t)n - 1), 0);
	ck_assert(!clpac__verdict_read(folder, &found));
	clpac__verdict_write(folder, &verdict);
	ck_assert_int_eq(chmod(file, 0620), 0);
	ck_assert(!clpac__verdict_read(folder, &found));
	ck_assert_int_eq(chmod(file, 0600), 0);
	ck_assert(clpac__verdict_read(folder, &found));
	char other[1200];
	snprintf(other, sizeof other, "%s.other", file);
	ck_assert_int_eq(rename(file, other), 0);
	ck_assert_int_eq(symlink(other, file), 0);
	ck_assert(!clpac__verdict_read(folder, &found));
}

/* The state is another one than before, and stays so. */
#define check_changed(what)                                                                                            \
	do {                                                                                                           \
		const uint64_t now = clpac__verdict_state();                                                           \
		ck_assert_msg(now != before, "not noticed: %s", what);                                                 \
		before = now;                                                                                          \
		ck_assert(clpac__verdict_state() == before);                                                           \
	} while (0)

TEST(whatever_decides_how_drivers_start_changes_the_state)
{
	uint64_t before = clpac__verdict_state();
	ck_assert(clpac__verdict_state() == before);
	files_write_text("libmade.so", "much longer\n");
	check_changed("a library of another size");
	const struct timespec times[2] = {{1000, 0}, {1000, 1}};
	ck_assert_int_eq(utimensat(AT_FDCWD, library, times, 0), 0);
	check_changed("a library of another time");
	ck_assert_int_eq(unlink(library), 0);
	check_changed("a library that is gone");
	files_write_text("made.icd", "libc.so.6\n");
	check_changed("another library");
	files_write_text("second.icd", "libd.so\n");
	check_changed("one more vendor");
	setenv("RUSTICL_ENABLE", "made", 1);
	check_changed("a variable of a driver");
	setenv("LD_LIBRARY_PATH", folder, 1);
	check_changed("the path of libraries");
	setenv("OCL_ICD_VENDORS", icd, 1);
	check_changed("one vendor alone");
	setenv("MADE_UP", "1", 1); /* a variable of nobody's */
	ck_assert(clpac__verdict_state() == before);
}

TEST(a_library_without_a_folder_is_noticed_where_it_is_found)
{
	files_write_text("made.icd", "libmade.so\n");
	setenv("LD_LIBRARY_PATH", files_path("."), 1);
	uint64_t before = clpac__verdict_state();
	files_write_text("libmade.so", "of another size\n");
	check_changed("a library on the path of libraries");
}
