#include "tool/devices_page.h"

#include <stdio.h>
#include <string.h>

#include <clpac/devices.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "tool/console.h"

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
static void say_why(const clpac_device_list *list, tool_choice *choice)
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
static void write_why_not(const clpac_device_list *list, const tool_choice *choice, const clpac_device *device,
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
	write_why_not(list, choice, device, why_not, sizeof why_not);
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

void tool_devices_print(const clpac_device_list *list, const tool_choice *choice, bool all)
{
	print_table(list, choice, all);
	print_choice(choice);
	print_platforms(list);
}

/* --- The choice ------------------------------------------------------------------------------- */

clpac_status tool_devices_choose(const clpac_device_list *list, tool_choice *choice, clpac_error *err)
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
	say_why(list, choice);
	return CLPAC_OK;
}

clpac_status tool_devices_json(const clpac_device_list *list, const tool_choice *choice, clpac__json_tree *out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL, why_not[200];
	TRY(clpac_devices_json(list, &text, err));
	clpac__json_tree json = {.root = json_loads(text, 0, NULL)};
	json_t *devices = json_object_get(json.root, "devices");
	clpac__json_tree_text(&json, json.root, "chosen", choice->n ? choice->text : NULL);
	clpac__json_tree_text(&json, json.root, "why", choice->n ? choice->why : NULL);
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		write_why_not(list, choice, clpac_devices_get(list, i), why_not, sizeof why_not);
		clpac__json_tree_text(&json, json_array_get(devices, i), "why_not", *why_not ? why_not : NULL);
	}
	*out = json;
done:
	clpac_text_free(text);
	return st;
}
