/* clFFT's own files of compiled kernels: which folder they go to, and that clFFT finds only those unchanged since it
 * wrote them. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clpac/plan.h>

#include "assertions.h"
#include "files.h"
#include "coupling/opencl/clfft_cache.h"

static const char variable[] = "CLFFT_CACHE_PATH";
static clpac_options options;
static clpac_error err;
static char folder[1024], inner[2048];

static const char *name_folder(void)
{
	assert_works(clpac_options_to_environment(&options, &err), err);
	return getenv(variable);
}

/* The folder's name is set, and the folders that clFFT would create exist. */
static void set_up(void)
{
	static const char *const parts[] = {"", "/Vendor", "/A device", "/3.1+x", "/kernel.cl"};
	files_begin();
	unsetenv(variable);
	options = (clpac_options){0};
	snprintf(options.cache, sizeof options.cache, "%s", files_path("cache"));
	ck_assert_ptr_nonnull(name_folder());
	snprintf(folder, sizeof folder, "%s", getenv(variable));
	clpac__clfft_cache_check(); /* creates the folder */
	*inner = 0;
	for (size_t i = 0; i < COUNT(parts); i++) {
		snprintf(inner + strlen(inner), sizeof inner - strlen(inner), "%s%s", i ? "" : folder, parts[i]);
		ck_assert(mkdir(inner, 0700) == 0 || i == 0);
	}
}

static void tear_down(void)
{
	files_end();
}

/* Writes a file as clFFT would, with these bytes. */
static const char *write_file(const char *name, const void *data, size_t n)
{
	static char paths[4][2100];
	static unsigned next;
	char *path = paths[next++ % COUNT(paths)];
	snprintf(path, sizeof paths[0], "%s/%s", inner, name);
	unlink(path);
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, n, file), n);
	fclose(file);
	ck_assert_int_eq(chmod(path, 0755), 0); /* the mode that clFFT sets */
	return path;
}

static bool is_there(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0;
}

FIXTURE(set_up, tear_down);

TEST(the_folder_lies_beside_the_other_kernels_and_is_the_owners_alone)
{
	struct stat facts;
	ck_assert_ptr_eq(strstr(folder, options.cache), folder);
	ck_assert_int_eq(strncmp(folder + strlen(options.cache), "/clfft-2.", 9), 0);
	ck_assert_int_eq(stat(folder, &facts), 0);
	ck_assert_uint_eq(facts.st_mode & 0777, 0700);
	ck_assert_str_eq(name_folder(), folder); /* a second check gives the same */
	snprintf(options.cache, sizeof options.cache, "%s", files_path("other"));
	ck_assert_ptr_eq(strstr(name_folder(), options.cache), getenv(variable));
	ck_assert(!is_there(options.cache)); /* the folder is made only when clFFT is used */
}

TEST(a_folder_that_the_user_named_is_left_to_him)
{
	static const char content[] = "anything";
	setenv(variable, inner, 1);
	ck_assert_str_eq(name_folder(), inner);
	const char *path = write_file("unsealed", content, sizeof content);
	clpac__clfft_cache_check();
	clpac__clfft_cache_seal();
	ck_assert(is_there(path));
}

TEST(without_a_cache_clfft_keeps_nothing)
{
	strcpy(options.cache, "none");
	ck_assert_ptr_null(name_folder());
}

TEST(a_folder_that_is_not_ones_own_or_cannot_be_made_is_not_named)
{
	ck_assert_int_eq(chmod(folder, 0777), 0);
	ck_assert_ptr_null(name_folder());
	ck_assert_int_eq(chmod(folder, 0700), 0);
	ck_assert_str_eq(name_folder(), folder);
	snprintf(options.cache, sizeof options.cache, "%s/x", files_write_text("file", ""));
	ck_assert_ptr_null(name_folder());
	memset(options.cache, 'x', sizeof options.cache - 1);
	options.cache[0] = '/';
	ck_assert_ptr_null(name_folder());
	if (geteuid() == 0) { /* only root can play two users */
		snprintf(options.cache, sizeof options.cache, "%s", files_path("cache"));
		ck_assert_int_eq(chown(folder, 65534, (gid_t)-1), 0);
		ck_assert_ptr_null(name_folder());
		ck_assert_int_eq(seteuid(65533), 0);
		snprintf(options.cache, sizeof options.cache, "%s", files_path("closed"));
		ck_assert_ptr_null(name_folder());
		ck_assert_int_eq(seteuid(0), 0);
	}
}

TEST(what_was_sealed_stays_and_nothing_else)
{
	static const char content[] = "CLB and what follows it";
	const char *sealed = write_file("sealed", content, sizeof content);
	clpac__clfft_cache_seal();
	const char *unsealed = write_file("unsealed", content, sizeof content);
	const char *empty = write_file("empty", content, 0);
	char link[2100];
	snprintf(link, sizeof link, "%s/link", inner);
	ck_assert_int_eq(symlink(sealed, link), 0);
	for (int i = 0; i < 2; i++) {
		clpac__clfft_cache_check();
		ck_assert(is_there(sealed));
		ck_assert(!is_there(unsealed) && !is_there(empty) && !is_there(link));
	}
	ck_assert_int_eq(chmod(sealed, 0775), 0);
	clpac__clfft_cache_check();
	ck_assert(!is_there(sealed));
}

TEST(a_flip_of_any_byte_and_any_other_length_removes_the_file)
{
	enum { N = 100 };
	unsigned char whole[N + 8] = {0}, damaged[N + 8];
	for (size_t i = 0; i < N; i++)
		whole[i] = (unsigned char)(i * 41 + 3);
	for (size_t i = 0; i < N; i++) {
		memcpy(damaged, whole, N);
		damaged[i] ^= (unsigned char)(1u << i % 8);
		write_file("file", whole, N);
		clpac__clfft_cache_seal();
		const char *path = write_file("file", damaged, N);
		clpac__clfft_cache_check();
		ck_assert_msg(!is_there(path), "byte %zu", i);
	}
	for (size_t n = 0; n <= N + 8; n++) {
		write_file("file", whole, N);
		clpac__clfft_cache_seal();
		const char *path = write_file("file", whole, n);
		clpac__clfft_cache_check();
		ck_assert_msg(is_there(path) == (n == N), "%zu bytes", n);
	}
}

TEST(a_file_that_was_replaced_is_sealed_anew)
{
	write_file("file", "one", 3);
	clpac__clfft_cache_seal();
	write_file("file", "two", 3);
	clpac__clfft_cache_check(); /* removes the file with its seal */
	const char *path = write_file("file", "two", 3);
	clpac__clfft_cache_seal();
	clpac__clfft_cache_check();
	ck_assert(is_there(path));
}

TEST(long_files_are_summed_over_all_parts)
{
	static unsigned char large[200001];
	const size_t places[] = {0, 65535, 65536, 131072, 199999, 200000};
	for (size_t i = 0; i < COUNT(places); i++) {
		write_file("file", large, sizeof large);
		clpac__clfft_cache_seal();
		large[places[i]]++;
		const char *path = write_file("file", large, sizeof large);
		clpac__clfft_cache_check();
		ck_assert_msg(!is_there(path), "byte %zu", places[i]);
	}
}

TEST(more_than_there_is_room_for_goes)
{
	enum { EACH = 24 << 20, N = 4 };
	const char *paths[N];
	unsigned n_there = 0;
	char name[8];
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "%d", i);
		paths[i] = write_file(name, "x", 1);
		ck_assert_int_eq(truncate(paths[i], EACH), 0); /* a sparse file: no disk space used */
	}
	clpac__clfft_cache_seal();
	clpac__clfft_cache_check();
	for (int i = 0; i < N; i++)
		n_there += is_there(paths[i]);
	ck_assert_uint_eq(n_there, 2); /* two files of 24 MiB fit into 64 MiB */
}
