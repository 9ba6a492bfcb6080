/* Every function in a forked child, with a device of OpenCL.  No driver is started before a test's own process. */
#include "runner.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forked_laws.h"
#include "targets.h"

/* Found by a child, since what this process starts no test could use. */
const char *skip_reason(void)
{
	int status = 1;
	const pid_t child = fork();
	if (child == 0)
		_exit(targets_find("opencl") ? 0 : 1);
	waitpid(child, &status, 0);
	if (status)
		return "no OpenCL device that can be used (clpac devices says why)";
	return forked_missing();
}

Suite *suite(void)
{
	Suite *s = suite_create("forked children with an OpenCL device");
	const char *chosen = getenv("CLPAC_TEST_DEVICE");
	forked_laws_add(s, chosen ? chosen : "0:0");
	return s;
}
