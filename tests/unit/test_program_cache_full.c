/* Compiled kernels in a folder on a really full disk: nothing is stored, and stored files stay readable. The test
 * mounts a disk of its own, which only root may do. */
#include "runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "coupling/opencl/opencl_compute.h"

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

static char folder[1024];

/* Mounts a file system of 64 KiB that only this process sees and that ends with it. */
static bool mount_small(const char *where)
{
#ifdef __linux__
	return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", where, "tmpfs", 0, "size=64k") == 0;
#else
	(void)where;
	errno = ENOSYS;
	return false;
#endif
}

static void remove_folder(void)
{
#ifdef __linux__
	umount(folder);
#endif
	rmdir(folder);
}

TEST(a_full_disk_is_an_error_and_what_is_there_stays)
{
	static unsigned char binary[40000];
	size_t bytes;
	memset(binary, 7, sizeof binary);
	ck_assert(clpac__opencl_cache_write(folder, "first", binary, sizeof binary));
	for (int i = 0; i < 20; i++) {
		ck_assert(!clpac__opencl_cache_write(folder, i % 2 ? "first" : "second", binary, sizeof binary));
		ck_assert_int_eq(errno, ENOSPC);
	}
	ck_assert_ptr_null(clpac__opencl_cache_read(folder, "second", &bytes));
	unsigned char *found = clpac__opencl_cache_read(folder, "first", &bytes);
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(bytes, sizeof binary);
	ck_assert_mem_eq(found, binary, sizeof binary);
	clpac__free(found);
	/* The failed store left no file: a small one of one page still fits. */
	ck_assert(clpac__opencl_cache_write(folder, "second", binary, 100));
}

const char *skip_reason(void)
{
	static char why[200];
	const char *base = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/clpac-full-XXXXXX", base && *base ? base : "/tmp");
	const bool is_mounted = mkdtemp(folder) && mount_small(folder);
	snprintf(why, sizeof why, "no small file system can be mounted here: %s", strerror(errno));
	if (is_mounted)
		atexit(remove_folder);
	else
		rmdir(folder);
	return is_mounted ? NULL : why;
}
