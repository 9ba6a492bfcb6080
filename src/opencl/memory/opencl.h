/* The internal headers of OpenCL in libclpac-memory, all at once: for its files and for src/opencl/compute.
 */
#ifndef CLPAC_OPENCL_MEMORY_OPENCL_H
#define CLPAC_OPENCL_MEMORY_OPENCL_H

#include "opencl/memory/codes.h"
#include "opencl/memory/discover.h"
#include "opencl/memory/facts.h"
#include "opencl/memory/log.h"
#include "opencl/memory/opencl_block.h"
#include "opencl/memory/opencl_event.h"
#include "opencl/memory/opencl_free_memory.h"
#include "opencl/memory/opencl_probe.h"
#include "opencl/memory/opencl_queue.h"
#include "opencl/memory/quirks.h"
#include "opencl/memory/serial.h"

#endif
