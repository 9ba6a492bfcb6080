/* Fuzzer's target: selections of devices.  The input is the selection, tried on a machine with a GPU, a CPU under
 * OpenCL and the native backend. */
#include <stdlib.h>
#include <string.h>
#include <clpac/devices.h>
#include <clpac/memory/device.h>

#include "fuzz/fuzz_input.h"

static const char machine[] =
	"{\"format\": \"clpac devices\", \"format_version\": 1, \"devices\": [\n"
	"{\"backend\": \"opencl\", \"platform\": 0, \"index\": 0, \"platform_name\": \"One\", \"is_available\": true, "
	"\"kind\": \"discrete GPU\", \"name\": \"Radeon X\", \"vendor\": \"Advanced Micro Devices\", "
	"\"compute_units\": 36, "
	"\"memory_bytes\": 8589934592, \"free_bytes\": 8000000000, \"has_fp64\": true},\n"
	"{\"backend\": \"opencl\", \"platform\": 1, \"index\": 0, \"platform_name\": \"Two\", \"is_available\": true, "
	"\"kind\": \"OpenCL CPU\", \"name\": \"pthread-i7\", \"vendor\": \"GenuineIntel\", \"memory_bytes\": "
	"4294967296},\n"
	"{\"backend\": \"native\", \"platform\": -1, \"index\": -1, \"platform_name\": \"native\", \"is_available\": "
	"true, \"kind\": \"native CPU\", \"name\": \"i7\", \"memory_bytes\": 4294967296}],\n"
	"\"platforms\": [{\"backend\": \"native\", \"index\": -1, \"n_devices\": 1, \"status\": 0, \"name\": "
	"\"native\"},\n"
	"{\"backend\": \"opencl\", \"index\": 0, \"n_devices\": 1, \"status\": 0, \"name\": \"One\"},\n"
	"{\"backend\": \"opencl\", \"index\": 1, \"n_devices\": 1, \"status\": 0, \"name\": \"Two\"}]}\n";

static const clpac_device_list *list;

static void read_machine(void)
{
	clpac_device_list *made = NULL;
	clpac_error err = {0};
	if (clpac_devices_read(fuzz_write("machine.json", machine, sizeof machine - 1), &made, &err) != CLPAC_OK)
		fuzz_broken(__FILE__, __LINE__, "the machine is read", err.text);
	list = made;
}

static void select_each(const char *text)
{
	clpac_error err = {0};
	const clpac_device *device = NULL;
	clpac_status st = clpac_devices_select(list, text, 1 << 30, &device, &err);
	fuzz_outcome(st, &err, device != NULL);
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		char why[256] = "";
		st = clpac_device_reason(clpac_devices_get(list, i), text, 1 << 30, why, sizeof why, &err);
		fuzz_outcome(st, &err, st == CLPAC_OK);
		if (clpac_devices_get(list, i) == device)
			FUZZ_LAW(st != CLPAC_OK || !*why); /* what was chosen fits */
	}
}

static void select_several(const char *text)
{
	enum { CAPACITY = 2 };
	clpac_error err = {0};
	const clpac_device *devices[CAPACITY];
	size_t n = 0;
	const clpac_status st = clpac_devices_select_several(list, text, 0, devices, CAPACITY, &n, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	FUZZ_LAW(st != CLPAC_OK || (n >= 1 && n <= CAPACITY));
	FUZZ_LAW(st != CLPAC_OK || n == 1 || devices[0] != devices[1]);
}

int FUZZ_TARGET(selection)(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	if (!list)
		read_machine();
	select_each(text);
	select_several(text);
	free(text);
	return 0;
}
