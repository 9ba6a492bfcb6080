/* clpac devices: lists the devices of this machine or of a recorded one, and the choice with its reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/devices.h>
#include <clpac/memory/device.h>
#include <clpac/write.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/json_output.h"
#include "tool/tool.h"

/* Devices, platforms and the choice among them, as a page for people. */

/* The devices that a selection chooses, and why. */
typedef struct tool_choice {
	const char *selection;	      /* "" for none */
	const char *from;	      /* its origin as a prefix: "--device " or "CLPAC_DEVICE=" */
	const clpac_device **devices; /* in the order of the selection */
	size_t n;		      /* 0 when nothing fits */
	char text[256];		      /* "native+0:0": the selection that means exactly these */
	char why[512];		      /* a sentence */
} tool_choice;

enum { SELECTION_SIZE = 32, NAME_COLUMNS = 34, TEXT_COLUMNS = 90, TROUBLE_COLUMN = 6 };

static bool is_empty_or_best(const char *selection)
{
	return !*selection || strcmp(selection, "best") == 0;
}

static bool chooses(const tool_choice *choice, const clpac_device *device)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->devices[i] == device)
			return true;
	return false;
}

/* The board's name, which a buyer knows; the chip's where the driver does not report the board. */
static const char *shown_name(const clpac_device *device)
{
	return *device->board ? device->board : device->name;
}

/* The listed device of which `again` is a duplicate; NULL if there is none. */
static const clpac_device *first_sight(const clpac_device_list *list, const clpac_device *again)
{
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		if (device != again && !device->is_duplicate &&
		    ((*device->uuid && strcmp(device->uuid, again->uuid) == 0) ||
		     (*device->pci && strcmp(device->pci, again->pci) == 0)))
			return device;
	}
	return NULL;
}

/* --- Why -------------------------------------------------------------------------------------- */

/* Number of devices that fit the selection, duplicates not counted. */
static size_t count_fitting(const clpac_device_list *list, const char *selection)
{
	size_t n = 0;
	char reason[160];
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		n += !device->is_duplicate &&
		     clpac_device_reason(device, selection, 0, reason, sizeof reason, NULL) == CLPAC_OK && !*reason;
	}
	return n;
}

static void say_why_best(const clpac_device_list *list, tool_choice *choice)
{
	const clpac_device *device = choice->devices[0];
	const char *kind = clpac_device_kind_text(device->kind);
	size_t n_of_kind = 0;
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *other = clpac_devices_get(list, i);
		n_of_kind += other->kind == device->kind && other->is_available && !other->is_duplicate;
	}
	int n;
	if (device->kind == CLPAC_DEVICE_NATIVE)
		n = snprintf(choice->why, sizeof choice->why, "no GPU or accelerator can be used here");
	else if (n_of_kind > 1)
		n = snprintf(choice->why, sizeof choice->why, "it is the first of %zu %ss", n_of_kind, kind);
	else
		n = snprintf(choice->why, sizeof choice->why, "it is the only %s", kind);
	const int first_later = (int)device->kind + 1;
	if (n > 0 && (size_t)n < sizeof choice->why && device->kind < CLPAC_DEVICE_NATIVE)
		n += snprintf(choice->why + n, sizeof choice->why - (size_t)n, ", which %s taken before",
			      n_of_kind > 1 ? "are" : "is");
	for (int later = first_later; n > 0 && (size_t)n < sizeof choice->why && later <= CLPAC_DEVICE_NATIVE; later++)
		n += snprintf(choice->why + n, sizeof choice->why - (size_t)n, "%s %s %s",
			      later == first_later	     ? ""
			      : later == CLPAC_DEVICE_NATIVE ? " and"
							     : ",",
			      later == CLPAC_DEVICE_NATIVE ? "the" : "an",
			      clpac_device_kind_text((clpac_device_kind)later));
}

/* Fills `why` of a choice whose devices are known. */
static void tool_say_why(const clpac_device_list *list, tool_choice *choice)
{
	const size_t n_fitting = count_fitting(list, choice->selection);
	if (is_empty_or_best(choice->selection))
		say_why_best(list, choice);
	else if (choice->n > 1)
		snprintf(choice->why, sizeof choice->why, "they are what %s%s means", choice->from, choice->selection);
	else if (n_fitting > 1)
		snprintf(choice->why, sizeof choice->why, "it is the first of %zu that fit %s%s", n_fitting,
			 choice->from, choice->selection);
	else
		snprintf(choice->why, sizeof choice->why, "it is the one that fits %s%s", choice->from,
			 choice->selection);
}

/* Why a device is not chosen, in a few words; empty when it is. */
static void tool_why_not(const clpac_device_list *list, const tool_choice *choice, const clpac_device *device,
			 char *text, size_t size)
{
	const clpac_device *first = device->is_duplicate ? first_sight(list, device) : NULL;
	char selection[SELECTION_SIZE], reason[160];
	*text = 0;
	if (chooses(choice, device))
		return;
	if (!device->is_available) {
		snprintf(text, size, "cannot be used");
	} else if (first) {
		clpac_device_selection(first, selection, sizeof selection);
		snprintf(text, size, "the same as %s", selection);
	} else if (is_empty_or_best(choice->selection) && device->kind > CLPAC_DEVICE_NATIVE) {
		snprintf(text, size, "only when asked for");
	} else if (clpac_device_reason(device, choice->selection, 0, reason, sizeof reason, NULL) == CLPAC_OK &&
		   *reason) {
		snprintf(text, size, "%s", reason);
	} else if (choice->n) {
		clpac_device_selection(choice->devices[choice->n - 1], selection, sizeof selection);
		snprintf(text, size, "fits, after %s", selection);
	}
}

/* --- The parts of the page -------------------------------------------------------------------- */

/* Prints a text cut to a number of columns.  Makers pad the names of chips with blanks: several become one. */
static void print_cut(const char *text, size_t columns)
{
	char whole[sizeof((clpac_device *)0)->name], cut[4 * NAME_COLUMNS + 4];
	size_t n = 0, width = 0;
	for (; *text && n < sizeof whole - 1; text++)
		if (*text != ' ' || (n && whole[n - 1] != ' '))
			whole[n++] = *text;
	whole[n] = 0;
	if (clpac__utf8_count(whole) <= columns) {
		tool_print_column(stdout, whole, columns);
		return;
	}
	for (n = 0; n < sizeof cut - 4; n++) {
		width += ((unsigned char)whole[n] & 0xc0) != 0x80;
		if (width > columns - 3)
			break;
		cut[n] = whole[n];
	}
	strcpy(cut + n, "...");
	tool_print_column(stdout, cut, columns);
}

/* Prints words in lines of at most TEXT_COLUMNS.  The first line begins at `column`, the others at `indent`. */
static void print_wrapped(const char *text, size_t column, int indent)
{
	while (*text) {
		const size_t skipped = strspn(text, " "), length = strcspn(text + skipped, " ");
		size_t blanks = skipped != 0;
		char word[256];
		snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
			 text + skipped);
		if (column + blanks + clpac__utf8_count(word) > TEXT_COLUMNS && column > (size_t)indent) {
			tool_print(stdout, "\n%*s", indent, "");
			column = (size_t)indent;
			blanks = 0;
		}
		tool_print(stdout, "%*s", (int)blanks, "");
		tool_print_column(stdout, word, 0);
		column += blanks + clpac__utf8_count(word);
		text += skipped + length;
	}
	tool_print(stdout, "\n");
}

static void print_row(const clpac_device_list *list, const tool_choice *choice, const clpac_device *device,
		      size_t name_columns)
{
	const bool is_chosen = chooses(choice, device), is_bold = is_chosen && tool_has_colour(stdout);
	char selection[SELECTION_SIZE], units[16] = "-", memory[32], why_not[200];
	clpac_device_selection(device, selection, sizeof selection);
	if (device->compute_units)
		snprintf(units, sizeof units, "%u", device->compute_units);
	tool_why_not(list, choice, device, why_not, sizeof why_not);
	if (is_bold)
		tool_style(stdout, TOOL_BOLD);
	tool_print(stdout, "%s ", is_chosen ? "*" : " ");
	tool_print_column(stdout, selection, 8);
	tool_print_column(stdout, clpac_device_kind_text(device->kind), 16);
	print_cut(shown_name(device), name_columns);
	tool_print(stdout, "%6s  %9s%s", units, clpac__bytes_text(device->memory_bytes, memory),
		   is_chosen || *why_not ? "  " : "");
	tool_print_column(stdout, is_chosen ? "chosen" : why_not, 0);
	if (is_bold)
		tool_style(stdout, TOOL_PLAIN);
	tool_print(stdout, "\n");
}

static void print_table(const clpac_device_list *list, const tool_choice *choice, bool all)
{
	size_t name_columns = 6, n_hidden = 0;
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const size_t width = clpac__utf8_count(shown_name(clpac_devices_get(list, i)));
		name_columns = width > name_columns ? width : name_columns;
	}
	name_columns = name_columns < NAME_COLUMNS ? name_columns : NAME_COLUMNS;
	tool_print(stdout, "  %-8s%-16s%-*s%6s  %9s\n", "select", "kind", (int)name_columns, "device", "units",
		   "memory");
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		if (device->is_duplicate && !all && !chooses(choice, device))
			n_hidden++;
		else
			print_row(list, choice, device, name_columns);
	}
	if (n_hidden)
		tool_print(stdout, "  and %zu seen again through another platform (--all shows %s)\n", n_hidden,
			   n_hidden > 1 ? "them" : "it");
}

static void print_choice(const tool_choice *choice)
{
	char text[1024];
	if (!choice->n)
		return;
	snprintf(text, sizeof text,
		 "* clpac takes %s: %s.  Another choice: --device SELECT, or CLPAC_DEVICE=SELECT in the "
		 "environment.",
		 choice->text, choice->why);
	tool_print(stdout, "\n");
	print_wrapped(text, 0, 2);
}

/* Lists platforms by the number before the colon of a selection, each with its fault and a remedy to try. */
static void print_platforms(const clpac_device_list *list)
{
	bool has_title = false;
	char text[sizeof((clpac_platform *)0)->name + sizeof((clpac_platform *)0)->version + 2];
	for (size_t i = 0; i < clpac_platforms_count(list); i++) {
		const clpac_platform *platform = clpac_platforms_get(list, i);
		if (strcmp(platform->backend, "native") == 0)
			continue;
		tool_print(stdout, "%s", has_title ? "" : "\nOpenCL platforms\n");
		has_title = true;
		if (platform->index >= 0)
			tool_print(stdout, "  %-3d ", platform->index);
		else
			tool_print(stdout, "  %-3s ", "-");
		snprintf(text, sizeof text, "%s%s%s", platform->name, *platform->version ? ", " : "",
			 platform->version);
		print_wrapped(text, TROUBLE_COLUMN, TROUBLE_COLUMN);
		if (*platform->trouble) {
			tool_print(stdout, "%*s", TROUBLE_COLUMN, "");
			print_wrapped(platform->trouble, TROUBLE_COLUMN, TROUBLE_COLUMN);
		}
	}
}

/* Prints the devices, the choice, and the platforms with their faults.  @param all whether to list duplicates. */
static void tool_print_devices(const clpac_device_list *list, const tool_choice *choice, bool all)
{
	print_table(list, choice, all);
	print_choice(choice);
	print_platforms(list);
}

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
	.examples = {"--device native", "--all --json", "--write devices.json"},
	.groups = groups,
	.run = devices,
};
