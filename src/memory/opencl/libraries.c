/* What OpenCL's loader is called.  macOS keeps its own as a framework, whose file is in the cache of the dynamic loader
 * and not on the disk; loaders of packages are libraries beside it. */
#include "memory/opencl/libraries.h"

#include <stddef.h>

const char *const clpac__opencl_libraries[] = {
#if defined(__APPLE__)
	"/System/Library/Frameworks/OpenCL.framework/OpenCL",
	"libOpenCL.1.dylib",
#elif defined(_WIN32) || defined(__CYGWIN__)
	"OpenCL.dll",
#else
	"libOpenCL.so.1",
#endif
	NULL,
};
