/* Every function in a forked child, with the native device. */
#include "runner.h"

#include "forked_laws.h"

const char *skip_reason(void)
{
	return forked_missing();
}

Suite *suite(void)
{
	Suite *s = suite_create("forked children with the native device");
	forked_laws_add(s, "native");
	return s;
}
