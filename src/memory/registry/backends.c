/* The table of backends.  A new backend is a folder, its one exported object, and one line here. */
#include "memory/registry/backends.h"

#include "config.h"

extern const clpac__backend clpac__backend_native;
#ifdef HAVE_OPENCL
extern const clpac__backend clpac__backend_opencl;
#endif

const clpac__backend *const clpac__backends[] = {
	&clpac__backend_native,
#ifdef HAVE_OPENCL
	&clpac__backend_opencl,
#endif
	NULL,
};
