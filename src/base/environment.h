/* Environment variables of other software, such as XDG_CACHE_HOME, are read through here alone.  Options of clpac
 * come from the environment only where a caller asks for it (clpac_options_from_environment). */
#ifndef CLPAC_BASE_ENVIRONMENT_H
#define CLPAC_BASE_ENVIRONMENT_H

/* A variable's value, or NULL where it is unset or empty.  Not thread-safe beside a setenv. */
const char *clpac__environment(const char *name);

#endif
