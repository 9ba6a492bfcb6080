/* The kernels as the build embeds them: for each file of cl/ an array of lines, ended by NULL
 * (build-aux/embed-cl.sh). */
#ifndef CLPAC_COUPLING_OPENCL_EMBEDDED_H
#define CLPAC_COUPLING_OPENCL_EMBEDDED_H

/* The files in the order of cl/local.mk: the prelude and shared functions first, and each file after those it uses.
 * Both arrays end with NULL. */
extern const char *const clpac__cl_names[];	   /* "cl/prelude.cl", ... */
extern const char *const *const clpac__cl_files[]; /* the lines of each */

#endif
