#include "base/environment.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *clpac__environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : 0;
}

bool clpac__environment_is_of_drivers(const char *entry)
{
	static const char *const prefixes[] = {"OCL_", "OPENCL_", "POCL_", "RUSTICL_", "CUDA_", "NVIDIA_", "ROCR_",
					       "HSA_", "GPU_",	  "ZE_",   "NEO",      "MESA_", "CL_",	   "LD_"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* --- The cache folder ------------------------------------------------------------------------- */

enum { MAX_PATH = 640 };

void clpac__cache_folder(const char *option, char *folder, size_t size)
{
	struct passwd entry, *user = NULL;
	struct stat home;
	char room[4096];
	int length = 0;
	*folder = 0;
	if (strcmp(option, "none") == 0)
		return;
	if (*option)
		length = snprintf(folder, size, "%s", option);
	else if (getpwuid_r(geteuid(), &entry, room, sizeof room, &user) == 0 && user && user->pw_dir &&
		 *user->pw_dir == '/')
		length = snprintf(folder, size, "%s/.cache/clpac", user->pw_dir);
	/* An account without a home has no cache. */
	const bool is_homeless = !*option && user && user->pw_dir && stat(user->pw_dir, &home) != 0;
	if (length < 0 || (size_t)length >= size || is_homeless)
		*folder = 0;
}

bool clpac__cache_make_folder(const char *folder)
{
	char path[MAX_PATH];
	if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *slash = *path ? strchr(path + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, S_IRWXU); /* a failure shows in the last mkdir */
		*slash = '/';
	}
	return mkdir(path, S_IRWXU) == 0 || errno == EEXIST;
}
