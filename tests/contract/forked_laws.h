/* What the functions of the libraries do in a forked child: each of them is called there with what the parent made, in
 * each state that the parent can be in. */
#ifndef CLPAC_TESTS_FORKED_LAWS_H
#define CLPAC_TESTS_FORKED_LAWS_H

#include "runner.h"

/* NULL, or why a child cannot be tried in this build. */
const char *forked_missing(void);

/* Adds the laws on one device, by its selection: "native", or a device of OpenCL. */
void forked_laws_add(Suite *suite, const char *selection);

#endif
