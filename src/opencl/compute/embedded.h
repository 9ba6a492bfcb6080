/* The kernels as the build embeds them: for each file of cl/ an array of lines, ended by NULL (build-aux/embed-cl.sh).
 */
#ifndef CLPAC_OPENCL_COMPUTE_EMBEDDED_H
#define CLPAC_OPENCL_COMPUTE_EMBEDDED_H

/* In the order of cl/local.mk: the prelude and shared functions first, a file after those it uses.  Both ended by NULL.
 */
extern const char *const clpac__cl_names[];	   /* "cl/prelude.cl", ... */
extern const char *const *const clpac__cl_files[]; /* the lines of each */

#endif
