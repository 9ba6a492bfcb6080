/* The calls of POSIX.1-2008 that Windows lacks, or has with less: the headers in this folder declare them, beside what
 * the compiler's headers of the same names have, and the files of src/windows define them.  Their symbols have a
 * prefix, so that an application's own calls of these names stay its own. */
#ifndef CLPAC_WINDOWS_NAME_H
#define CLPAC_WINDOWS_NAME_H

#define CLPAC__WINDOWS(name) __asm__("clpac__windows_" #name)

#endif
