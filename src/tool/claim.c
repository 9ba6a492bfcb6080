#include "tool/claim.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/thread.h"

enum { TOUCH_S = 30, STALE_S = 300, ATTEMPTS = 100, LONGEST_HEAD = 1000, BOOT_SIZE = 65, HOST_SIZE = 65 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool is_over;
	atomic_bool is_held; /* whoever sets it back removes the file */
	int file;
	char *path;
} claim = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .file = -1};

/* --- Who ---------------------------------------------------------------------------------------- */

/* Tells the running system from others and from itself before it was started anew; "" where it does not say. */
static void read_boot(char boot[BOOT_SIZE])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	boot[0] = 0;
	if (file && fgets(boot, BOOT_SIZE, file))
		boot[strcspn(boot, "\n")] = 0;
	if (file)
		fclose(file);
}

/* The text of a claim, whose first lines tell its owner. */
static void write_head(char head[LONGEST_HEAD])
{
	char host[HOST_SIZE] = "", boot[BOOT_SIZE], when[40] = "";
	const time_t now = time(NULL);
	struct tm utc;
	gethostname(host, sizeof host - 1);
	read_boot(boot);
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(head, LONGEST_HEAD, "host %s\npid %ld\nboot %s\nsince %s\nrequest ", host, (long)getpid(), boot, when);
}

/* Copies the rest of the line that begins with a word, cut where it is too long; "" where there is none. */
static void find_line(const char *head, const char *word, char *out, size_t size)
{
	const char *at = strstr(head, word);
	const size_t length = at ? strcspn(at + strlen(word), "\n") : 0;
	snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), at ? at + strlen(word) : "");
}

static void read_owner(const char *head, char owner[TOOL_OWNER_SIZE])
{
	char host[HOST_SIZE], process[24];
	find_line(head, "host ", host, sizeof host);
	find_line(head, "\npid ", process, sizeof process);
	snprintf(owner, TOOL_OWNER_SIZE, *process ? "process %s on %s" : "another process", process, host);
}

/* --- Taking ------------------------------------------------------------------------------------- */

static clpac_status name_claim(const char *npz, char **out, clpac_error *err)
{
	static const char ending[] = ".claim";
	const char *slash = strrchr(npz, '/'), *name = slash ? slash + 1 : npz, *dot = strrchr(name, '.');
	const size_t folder = (size_t)(name - npz), stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
	const size_t bytes = folder + 1 + stem + sizeof ending;
	char *made;
	RETURN_IF_ERROR(NEW_BYTES(made, bytes));
	snprintf(made, bytes, "%.*s.%.*s%s", (int)folder, npz, (int)stem, name, ending);
	*out = made;
	return CLPAC_OK;
}

static bool has_name(int file, const char *path)
{
	struct stat named, own;
	return lstat(path, &named) == 0 && fstat(file, &own) == 0 && named.st_dev == own.st_dev &&
	       named.st_ino == own.st_ino;
}

/* Opens the file of a claim, made anew where there is none; -1 where it went between two looks, or with errno. */
static int open_claim(const char *path, bool *is_new)
{
	int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	*is_new = file >= 0;
	if (file < 0 && errno == EEXIST)
		file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return file;
}

/* Whether an open claim is another's. */
static bool is_taken(int file, bool is_new, char owner[TOOL_OWNER_SIZE])
{
	char head[LONGEST_HEAD] = "", boot[BOOT_SIZE], own_boot[BOOT_SIZE];
	struct stat facts;
	const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0;
	const bool is_busy = !is_locked && errno == EWOULDBLOCK;
	const ssize_t n = pread(file, head, sizeof head - 1, 0);
	head[n > 0 ? n : 0] = 0;
	read_owner(head, owner);
	if (is_busy || is_new)
		return is_busy;
	find_line(head, "\nboot ", boot, sizeof boot);
	read_boot(own_boot);
	/* A lock that is free says nothing of a system that does not share it. */
	const bool is_of_here = is_locked && (n <= 0 || strcmp(boot, own_boot) == 0);
	return !is_of_here && fstat(file, &facts) == 0 && time(NULL) - facts.st_mtime < STALE_S;
}

static clpac_status sign(int file, const char *path, const char *request, clpac_error *err)
{
	char head[LONGEST_HEAD];
	write_head(head);
	const size_t n = strlen(head), m = strlen(request);
	if (ftruncate(file, 0) != 0 || pwrite(file, head, n, 0) != (ssize_t)n ||
	    pwrite(file, request, m, (off_t)n) != (ssize_t)m || pwrite(file, "\n", 1, (off_t)(n + m)) != 1)
		RETURN_SYSTEM_ERROR("writing %s", path);
	return CLPAC_OK;
}

static void *touch(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&claim.lock);
	while (!claim.is_over) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until); /* the clock of pthread_cond_timedwait */
		until.tv_sec += TOUCH_S;
		if (pthread_cond_timedwait(&claim.changed, &claim.lock, &until) != 0)
			futimens(claim.file, NULL);
	}
	pthread_mutex_unlock(&claim.lock);
	return NULL;
}

static clpac_status hold(int file, char *path, clpac_error *err)
{
	claim.is_over = false;
	claim.file = file;
	const int code = clpac__thread_create(&claim.thread, CLPAC__LEAST_STACK, touch, NULL);
	if (code)
		claim.file = -1;
	if (code)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "no thread can be started to keep a claim (%s); end other processes or raise the limit "
			     "(ulimit -u)",
			     strerror(code));
	claim.path = path;
	atomic_store(&claim.is_held, true);
	return CLPAC_OK;
}

clpac_status tool_claim_take(const char *npz, const char *request, bool *is_mine, char owner[TOOL_OWNER_SIZE],
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL;
	int file = -1;
	bool is_new = false, is_another = false;
	*is_mine = false;
	TRY(name_claim(npz, &path, err));
	for (int i = 0; i < ATTEMPTS; i++) {
		file = open_claim(path, &is_new);
		if (file < 0 && errno == ENOENT && i + 1 < ATTEMPTS)
			continue;
		if (file < 0)
			FAIL_SYSTEM("claiming %s", npz);
		is_another = is_taken(file, is_new, owner);
		/* An owner that has ended removes the file, whose lock another may have got then. */
		if (is_another || has_name(file, path))
			break;
		close(file);
		file = -1;
	}
	if (file < 0)
		FAIL(CLPAC_ERROR_IO, "claiming %s: %s comes and goes; remove it", npz, path);
	if (is_another)
		goto done;
	TRY(sign(file, path, request, err));
	TRY(hold(file, path, err));
	file = -1;
	path = NULL;
	*is_mine = true;
done:
	if (file >= 0 && !is_another)
		unlink(path);
	if (file >= 0)
		close(file);
	clpac__free(path);
	return st;
}

/* Looks at a claim that may be there. @param removes one whose owner is gone is removed. */
static void look(const char *npz, bool removes, bool *is_anothers, bool *is_removed, char owner[TOOL_OWNER_SIZE])
{
	char *path;
	*is_anothers = *is_removed = false;
	if (name_claim(npz, &path, NULL) != CLPAC_OK)
		return;
	const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	*is_anothers = file >= 0 && is_taken(file, false, owner);
	if (removes && file >= 0 && !*is_anothers && has_name(file, path))
		*is_removed = unlink(path) == 0;
	if (file >= 0)
		close(file);
	clpac__free(path);
}

bool tool_claim_remove_left(const char *npz)
{
	bool is_anothers, is_removed;
	char owner[TOOL_OWNER_SIZE];
	look(npz, true, &is_anothers, &is_removed, owner);
	return is_removed;
}

bool tool_claim_is_anothers(const char *npz, char owner[TOOL_OWNER_SIZE])
{
	bool is_anothers, is_removed;
	look(npz, false, &is_anothers, &is_removed, owner);
	return is_anothers;
}

void tool_claim_abandon(void)
{
	if (atomic_exchange(&claim.is_held, false))
		unlink(claim.path);
}

void tool_claim_release(void)
{
	if (claim.file < 0)
		return;
	pthread_mutex_lock(&claim.lock);
	claim.is_over = true;
	pthread_cond_signal(&claim.changed);
	pthread_mutex_unlock(&claim.lock);
	pthread_join(claim.thread, NULL);
	if (atomic_load(&claim.is_held) && has_name(claim.file, claim.path))
		tool_claim_abandon();
	atomic_store(&claim.is_held, false);
	close(claim.file);
	claim.file = -1;
	clpac__free(claim.path);
	claim.path = NULL;
}
