/* clpac devices: lists the devices of this machine or of a recorded one, and the choice with its reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/devices.h>
#include <clpac/write.h>
#include "base/memory.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/device_table.h"
#include "tool/json_output.h"
#include "tool/option_groups.h"
#include "tool/settings.h"

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

/* Chooses as `run` would, and says why. */
static clpac_status choose(const clpac_device_list *list, tool_choice *choice, clpac_error *err)
{
	char text[32];
	RETURN_IF_ERROR(NEW_ARRAY(choice->devices, clpac_devices_count(list) + 1));
	RETURN_IF_ERROR(clpac_devices_select_several(list, choice->selection, 0, choice->devices,
						     clpac_devices_count(list), &choice->n, err));
	for (size_t i = 0; i < choice->n; i++) {
		const size_t length = strlen(choice->text);
		clpac_device_selection(choice->devices[i], text, sizeof text);
		snprintf(choice->text + length, sizeof choice->text - length, "%s%s", i ? "+" : "", text);
	}
	tool_say_why(list, choice);
	return CLPAC_OK;
}

/* Prints the JSON of a written list, with the choice and the reason against each other device added. */
static clpac_status print_json(const clpac_device_list *list, const tool_choice *choice, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL, why_not[200];
	TRY(clpac_devices_json(list, &text, err));
	clpac__json_tree json = {.root = json_loads(text, 0, NULL)};
	json_t *devices = json_object_get(json.root, "devices");
	clpac__json_tree_text(&json, json.root, "chosen", choice->n ? choice->text : NULL);
	clpac__json_tree_text(&json, json.root, "why", choice->n ? choice->why : NULL);
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		tool_why_not(list, choice, clpac_devices_get(list, i), why_not, sizeof why_not);
		clpac__json_tree_text(&json, json_array_get(devices, i), "why_not", *why_not ? why_not : NULL);
	}
	TRY(tool_json_print(&json, err));
done:
	clpac_text_free(text);
	return st;
}

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
	chosen = settings == CLPAC_OK ? choose(list, &choice, err) : settings;
	if (call->values.json)
		TRY(print_json(list, &choice, err));
	else
		tool_print_devices(list, &choice, call->values.all);
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
	.groups = groups,
	.run = devices,
};
