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

const char clpac__vendors_variable[] = "OCL_ICD_VENDORS", clpac__vendors_usual_folder[] = "/etc/OpenCL/vendors";

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

void clpac__vendors_list(clpac__vendors *out)
{
	const char *folder = clpac__environment(clpac__vendors_variable);
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

bool clpac__vendor_library_loads(const char *library, char *why, size_t size)
{
	void *opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	if (!opened)
		opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	if (opened) {
		dlclose(opened);
		return true;
	}
	const char *reason = dlerror();
	snprintf(why, size, "%s", reason ? reason : library);
	return false;
}
