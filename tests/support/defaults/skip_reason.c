#include "runner.h"

const char *skip_reason(void)
{
	return NULL;
}
