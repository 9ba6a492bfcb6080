/* Refusing NULL. */
#include "base/need.h"

#include "base/error.h"

clpac_status clpac__need_fail(clpac_error *err, const char *function, const char *parameter)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: %s is NULL", function, parameter);
}
