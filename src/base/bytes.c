#include "base/bytes.h"

#include <stdio.h>
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

const char *clpac__bytes_text(uint64_t bytes, char text[32])
{
	double value = (double)bytes;
	size_t unit = 0;
	while (value >= 999.5 && unit + 1 < CLPAC__N_BYTE_UNITS) {
		value /= 1024;
		unit++;
	}
	if (bytes == 0)
		strcpy(text, "-");
	else
		snprintf(text, 32, "%.*f %s", unit == 0 || value >= 99.95 ? 0 : 1, value, clpac__byte_units[unit]);
	return text;
}
