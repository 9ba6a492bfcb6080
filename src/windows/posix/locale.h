/* The locale of a thread: that of the process, or C's numbers. */
#ifndef CLPAC_WINDOWS_LOCALE_H
#define CLPAC_WINDOWS_LOCALE_H

#include_next <locale.h>
#include "windows/posix/name.h"

typedef struct clpac__windows_locale *locale_t;
#define LC_NUMERIC_MASK 1
#define LC_ALL_MASK 1

locale_t newlocale(int mask, const char *name, locale_t base) CLPAC__WINDOWS(newlocale);
locale_t uselocale(locale_t locale) CLPAC__WINDOWS(uselocale);
void freelocale(locale_t locale) CLPAC__WINDOWS(freelocale);

#endif
