/* Files by number and by place in a folder.  All that is opened here may be read, renamed and removed by others
 * meanwhile, as on other systems. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "windows/wide.h"

static HANDLE handle_of(int file)
{
	return (HANDLE)_get_osfhandle(file);
}

/* --- Opening ---------------------------------------------------------------------------------- */

static int refuse(HANDLE handle, int number)
{
	CloseHandle(handle);
	errno = number;
	return -1;
}

static int open_wide(wchar_t *path, int flags)
{
	if (!path)
		return -1;
	const int way = flags & (O_RDONLY | O_WRONLY | O_RDWR);
	const DWORD access = way == O_RDWR     ? GENERIC_READ | GENERIC_WRITE
			     : way == O_WRONLY ? GENERIC_WRITE
					       : GENERIC_READ;
	const DWORD making = flags & O_CREAT   ? flags & O_EXCL	   ? CREATE_NEW
						 : flags & O_TRUNC ? CREATE_ALWAYS
								   : OPEN_ALWAYS
			     : flags & O_TRUNC ? TRUNCATE_EXISTING
					       : OPEN_EXISTING;
	HANDLE handle =
		CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, making,
			    FILE_FLAG_BACKUP_SEMANTICS | (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0), NULL);
	clpac__free(path);
	if (handle == INVALID_HANDLE_VALUE)
		return clpac__windows_fail();
	BY_HANDLE_FILE_INFORMATION facts = {0};
	GetFileInformationByHandle(handle, &facts);
	if (flags & O_NOFOLLOW && facts.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
		return refuse(handle, ELOOP);
	const bool is_folder = facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
	if (is_folder ? way != O_RDONLY : flags & O_DIRECTORY)
		return refuse(handle, is_folder ? EISDIR : ENOTDIR);
	const int file = _open_osfhandle((intptr_t)handle,
					 (way == O_RDONLY ? _O_RDONLY : 0) | (flags & O_APPEND) | _O_NOINHERIT);
	return file < 0 ? refuse(handle, EMFILE) : file;
}

int open(const char *path, int flags, ...)
{
	return open_wide(clpac__windows_path(path), flags);
}

int openat(int folder, const char *name, int flags, ...)
{
	return open_wide(clpac__windows_path_in(folder, name), flags);
}

int fcntl(int file, int request, ...)
{
	if (request == F_DUPFD_CLOEXEC)
		return _dup(file);
	if (handle_of(file) != INVALID_HANDLE_VALUE)
		return 0;
	errno = EBADF;
	return -1;
}

int pipe(int ends[2])
{
	return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT);
}

/* --- Content ---------------------------------------------------------------------------------- */

static OVERLAPPED place_at(off_t at)
{
	return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
}

enum { MOST_AT_ONCE = 1 << 30 };

ssize_t pread(int file, void *to, size_t n, off_t at)
{
	OVERLAPPED place = place_at(at);
	DWORD read = 0;
	if (ReadFile(handle_of(file), to, (DWORD)(n < MOST_AT_ONCE ? n : MOST_AT_ONCE), &read, &place) ||
	    GetLastError() == ERROR_HANDLE_EOF)
		return (ssize_t)read;
	return clpac__windows_fail();
}

ssize_t pwrite(int file, const void *from, size_t n, off_t at)
{
	OVERLAPPED place = place_at(at);
	DWORD written = 0;
	if (WriteFile(handle_of(file), from, (DWORD)(n < MOST_AT_ONCE ? n : MOST_AT_ONCE), &written, &place))
		return (ssize_t)written;
	return clpac__windows_fail();
}

/* The names in a folder are kept by its file system: a folder cannot be flushed. */
int fsync(int file)
{
	struct stat facts;
	if (fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode))
		return 0;
	return FlushFileBuffers(handle_of(file)) ? 0 : clpac__windows_fail();
}

/* A byte far behind the end of any file. */
int flock(int file, int operation)
{
	OVERLAPPED place = place_at((off_t)1 << 62);
	const DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | (operation & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
	if (operation & LOCK_UN ? UnlockFileEx(handle_of(file), 0, 1, 0, &place)
				: LockFileEx(handle_of(file), flags, 0, 1, 0, &place))
		return 0;
	return clpac__windows_fail();
}

/* --- Facts ------------------------------------------------------------------------------------ */

/* Windows counts 100 ns from 1601 on. */
static struct timespec time_of(FILETIME time)
{
	const int64_t steps = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) - 116444736000000000;
	return (struct timespec){.tv_sec = (time_t)(steps / 10000000), .tv_nsec = (long)(steps % 10000000) * 100};
}

static int facts_of(HANDLE handle, struct stat *out)
{
	BY_HANDLE_FILE_INFORMATION facts;
	*out = (struct stat){.st_nlink = 1, .st_blksize = 4096};
	const DWORD type = GetFileType(handle);
	if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR) {
		out->st_mode = (type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR) | 0666;
		return 0;
	}
	if (!GetFileInformationByHandle(handle, &facts))
		return clpac__windows_fail();
	const bool is_folder = facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
	const bool is_fixed = !is_folder && facts.dwFileAttributes & FILE_ATTRIBUTE_READONLY;
	const unsigned kind = facts.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ? S_IFLNK
			      : is_folder					    ? S_IFDIR
										    : S_IFREG;
	out->st_mode = kind | (is_folder ? 0755 : is_fixed ? 0444 : 0644);
	out->st_dev = facts.dwVolumeSerialNumber;
	out->st_ino = (uint64_t)facts.nFileIndexHigh << 32 | facts.nFileIndexLow;
	out->st_nlink = facts.nNumberOfLinks;
	out->st_size = (int64_t)((uint64_t)facts.nFileSizeHigh << 32 | facts.nFileSizeLow);
	out->st_mtim = time_of(facts.ftLastWriteTime);
	out->st_ctim = time_of(facts.ftCreationTime);
	out->st_mtime = out->st_mtim.tv_sec;
	return 0;
}

/* Frees the path. */
static int facts_at(wchar_t *path, struct stat *facts, bool follows)
{
	if (!path)
		return -1;
	HANDLE handle = CreateFileW(path, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
				    NULL, OPEN_EXISTING,
				    FILE_FLAG_BACKUP_SEMANTICS | (follows ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);
	clpac__free(path);
	if (handle == INVALID_HANDLE_VALUE)
		return clpac__windows_fail();
	int code = facts_of(handle, facts);
	/* Other reparse points than links, as files that lie in a cloud, are what they stand for. */
	if (code == 0 && follows && S_ISLNK(facts->st_mode))
		facts->st_mode = (facts->st_mode & 0777) | S_IFREG;
	CloseHandle(handle);
	return code;
}

int clpac__windows_facts(const char *path, struct stat *facts)
{
	return facts_at(clpac__windows_path(path), facts, true);
}

int lstat(const char *path, struct stat *facts)
{
	return facts_at(clpac__windows_path(path), facts, false);
}

int fstatat(int folder, const char *name, struct stat *facts, int flags)
{
	return facts_at(clpac__windows_path_in(folder, name), facts, !(flags & AT_SYMLINK_NOFOLLOW));
}

int fstat(int file, struct stat *facts)
{
	HANDLE handle = handle_of(file);
	if (handle != INVALID_HANDLE_VALUE)
		return facts_of(handle, facts);
	errno = EBADF;
	return -1;
}

int fchmod(int file, unsigned mode)
{
	(void)file;
	(void)mode;
	return 0;
}

int futimens(int file, const struct timespec times[2])
{
	FILETIME now;
	(void)times;
	GetSystemTimeAsFileTime(&now);
	return SetFileTime(handle_of(file), NULL, NULL, &now) ? 0 : clpac__windows_fail();
}

/* --- Names ------------------------------------------------------------------------------------ */

static int end(BOOL is_done)
{
	return is_done ? 0 : clpac__windows_fail();
}

/* All of these free the paths that they take. */

static int remove_wide(wchar_t *path)
{
	const int code = path ? end(DeleteFileW(path)) : -1;
	clpac__free(path);
	return code;
}

static int move_wide(wchar_t *path, wchar_t *to)
{
	const int code = path && to ? end(MoveFileExW(path, to, MOVEFILE_REPLACE_EXISTING)) : -1;
	clpac__free(path);
	clpac__free(to);
	return code;
}

int unlink(const char *path)
{
	return remove_wide(clpac__windows_path(path));
}

int unlinkat(int folder, const char *name, int flags)
{
	(void)flags;
	return remove_wide(clpac__windows_path_in(folder, name));
}

int rename(const char *path, const char *to)
{
	return move_wide(clpac__windows_path(path), clpac__windows_path(to));
}

int renameat(int folder, const char *name, int to_folder, const char *to_name)
{
	return move_wide(clpac__windows_path_in(folder, name), clpac__windows_path_in(to_folder, to_name));
}

int linkat(int folder, const char *name, int to_folder, const char *to_name, int flags)
{
	wchar_t *path = clpac__windows_path_in(folder, name), *to = clpac__windows_path_in(to_folder, to_name);
	(void)flags;
	const int code = path && to ? end(CreateHardLinkW(to, path, NULL)) : -1;
	clpac__free(path);
	clpac__free(to);
	return code;
}

int clpac__windows_mkdir(const char *path)
{
	wchar_t *wide = clpac__windows_path(path);
	const int code = wide ? end(CreateDirectoryW(wide, NULL)) : -1;
	clpac__free(wide);
	return code;
}

char *realpath(const char *path, char *room)
{
	char *made = NULL;
	const int file = open(path, O_RDONLY);
	wchar_t *wide = file < 0 ? NULL : clpac__windows_path_of(handle_of(file));
	if (wide)
		made = clpac__windows_text(wide);
	clpac__free(wide);
	const int number = errno;
	if (file >= 0)
		close(file);
	errno = number;
	if (!made || !room)
		return made;
	const bool fits = strlen(made) < PATH_MAX;
	if (fits)
		strcpy(room, made);
	else
		errno = ENAMETOOLONG;
	clpac__free(made);
	return fits ? room : NULL;
}

/* Names that nobody has: of the process, and of the moment. */
static void fill_in(char *end_of_name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	LARGE_INTEGER now;
	QueryPerformanceCounter(&now);
	uint64_t bits = (uint64_t)now.QuadPart * 0x9E3779B97F4A7C15 ^ (uint64_t)GetCurrentProcessId() << 20 ^
			(uint64_t)GetCurrentThreadId();
	bits = (bits ^ bits >> 29) * 0xBF58476D1CE4E5B9;
	for (int i = 1; i <= 6; i++, bits >>= 5)
		end_of_name[-i] = letters[bits >> 8 & 31];
}

enum { ATTEMPTS = 1000 };

char *mkdtemp(char *path)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		fill_in(path + strlen(path));
		if (clpac__windows_mkdir(path) == 0)
			return path;
		if (errno != EEXIST)
			break;
	}
	return NULL;
}

int mkstemp(char *path)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		fill_in(path + strlen(path));
		const int file = open(path, O_RDWR | O_CREAT | O_EXCL);
		if (file >= 0 || errno != EEXIST)
			return file;
	}
	return -1;
}

DIR *fdopendir(int folder)
{
	wchar_t *wide = clpac__windows_path_of(handle_of(folder));
	char *path = wide ? clpac__windows_text(wide) : NULL;
	DIR *list = path ? opendir(path) : NULL;
	clpac__free(wide);
	clpac__free(path);
	if (list)
		close(folder);
	return list;
}
