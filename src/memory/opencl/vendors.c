#include "memory/opencl/vendors.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"

extern char **environ;

const char clpac__vendors_variable[] = "OCL_ICD_VENDORS", clpac__vendors_usual_folder[] = "/etc/OpenCL/vendors";

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

void clpac__vendors_list(clpac__vendors *out)
{
	const char *folder = clpac__environment(clpac__vendors_variable);
	if (!folder)
		folder = clpac__environment("OPENCL_VENDOR_PATH"); /* ocl-icd's other name for it */
	out->n = 0;
	folder = folder ? folder : clpac__vendors_usual_folder;
	DIR *open = opendir(folder);
	if (!open) {
		struct stat facts;
		if (stat(folder, &facts) == 0 && S_ISREG(facts.st_mode))
			out->n = (size_t)snprintf(out->files[0], CLPAC__VENDOR_PATH, "%s", folder) < CLPAC__VENDOR_PATH;
		return;
	}
	for (struct dirent *entry; out->n < CLPAC__MAX_VENDORS && (entry = readdir(open));) {
		const size_t length = strlen(entry->d_name);
		if (length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0 &&
		    (size_t)snprintf(out->files[out->n], CLPAC__VENDOR_PATH, "%s/%s", folder, entry->d_name) <
			    CLPAC__VENDOR_PATH)
			out->n++;
	}
	closedir(open);
	qsort(out->files, out->n, sizeof *out->files, by_name);
}

bool clpac__vendor_library(const char *file, char library[CLPAC__VENDOR_PATH])
{
	const int open_file = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (open_file < 0)
		return false;
	const ssize_t n = read(open_file, library, CLPAC__VENDOR_PATH - 1);
	close(open_file);
	library[n > 0 ? n : 0] = 0;
	library[strcspn(library, "\r\n")] = 0;
	size_t length = strlen(library);
	while (length && strchr(" \t", library[length - 1]))
		library[--length] = 0;
	return length > 0;
}

/* A driver has this function, and by it another, which lists its platforms: loaders ask for both. */
static bool is_driver(void *library)
{
	typedef void *address_of(const char *name);
	address_of *ask;
	void *found = dlsym(library, "clGetExtensionFunctionAddress");
	memcpy(&ask, &found, sizeof ask); /* POSIX guarantees that an object pointer can hold a function's */
	return ask && ask("clIcdGetPlatformIDsKHR");
}

bool clpac__vendor_library_is_driver(const char *library, char *why, size_t size)
{
	void *opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	if (!opened)
		opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	if (!opened) {
		const char *reason = dlerror();
		snprintf(why, size, "cannot be loaded (%.100s)", reason ? reason : library);
		return false;
	}
	const bool is_one = is_driver(opened);
	if (!is_one)
		snprintf(why, size, "is no driver of OpenCL (it has no clIcdGetPlatformIDsKHR)");
	dlclose(opened);
	return is_one;
}

/* --- Some of the drivers alone ------------------------------------------------------------------ */

/* The path of a vendor's file in another folder. */
static bool name_in(const char *folder, const char *file, char path[CLPAC__VENDOR_PATH])
{
	const char *name = strrchr(file, '/');
	return (size_t)snprintf(path, CLPAC__VENDOR_PATH, "%s/%s", folder, name ? name + 1 : file) < CLPAC__VENDOR_PATH;
}

static bool write_file(const char *path, const char *library)
{
	const size_t n = strlen(library);
	const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return false;
	const bool is_written = write(file, library, n) == (ssize_t)n && write(file, "\n", 1) == 1;
	return close(file) == 0 && is_written;
}

bool clpac__vendors_make_folder(const clpac__vendors *some, char folder[CLPAC__VENDOR_PATH])
{
	char path[CLPAC__VENDOR_PATH], library[CLPAC__VENDOR_PATH];
	const char *base = clpac__environment("TMPDIR");
	if ((size_t)snprintf(folder, CLPAC__VENDOR_PATH, "%s/clpac-drivers-XXXXXX", base && *base ? base : "/tmp") >=
		    CLPAC__VENDOR_PATH ||
	    !mkdtemp(folder))
		return false;
	for (size_t i = 0; i < some->n; i++) {
		if (!clpac__vendor_library(some->files[i], library))
			continue;
		if (!name_in(folder, some->files[i], path) || !write_file(path, library)) {
			clpac__vendors_remove_folder(some, folder);
			return false;
		}
	}
	return true;
}

void clpac__vendors_remove_folder(const clpac__vendors *some, const char *folder)
{
	char path[CLPAC__VENDOR_PATH];
	for (size_t i = 0; i < some->n; i++)
		if (name_in(folder, some->files[i], path))
			unlink(path);
	rmdir(folder);
}

/* The latest copy of the environment, so that a leak checker finds it. */
static char **latest_copy __attribute__((used));

/* Drivers set variables while they start, as PoCL does, and with the first one the C library makes an environment of
 * its own.  That one stays; the variable becomes what it was, `before`, or NULL. */
static void put_back(char **changed, const char *entry, char *before)
{
	for (; changed && *changed; changed++)
		if (*changed == entry) {
			if (before)
				__atomic_store_n(changed, before, __ATOMIC_RELEASE);
			else
				unsetenv(clpac__vendors_variable);
			return;
		}
}

bool clpac__vendors_with(const char *folder, void (*act)(void *user), void *user)
{
	const size_t length = strlen(clpac__vendors_variable);
	char **const own = environ;
	char *before = NULL;
	size_t n = 0, kept = 0;
	while (own && own[n])
		n++;
	/* Held by nobody from the end of the call on, but for readers that began before it. */
	char **const copy = clpac__alloc_array(n + 2, sizeof *copy);
	char *const entry = clpac__alloc(length + strlen(folder) + 2);
	if (!copy || !entry) {
		FREE_ALL(copy, entry);
		return false;
	}
	latest_copy = copy;
	snprintf(entry, length + strlen(folder) + 2, "%s=%s", clpac__vendors_variable, folder);
	copy[kept++] = entry;
	for (size_t i = 0; i < n; i++)
		if (strncmp(own[i], clpac__vendors_variable, length) != 0 || own[i][length] != '=')
			copy[kept++] = own[i];
		else
			before = own[i];
	copy[kept] = NULL;
	__atomic_store_n(&environ, copy, __ATOMIC_RELEASE);
	act(user);
	char **expected = copy;
	if (!__atomic_compare_exchange_n(&environ, &expected, own, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		put_back(expected, entry, before);
	return true;
}
