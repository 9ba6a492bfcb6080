/* The native backend: this computer's CPU, always there, without a driver. */
#include "config.h"

#include "memory/native/native_queue.h"

#include <stdio.h>

#include "memory/device/list.h"
#include "memory/device/properties.h"
#include "memory/native/isa.h"
#include "memory/native/machine.h"

static void describe(clpac_device *out)
{
	clpac__machine machine;
	clpac__machine_look("", &machine);
	*out = (clpac_device){
		.kind = CLPAC_DEVICE_NATIVE,
		.platform = -1,
		.index = -1,
		.backend = "native",
		.platform_name = "native",
		.compute_units = machine.cores,
		.clock_mhz = machine.clock_mhz,
		.memory_bytes = machine.memory_bytes,
		.free_bytes = machine.free_bytes,
		.max_allocation_bytes = machine.memory_bytes,
		.cache_bytes = machine.cache_bytes,
		.base_align_bits = 8 * 64, /* the widest vector */
		.vector_width_float = clpac__isa_get(0)->vector_width,
		.has_unified_memory = true,
		.has_fp64 = true,
		.is_available = true,
		.free_knowledge = machine.free_bytes ? CLPAC_EXACT : CLPAC_UNKNOWN,
		.known = CLPAC__KNOWS(CLPAC_PROPERTY_HAS_FP16) | CLPAC__KNOWS(CLPAC_PROPERTY_HAS_DEVICE_CLOCK),
	};
	snprintf(out->name, sizeof out->name, "%s", *machine.name ? machine.name : "CPU");
	snprintf(out->vendor, sizeof out->vendor, "%s", machine.vendor);
	snprintf(out->driver, sizeof out->driver, "%s", PACKAGE_VERSION);
	clpac__isa_names(out->extensions, sizeof out->extensions);
}

static clpac_status native_discover(clpac__discovery *found, clpac_error *err)
{
	clpac_platform platform = {
		.index = -1,
		.backend = "native",
		.name = "native",
		.vendor = PACKAGE_NAME,
		.version = PACKAGE_VERSION,
		.n_devices = 1,
	};
	clpac_device device;
	RETURN_IF_ERROR(clpac__discovery_add_platform(found, &platform, err));
	describe(&device);
	return clpac__discovery_add_device(found, &device, err);
}

static clpac_status native_open(const clpac_device *device, const clpac_options *options, clpac__queue **out,
				clpac_error *err)
{
	return clpac__native_queue_open(device, options, out, err);
}

extern const clpac__backend clpac__backend_native;
const clpac__backend clpac__backend_native = {
	.name = "native",
	.discover = native_discover,
	.open = native_open,
};
