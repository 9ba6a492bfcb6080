/* Locales that write numbers in other ways than "C", built where the system has none: tests/support/locale.sh. */
#ifndef CLPAC_TESTS_LOCALES_H
#define CLPAC_TESTS_LOCALES_H

/* Languages whose decimal mark is a comma, and two bytes (U+066B). */
#define LOCALE_COMMA "de_DE"
#define LOCALE_TWO_BYTES "ps_AF"

/* NULL, or why there can be no such locale here: for skip_reason, or add_test_unless of runner.h. */
const char *locale_missing(const char *language);

/* The process has the language's locale from here on, and the C library writes numbers with its decimal mark; fails the
 * test where either is not so. */
void locale_begin(const char *language);
/* "C" again. */
void locale_end(void);

#endif
