/* Locales for tests, built by localedef into a scratch folder: the machine need not have them installed. */
#ifndef CLPAC_TESTS_BUILT_LOCALE_H
#define CLPAC_TESTS_BUILT_LOCALE_H

#include <stdbool.h>

/* Builds a locale of UTF-8, as "de_DE", for the rest of the program.  False where localedef or the locale's description
 * is missing: a reason to skip. */
bool can_build_locale(const char *name);

/* Makes a built locale that of the process. */
bool use_built_locale(const char *name);

#endif
