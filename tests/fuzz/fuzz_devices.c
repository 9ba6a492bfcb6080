/* Fuzzer's target: lists of devices in JSON.  The input is the file.  A list that can be read is written as text, which
 * reads as the same text. */
#include <string.h>
#include <clpac/devices.h>
#include <clpac/memory/device.h>

#include "fuzz/fuzz_input.h"

static char *text_of(const clpac_device_list *list)
{
	char *text = NULL;
	clpac_error err = {0};
	const clpac_status st = clpac_devices_json(list, &text, &err);
	fuzz_outcome(st, &err, text != NULL);
	FUZZ_LAW(st == CLPAC_OK);
	return text;
}

int FUZZ_TARGET(devices)(const uint8_t *data, size_t size)
{
	clpac_device_list *list = NULL, *again = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_devices_read(fuzz_write("x.json", data, size), &list, &err);
	fuzz_outcome(st, &err, list != NULL);
	if (!list)
		return 0;
	char *text = text_of(list);
	st = clpac_devices_read(fuzz_write("y.json", text, strlen(text)), &again, &err);
	if (st != CLPAC_OK)
		fuzz_broken(__FILE__, __LINE__, "what was written is read", err.text);
	char *second = text_of(again);
	FUZZ_LAW(strcmp(text, second) == 0);
	clpac_text_free(text);
	clpac_text_free(second);
	clpac_devices_destroy(list);
	clpac_devices_destroy(again);
	return 0;
}
