/* This library makes two shells of one: calls.sh loads it into a shell whose script is to go on twice from one place.
 * `cd` to the folder that CLPAC_TEST_FORK names makes the second shell, which writes to the file `said` there what the
 * first would print.  It succeeds in the second, and fails in the first when the second has ended.  The first reads and
 * writes on where it was in the files that both have open. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_FILES = 256 };

static struct stat printed; /* where the script prints */

__attribute__((constructor)) static void begin(void)
{
	fstat(STDOUT_FILENO, &printed);
}

/* The shell keeps its output under another number while a command has one of its own. */
static bool is_output(int file)
{
	struct stat facts;
	return file == STDOUT_FILENO || file == STDERR_FILENO ||
	       (fstat(file, &facts) == 0 && facts.st_dev == printed.st_dev && facts.st_ino == printed.st_ino);
}

static int begin_second(const char *folder)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/said", folder);
	const int said = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (said < 0)
		_exit(1);
	for (int file = 0; file < N_FILES; file++) {
		const int flags = fcntl(file, F_GETFD);
		if (flags >= 0 && file != said && is_output(file))
			dup3(said, file, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
	}
	close(said);
	return 0;
}

int chdir(const char *path)
{
	int (*chdir_of_libc)(const char *) = NULL;
	*(void **)&chdir_of_libc = dlsym(RTLD_NEXT, "chdir");
	const char *fork_at = getenv("CLPAC_TEST_FORK");
	if (!fork_at || strcmp(path, fork_at))
		return chdir_of_libc(path);
	off_t offsets[N_FILES];
	for (int file = 0; file < N_FILES; file++)
		offsets[file] = lseek(file, 0, SEEK_CUR);
	const pid_t child = fork();
	if (child < 0)
		return -1;
	if (child == 0)
		return begin_second(fork_at);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	for (int file = 0; file < N_FILES; file++) {
		if (offsets[file] >= 0)
			lseek(file, offsets[file], SEEK_SET);
	}
	errno = EEXIST;
	return -1;
}
