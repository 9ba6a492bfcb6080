/* Devices, platforms and the choice among them, as a page for people and as JSON. */
#ifndef CLPAC_TOOL_DEVICES_PAGE_H
#define CLPAC_TOOL_DEVICES_PAGE_H

#include <clpac/memory/device.h>

#include "analysis/json_tree.h"

/* The devices that a selection chooses, and why. */
typedef struct tool_choice {
	const char *selection;	      /* "" for none */
	const char *from;	      /* its origin as a prefix: "--device " or "CLPAC_DEVICE=" */
	const clpac_device **devices; /* in the order of the selection */
	size_t n;		      /* 0 when nothing fits */
	char text[256];		      /* "native+0:0": the selection that means exactly these */
	char why[512];		      /* a sentence */
} tool_choice;

/* Chooses as `run` would, and says why.  `selection` and `from` are the caller's to set before, and `devices` to free
 * with clpac__free after, in any case.
 * Errors: those of clpac_devices_select_several. */
clpac_status tool_devices_choose(const clpac_device_list *list, tool_choice *choice, clpac_error *err);

/* Prints the devices, the choice, and the platforms with their faults.  @param all whether to list duplicates. */
void tool_devices_print(const clpac_device_list *list, const tool_choice *choice, bool all);

/* The JSON of a written list, with the choice and the reason against each other device added.
 * @param[out] out the caller's, to print or to release.  Errors: those of clpac_devices_json. */
clpac_status tool_devices_json(const clpac_device_list *list, const tool_choice *choice, clpac__json_tree *out,
			       clpac_error *err);

#endif
