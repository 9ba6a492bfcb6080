/* clpac devices: lists the devices of this machine or of a recorded one, and the choice with its reason. */
#include <stdlib.h>

#include <clpac/devices.h>
#include <clpac/memory/device.h>
#include <clpac/write.h>

#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/devices_page.h"
#include "tool/json_output.h"
#include "tool/tool.h"

#define VALUE(member) offsetof(tool_values, member)

/* clang-format off */
static const clpac__option devices_options[] = {
	{ "device", 0, CLPAC__OPTION_TEXT, "SELECTION", "the best", VALUE(analysis.device),
	  "join several devices with +, as gpu+native",
	  "show the choice of this selection: gpu, native, 0:1, name~Radeon, gpu+native, all, ..." },
	{ "probe", 0, CLPAC__OPTION_TEXT, "SECONDS", "10, after drivers changed", VALUE(analysis.probe), NULL,
	  "start OpenCL's drivers in a child process first, for this time at most" },
	{ "from", 0, CLPAC__OPTION_TEXT, "FILE", NULL, VALUE(from), NULL,
	  "show the devices of another machine, recorded there with --write or --json" },
	{ "write", 0, CLPAC__OPTION_TEXT, "FILE", NULL, VALUE(write), NULL,
	  "record the devices in a file" },
	{ "force", 'f', CLPAC__OPTION_FLAG, NULL, NULL, VALUE(force), NULL,
	  "replace a file that exists" },
	{ "all", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(all), NULL,
	  "also list devices seen again through another platform" },
	{ "json", 0, CLPAC__OPTION_FLAG, NULL, NULL, VALUE(json), NULL,
	  "print everything that the drivers report, as JSON" },
};
/* clang-format on */
static const clpac__option_group devices_group = {
	.title = NULL, .options = devices_options, .n_options = sizeof devices_options / sizeof *devices_options};

static const clpac__option_group *const groups[] = {&devices_group, &tool_group_common, NULL};

static clpac_status write_list(const clpac_device_list *list, tool_call *call, clpac_error *err)
{
	const clpac_write_options options = {.overwrite = call->values.force};
	call->direction = TOOL_OUTPUT;
	RETURN_IF_ERROR(clpac_devices_write(list, call->values.write, &options, err));
	tool_print(stderr, "clpac devices: recorded in %s\n", call->values.write);
	return CLPAC_OK;
}

static clpac_status devices(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK, chosen;
	clpac_options options = {0};
	clpac_device_list *list = NULL;
	tool_choice choice = {.selection = ""};
	clpac__json_tree json;
	const clpac_status settings = tool_settings(call, &options, err);
	/* The devices are listed even if a setting is wrong or nothing fits the selection: the list helps to correct
	 * it. With --device or a probe, a wrong setting ends the command, since these say how to look. */
	if (settings != CLPAC_OK &&
	    (call->values.analysis.device || call->values.analysis.probe || getenv("CLPAC_PROBE")))
		TRY(settings);
	if (call->values.from)
		TRY(clpac_devices_read(call->values.from, &list, err));
	else
		TRY(tool_devices_find(&options, &list, err));
	if (call->values.write)
		TRY(write_list(list, call, err));
	/* CLPAC_DEVICE selects on this machine, not on a recorded one. */
	choice.from = call->values.analysis.device ? "--device " : "CLPAC_DEVICE=";
	choice.selection = call->values.analysis.device ? call->values.analysis.device
			   : call->values.from		? ""
							: options.device;
	chosen = settings == CLPAC_OK ? tool_devices_choose(list, &choice, err) : settings;
	if (call->values.json) {
		TRY(tool_devices_json(list, &choice, &json, err));
		TRY(tool_json_print(&json, err));
	} else {
		tool_devices_print(list, &choice, call->values.all);
	}
	TRY(chosen);
done:
	clpac__free(choice.devices);
	clpac_devices_destroy(list);
	return st;
}

const tool_command tool_command_devices = {
	.name = "devices",
	.usage = "[OPTIONS]",
	.summary = "list the devices, and the one that clpac would choose",
	.help = "Lists the native CPU and every OpenCL device, marks the one that would be chosen, and gives the\n"
		"reason for the choice, the reason against each other device, and the fault of a driver whose\n"
		"devices cannot be used.\n",
	.examples = {"--device native", "--all --json", "--write devices.json"},
	.groups = groups,
	.run = devices,
};
