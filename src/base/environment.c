#include "base/environment.h"

#include <stdlib.h>

const char *clpac__environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : 0;
}
