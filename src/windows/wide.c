#include "windows/wide.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const wchar_t long_prefix[] = L"\\\\?\\", network_prefix[] = L"\\\\?\\UNC\\";

wchar_t *clpac__windows_path(const char *path)
{
	const char *const text = strcmp(path, "/dev/null") == 0 ? "NUL" : path;
	const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
	wchar_t *made = n > 0 ? clpac__alloc((size_t)n * sizeof *made) : NULL;
	if (!made) {
		errno = n > 0 ? ENOMEM : EILSEQ;
		return NULL;
	}
	MultiByteToWideChar(CP_UTF8, 0, text, -1, made, n);
	for (wchar_t *at = made; *at; at++)
		if (*at == L'/')
			*at = L'\\';
	return made;
}

wchar_t *clpac__windows_path_of(HANDLE handle)
{
	const DWORD n = GetFinalPathNameByHandleW(handle, NULL, 0, FILE_NAME_NORMALIZED);
	wchar_t *made = n ? clpac__alloc(((size_t)n + 1) * sizeof *made) : NULL;
	if (made && GetFinalPathNameByHandleW(handle, made, n + 1, FILE_NAME_NORMALIZED) <= n)
		return made;
	clpac__free(made);
	errno = n ? ENOMEM : EBADF;
	return NULL;
}

wchar_t *clpac__windows_path_in(int folder, const char *name)
{
	if (folder == AT_FDCWD)
		return clpac__windows_path(name);
	wchar_t *above = clpac__windows_path_of((HANDLE)_get_osfhandle(folder));
	wchar_t *below = above ? clpac__windows_path(name) : NULL, *made = NULL;
	if (below) {
		/* Paths with the prefix are taken as they are: no dot is looked up. */
		const bool is_itself = wcscmp(below, L".") == 0;
		const size_t n = wcslen(above) + wcslen(below) + 2;
		if ((made = clpac__alloc(n * sizeof *made))) {
			wcscpy(made, above);
			if (!is_itself) {
				wcscat(made, L"\\");
				wcscat(made, below);
			}
		}
	}
	clpac__free(above);
	clpac__free(below);
	return made;
}

char *clpac__windows_text(const wchar_t *path)
{
	const bool is_network = wcsncmp(path, network_prefix, wcslen(network_prefix)) == 0;
	const bool is_long = !is_network && wcsncmp(path, long_prefix, wcslen(long_prefix)) == 0;
	/* A network's path keeps two slashes. */
	const wchar_t *from = path + (is_network ? wcslen(network_prefix) : is_long ? wcslen(long_prefix) : 0);
	const int n = WideCharToMultiByte(CP_UTF8, 0, from, -1, NULL, 0, NULL, NULL);
	char *made = n > 0 ? clpac__alloc((size_t)n + 2) : NULL;
	if (!made) {
		errno = ENOMEM;
		return NULL;
	}
	strcpy(made, is_network ? "//" : "");
	WideCharToMultiByte(CP_UTF8, 0, from, -1, made + strlen(made), n, NULL, NULL);
	for (char *at = made; *at; at++)
		if (*at == '\\')
			*at = '/';
	return made;
}

int clpac__windows_fail(void)
{
	static const struct {
		DWORD code;
		int number;
	} each[] = {
		{ERROR_FILE_NOT_FOUND, ENOENT},	   {ERROR_PATH_NOT_FOUND, ENOENT},
		{ERROR_INVALID_NAME, ENOENT},	   {ERROR_BAD_NETPATH, ENOENT},
		{ERROR_BAD_NET_NAME, ENOENT},	   {ERROR_INVALID_DRIVE, ENOENT},
		{ERROR_ACCESS_DENIED, EACCES},	   {ERROR_SHARING_VIOLATION, EACCES},
		{ERROR_WRITE_PROTECT, EROFS},	   {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
		{ERROR_IO_PENDING, EWOULDBLOCK},   {ERROR_ALREADY_EXISTS, EEXIST},
		{ERROR_FILE_EXISTS, EEXIST},	   {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
		{ERROR_DIRECTORY, ENOTDIR},	   {ERROR_DISK_FULL, ENOSPC},
		{ERROR_HANDLE_DISK_FULL, ENOSPC},  {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
		{ERROR_OUTOFMEMORY, ENOMEM},	   {ERROR_COMMITMENT_LIMIT, ENOMEM},
		{ERROR_INVALID_HANDLE, EBADF},	   {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
		{ERROR_BROKEN_PIPE, EPIPE},	   {ERROR_NO_DATA, EPIPE},
		{ERROR_NOT_SAME_DEVICE, EXDEV},	   {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
		{ERROR_INVALID_FUNCTION, ENOSYS},  {ERROR_NOT_SUPPORTED, ENOSYS},
		{ERROR_INVALID_PARAMETER, EINVAL},
	};
	const DWORD code = GetLastError();
	errno = EIO;
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (each[i].code == code)
			errno = each[i].number;
	return -1;
}
