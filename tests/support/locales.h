/* Locales that write numbers in other ways than "C"; tests/support/locale.sh builds those that the system lacks. */
#ifndef CLPAC_TESTS_LOCALES_H
#define CLPAC_TESTS_LOCALES_H

/* de_DE, whose decimal mark is a comma, and ps_AF, whose mark has two bytes (U+066B). */
enum { N_LOCALES = 2 };
extern const char *const locale_languages[N_LOCALES];

/* NULL, or the reason why these locales cannot exist here: for skip_reason, or TEST_UNLESS of runner.h. */
const char *locale_missing(void);

/* Gives the process the language's locale from here on, so that the C library writes numbers with its decimal mark;
 * fails the test where either is not so. */
void locale_begin(const char *language);
/* Back to "C". */
void locale_end(void);

#endif
