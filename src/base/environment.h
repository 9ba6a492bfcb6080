/* The environment, which the library reads here alone: variables of others that it stands between, and never for a
 * setting of its own that nobody asked it to take from there. */
#ifndef CLPAC_BASE_ENVIRONMENT_H
#define CLPAC_BASE_ENVIRONMENT_H

/* A variable's value, or NULL where it is not set or empty.  Not beside a setenv in another thread. */
const char *clpac__environment(const char *name);

#endif
