/* Devices, platforms and the choice among them, as a page for people. */
#ifndef CLPAC_TOOL_DEVICE_TABLE_H
#define CLPAC_TOOL_DEVICE_TABLE_H

#include <clpac/memory/device.h>
#include "tool/tool.h"

/* The devices that a selection chooses, and why. */
typedef struct tool_choice {
	const char *selection;	      /* "" for none */
	const char *from;	      /* its origin as a prefix: "--device " or "CLPAC_DEVICE=" */
	const clpac_device **devices; /* in the order of the selection */
	size_t n;		      /* 0 when nothing fits */
	char text[256];		      /* "native+0:0": the selection that means exactly these */
	char why[512];		      /* a sentence */
} tool_choice;

/* Why a device is not chosen, in a few words; empty when it is. */
void tool_why_not(const clpac_device_list *list, const tool_choice *choice, const clpac_device *device, char *text,
		  size_t size);

/* Fills `why` of a choice whose devices are known. */
void tool_say_why(const clpac_device_list *list, tool_choice *choice);

/* Prints the devices, the choice, and the platforms with their faults.  @param all whether to list duplicates. */
void tool_print_devices(const clpac_device_list *list, const tool_choice *choice, bool all);

#endif
