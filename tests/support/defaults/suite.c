#include "runner.h"

Suite *suite(void)
{
	return runner_suite();
}
