#include "recording/array_name.h"

#include <stdio.h>

void clpac__array_name_of(clpac_measure measure, bool is_first, clpac_array which, char name[CLPAC__ARRAY_NAME_SIZE])
{
	const char *own = clpac_measure_text(measure);
	if (which == CLPAC_MI)
		snprintf(name, CLPAC__ARRAY_NAME_SIZE, "%s", own);
	else
		snprintf(name, CLPAC__ARRAY_NAME_SIZE, "%s%s%s", is_first ? "" : own, is_first ? "" : "_",
			 clpac_array_name(which));
}
