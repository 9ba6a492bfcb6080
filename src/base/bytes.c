#include "base/bytes.h"

#include <string.h>
#include "base/ascii.h"

const char *const clpac__byte_units[CLPAC__N_BYTE_UNITS] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

int clpac__byte_power(const char *unit)
{
	enum { MOST_READ = 4 };
	if (!*unit)
		return 0;
	for (int power = 1; power <= MOST_READ; power++)
		if (clpac__same_letters(unit, clpac__byte_units[power], 1) &&
		    (!unit[1] || clpac__same_word(unit + 1, "B") || clpac__same_word(unit + 1, "iB")))
			return power;
	return -1;
}
