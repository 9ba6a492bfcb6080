/* clpac doctor: the program, the machine, its limits, drivers and cache, and whether a device computes what is known,
 * as a page to paste into a report of a fault.  The page is JSON first, of which the text is made. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clpac/analysis.h>
#include <clpac/memory/context.h>
#include <clpac/version.h>

#include "analysis/run/results.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/number.h"
#include "tool/arguments.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/devices_page.h"
#include "tool/interrupt.h"
#include "tool/json_output.h"

extern char **environ;

static const clpac__option_group *const groups[] = {&clpac__options_compute, &tool_group_json, &tool_group_common,
						    NULL};

enum { TEXT_SIZE = 1200, MOST_ENTRIES = 100000, DEEPEST = 4 };

/* Coupling that every device finds: a recording of that many seconds, and the frequencies in it. */
enum { TRIAL_PHASE_HZ = 6, TRIAL_AMPLITUDE_HZ = 80 };
static const char trial_recording[] = "rate=512 seconds=20 phase=6 amplitude=80";

/* --- The page ----------------------------------------------------------------------------------- */

typedef struct examination {
	clpac__json_tree json;
	json_t *findings;
	clpac_status obstacle; /* the first thing that stands in the way of computing */
	clpac_error why;
} examination;

/* Writes a text with "~" for the user's home, whose name is nobody's business. */
static void hide_home(const char *text, char *out, size_t size)
{
	const char *home = clpac__environment("HOME");
	const size_t length = home && home[0] == '/' && home[1] ? strlen(home) : 0;
	size_t n = 0;
	while (*text && n < size - 1) {
		const bool is_home =
			length && strncmp(text, home, length) == 0 && (!text[length] || text[length] == '/');
		out[n++] = is_home ? '~' : *text;
		text += is_home ? length : 1;
	}
	out[n] = 0;
}

static void set_text(examination *all, json_t *object, const char *key, const char *text)
{
	char shown[TEXT_SIZE];
	hide_home(text, shown, sizeof shown);
	clpac__json_tree_text(&all->json, object, key, shown);
}

static void find(examination *all, bool is_obstacle, const char *format, ...) CLPAC__PRINTF(3, 4);
static void find(examination *all, bool is_obstacle, const char *format, ...)
{
	char text[TEXT_SIZE];
	json_t *one = json_object();
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	clpac__json_tree_set(&all->json, one, "stands_in_the_way", json_boolean(is_obstacle));
	set_text(all, one, "text", text);
	clpac__json_tree_append(&all->json, all->findings, one);
}

/* What stands in the way: the first of them is the program's error. */
static void find_obstacle(examination *all, clpac_status status, const clpac_error *why)
{
	if (status == CLPAC_OK)
		return;
	find(all, true, "%s", *why->text ? why->text : clpac_status_text(status));
	if (all->obstacle == CLPAC_OK) {
		all->obstacle = status;
		all->why = *why;
	}
}

/* --- What is looked at -------------------------------------------------------------------------- */

static void look_at_limits(examination *all)
{
	static const struct {
		const char *name;
		int resource;
	} each[] = {{"address_space_bytes", RLIMIT_AS},
		    {"stack_bytes", RLIMIT_STACK},
		    {"file_bytes", RLIMIT_FSIZE},
		    {"open_files", RLIMIT_NOFILE}};
	json_t *limits = json_object();
	struct rlimit limit;
	char text[32];
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (getrlimit(each[i].resource, &limit) == 0) {
			const bool is_limited = limit.rlim_cur != RLIM_INFINITY;
			clpac__json_tree_set(&all->json, limits, each[i].name,
					     is_limited ? json_integer((json_int_t)limit.rlim_cur) : json_null());
			if (is_limited && each[i].resource == RLIMIT_AS)
				find(all, false,
				     "the address space is limited to %s (ulimit -v), of which drivers of OpenCL need "
				     "2 GiB: where a run ends for lack of memory, ulimit -v unlimited helps",
				     clpac__bytes_text(limit.rlim_cur, text));
		}
	clpac__json_tree_set(&all->json, all->json.root, "limits", limits);
}

static void count_files(const char *folder, int depth, size_t *n, double *bytes)
{
	char path[TEXT_SIZE];
	struct stat facts;
	DIR *open = opendir(folder);
	for (struct dirent *entry; open && *n < MOST_ENTRIES && (entry = readdir(open));) {
		if (entry->d_name[0] == '.' ||
		    (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path ||
		    lstat(path, &facts) != 0)
			continue;
		if (S_ISREG(facts.st_mode)) {
			++*n;
			*bytes += (double)facts.st_size;
		} else if (S_ISDIR(facts.st_mode) && depth < DEEPEST) {
			count_files(path, depth + 1, n, bytes);
		}
	}
	if (open)
		closedir(open);
}

static void look_at_cache(examination *all, const clpac_options *options)
{
	char folder[sizeof options->cache + 64];
	json_t *cache = json_object();
	size_t n = 0;
	double bytes = 0;
	clpac__cache_folder(options->cache, folder, sizeof folder);
	if (*folder) {
		const bool is_made = clpac__cache_make_folder(folder), is_ours = is_made && access(folder, W_OK) == 0;
		if (!is_ours)
			find(all, false,
			     "the cache folder %s cannot be written (%s): kernels are compiled and drivers tried anew "
			     "each time; CLPAC_CACHE names another",
			     folder, strerror(errno));
		count_files(folder, 0, &n, &bytes);
		set_text(all, cache, "folder", folder);
		clpac__json_tree_set(&all->json, cache, "can_be_written", json_boolean(is_ours));
		clpac__json_tree_number(&all->json, cache, "n_files", (double)n);
		clpac__json_tree_number(&all->json, cache, "content_bytes", bytes);
	} else if (strcmp(options->cache, "none") != 0) {
		find(all, false,
		     "this account has no home, so that nothing is kept from one run to the next: kernels "
		     "are compiled and drivers tried anew each time; CLPAC_CACHE names a folder");
	}
	clpac__json_tree_set(&all->json, all->json.root, "cache", cache);
}

/* The variables that decide something: clpac's, those of drivers and loaders, those that name folders and threads. */
static void look_at_environment(examination *all)
{
	static const char *const others[] = {"CLPAC_", "SLURM_CPUS_PER_TASK=", "XDG_CACHE_HOME=", "OMP_NUM_THREADS="};
	json_t *environment = json_object();
	for (char **entry = environ; entry && *entry; entry++) {
		const char *equals = strchr(*entry, '=');
		bool is_wanted = clpac__environment_is_of_drivers(*entry);
		char name[64];
		for (size_t i = 0; i < sizeof others / sizeof *others; i++)
			is_wanted |= strncmp(*entry, others[i], strlen(others[i])) == 0;
		if (is_wanted && equals && (size_t)(equals - *entry) < sizeof name) {
			snprintf(name, sizeof name, "%.*s", (int)(equals - *entry), *entry);
			set_text(all, environment, name, equals + 1);
		}
	}
	clpac__json_tree_set(&all->json, all->json.root, "environment", environment);
}

/* The part of the machine that this process may use: by its affinity and its control groups. */
static void look_at_share(examination *all, const clpac_device_list *list)
{
	json_t *host = json_object_get(all->json.root, "host");
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		if (device->kind != CLPAC_DEVICE_NATIVE)
			continue;
		set_text(all, host, "cpu", device->name);
		set_text(all, host, "instruction_sets", device->extensions);
		clpac__json_tree_number(&all->json, host, "usable_cpus", device->compute_units);
		clpac__json_tree_number(&all->json, host, "usable_memory_bytes", (double)device->memory_bytes);
		clpac__json_tree_number(&all->json, host, "free_memory_bytes", (double)device->free_bytes);
	}
}

/* A list as it is shown: the faults of platforms without the home. */
static clpac_status show_list(const clpac_device_list *list, clpac_device_list **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_devices = clpac_devices_count(list), n_platforms = clpac_platforms_count(list);
	clpac_device *devices = NULL;
	clpac_platform *platforms = NULL;
	TRY(NEW_ARRAY(devices, n_devices));
	TRY(NEW_ARRAY(platforms, n_platforms));
	for (size_t i = 0; i < n_devices; i++)
		devices[i] = *clpac_devices_get(list, i);
	for (size_t i = 0; i < n_platforms; i++) {
		const clpac_platform *platform = clpac_platforms_get(list, i);
		platforms[i] = *platform;
		hide_home(platform->name, platforms[i].name, sizeof platforms[i].name);
		hide_home(platform->trouble, platforms[i].trouble, sizeof platforms[i].trouble);
	}
	TRY(clpac_devices_make(devices, n_devices, platforms, n_platforms, out, err));
done:
	clpac__free(devices);
	clpac__free(platforms);
	return st;
}

/* --- The trial ---------------------------------------------------------------------------------- */

static bool holds(clpac_band band, double hz)
{
	return band.lo_hz <= hz && hz <= band.hi_hz;
}

/* Writes what computed, and refuses numbers that are not those of the recording. */
static clpac_status judge(examination *all, json_t *trial, const clpac_result *result, clpac_error *err)
{
	const clpac_report *report = clpac_result_report((clpac_result *)result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	set_text(all, trial, "device", report->device);
	set_text(all, trial, "platform", report->platform);
	set_text(all, trial, "fft_engine", report->fft_engine);
	if (*report->instruction_set)
		set_text(all, trial, "instruction_set", report->instruction_set);
	set_text(all, trial, "strategy", report->strategy);
	clpac__json_tree_number(&all->json, trial, "n_threads", report->n_threads);
	clpac__json_tree_number(&all->json, trial, "vector_width", report->vector_width);
	clpac__json_tree_number(&all->json, trial, "budget_bytes", (double)report->budget_bytes);
	clpac__json_tree_number(&all->json, trial, "seconds", report->seconds);
	if (!peak.found)
		RETURN_ERROR(CLPAC_ERROR_DEVICE,
			     "%s gives no number for a recording whose coupling is known: choose another device",
			     report->device);
	const clpac_band phase = clpac_result_phase_bands(result)[peak.phase],
			 amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
	clpac__json_tree_number(&all->json, trial, "peak_index", peak.mi);
	clpac__json_tree_number(&all->json, trial, "peak_p_max", peak.p_max);
	if (!holds(phase, TRIAL_PHASE_HZ) || !holds(amplitude, TRIAL_AMPLITUDE_HZ) || !(peak.p_max <= 0.05F))
		RETURN_ERROR(
			CLPAC_ERROR_DEVICE,
			"%s computes wrong numbers: of a recording with coupling at %d and %d Hz it finds the most "
			"at %g-%g and %g-%g Hz (p_max %g): choose another device",
			report->device, TRIAL_PHASE_HZ, TRIAL_AMPLITUDE_HZ, phase.lo_hz, phase.hi_hz, amplitude.lo_hz,
			amplitude.hi_hz, peak.p_max);
	return CLPAC_OK;
}

/* Computes a small recording with known coupling on the devices that a run would take. */
static clpac_status compute(examination *all, const tool_call *call, const clpac_options *options, clpac_error *err)
{
	static const char *const of_analysis[] = {"strategy", "hold"}; /* the others are in the options */
	clpac_status st = CLPAC_OK;
	clpac_analysis *analysis = NULL;
	clpac_recording *recording = NULL;
	clpac_result *result = NULL;
	clpac_context *contexts[CLPAC_MAX_DEVICES];
	json_t *trial = json_object();
	size_t n = 0;
	TRY(clpac_analysis_synth(trial_recording, &recording, err));
	TRY(clpac_analysis_read("", &analysis, err));
	for (size_t i = 0; i < sizeof of_analysis / sizeof *of_analysis; i++) {
		const char *text = NULL;
		if (tool_option_origin(call, of_analysis[i], &text) != TOOL_FROM_DEFAULT)
			TRY(clpac_analysis_set(analysis, of_analysis[i], text, err));
	}
	TRY(clpac_analysis_contexts(analysis, NULL, options, contexts, &n, err));
	TRY(clpac_analysis_run(
		analysis, recording,
		&(clpac_analysis_call){.contexts = contexts, .n_contexts = n, .name = "the trial", .no_cautions = true},
		&result, err));
	TRY(judge(all, trial, result, err));
done:
	clpac__json_tree_set(&all->json, all->json.root, "trial", trial);
	clpac_result_destroy(result);
	while (n)
		clpac_context_close(contexts[--n]);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(recording);
	return st;
}

/* --- The text ----------------------------------------------------------------------------------- */

static void print_value(const char *key, const json_t *value)
{
	const char *unit = strstr(key, "_bytes");
	char text[32];
	if (json_is_string(value))
		tool_print_lines(stdout, json_string_value(value));
	else if (json_is_boolean(value))
		tool_print(stdout, "%s", json_is_true(value) ? "yes" : "no");
	else if (json_is_null(value))
		tool_print(stdout, "no limit");
	else if (unit && json_number_value(value) >= 1)
		tool_print(stdout, "%s", clpac__bytes_text((uint64_t)json_number_value(value), text));
	else
		tool_print(stdout, "%g", json_number_value(value));
	tool_print(stdout, "\n");
}

/* Prints a section: its members with blanks in the place of underscores, or its lines. */
static void print_section(const char *title, const json_t *section)
{
	enum { KEY_COLUMNS = 24 };
	const char *key;
	json_t *value;
	size_t i;
	if (!json_object_size(section) && !json_array_size(section))
		return;
	tool_print(stdout, "\n%s\n", title);
	json_object_foreach((json_t *)section, key, value)
	{
		char name[64];
		const char *unit = strstr(key, "_bytes");
		const bool is_variable = strcmp(title, "Environment") == 0;
		snprintf(name, sizeof name, "%.*s", unit && !is_variable ? (int)(unit - key) : 60, key);
		for (char *at = name; *at && !is_variable; at++)
			*at = *at == '_' ? ' ' : *at;
		tool_print(stdout, "  ");
		tool_print_column(stdout, name, KEY_COLUMNS);
		tool_print(stdout, " ");
		print_value(key, value);
	}
	json_array_foreach(section, i, value) tool_print(stdout, "  %s\n", json_string_value(value));
}

static void print_findings(const examination *all)
{
	json_t *one;
	size_t i;
	tool_print(stdout, "\nFindings\n");
	json_array_foreach(all->findings, i, one)
	{
		tool_print(stdout, "  %s: ",
			   json_is_true(json_object_get(one, "stands_in_the_way")) ? "in the way" : "to know");
		tool_print_lines(stdout, json_string_value(json_object_get(one, "text")));
		tool_print(stdout, "\n");
	}
	tool_print(stdout, "  %s\n",
		   all->obstacle == CLPAC_OK ? "Nothing stands in the way of computing."
					     : "clpac cannot compute like this.");
}

static void print_text(const examination *all, const clpac_device_list *list, const tool_choice *choice)
{
	static const struct {
		const char *key, *title;
	} sections[] = {{"build", "Parts"},
			{"host", "Machine"},
			{"limits", "Limits"},
			{"cache", "Cache"},
			{"environment", "Environment"}};
	tool_print(stdout, "clpac %s\n", clpac_version());
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		print_section(sections[i].title, json_object_get(all->json.root, sections[i].key));
	tool_print(stdout, "\nDevices\n");
	tool_devices_print(list, choice, false);
	print_section("Trial, 20 s with coupling at 6 and 80 Hz", json_object_get(all->json.root, "trial"));
	print_findings(all);
}

/* --- The command -------------------------------------------------------------------------------- */

/* Everything but the devices and the trial. */
static clpac_status begin(examination *all, const tool_call *call, const clpac_options *options, clpac_error *err)
{
	clpac__json_tree *json = &all->json;
	json->root = json_object();
	clpac__json_tree_text(json, json->root, "format", "clpac doctor");
	clpac__json_tree_number(json, json->root, "format_version", 1);
	clpac__json_tree_text(json, json->root, "version", clpac_version());
	clpac__json_tree_set(json, json->root, "findings", json_array());
	all->findings = json_object_get(json->root, "findings");
	RETURN_IF_ERROR(clpac__provenance_add(json, &call->values.analysis, err));
	json_object_del(json->root, "command");
	if (strcmp(clpac_version(), CLPAC_VERSION_STRING) != 0)
		find(all, false, "the program is of version %s and its library of %s: install both from one source",
		     CLPAC_VERSION_STRING, clpac_version());
	look_at_limits(all);
	look_at_cache(all, options);
	look_at_environment(all);
	return CLPAC_OK;
}

static clpac_status doctor(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK, step;
	clpac_options options = {0};
	clpac_device_list *list = NULL, *shown = NULL;
	clpac__json_tree devices = {NULL, false};
	clpac_error why = {0};
	examination all = {.obstacle = CLPAC_OK};
	tool_choice choice = {.from = call->values.analysis.device ? "--device " : "CLPAC_DEVICE=", .selection = ""};
	TRY(tool_interrupt_watch(call->command->name, err));
	const clpac_status settings = tool_settings(call, &options, &why);
	if (settings != CLPAC_OK)
		options = (clpac_options){0};
	TRY(begin(&all, call, &options, err));
	find_obstacle(&all, settings, &why);
	TRY(tool_devices_find(&options, &list, err));
	TRY(show_list(list, &shown, err));
	look_at_share(&all, shown);
	choice.selection = options.device;
	step = tool_devices_choose(shown, &choice, &why);
	find_obstacle(&all, step, &why);
	TRY(tool_devices_json(shown, &choice, &devices, err));
	clpac__json_tree_set(&all.json, all.json.root, "devices", json_incref(devices.root));
	if (all.obstacle == CLPAC_OK) {
		step = compute(&all, call, &options, &why);
		if (step == CLPAC_ERROR_CANCELLED || step == CLPAC_ERROR_NO_MEMORY)
			FAIL(step, "%s", why.text);
		find_obstacle(&all, step, &why);
	}
	clpac__json_tree_set(&all.json, all.json.root, "can_compute", json_boolean(all.obstacle == CLPAC_OK));
	if (call->values.json)
		TRY(tool_json_print(&all.json, err));
	else
		print_text(&all, shown, &choice);
	if (all.obstacle != CLPAC_OK)
		FAIL(all.obstacle, "%s", all.why.text);
done:
	json_decref(devices.root);
	json_decref(all.json.root);
	clpac__free(choice.devices);
	clpac_devices_destroy(shown);
	clpac_devices_destroy(list);
	return st;
}

const tool_command tool_command_doctor = {
	.name = "doctor",
	.usage = "[OPTIONS]",
	.summary = "say whether clpac computes here, as a page for a report",
	.help = "Lists the program's parts, the machine and what limits this process, the cache, the variables and\n"
		"the drivers, and the device that run would take and why, then computes a small recording whose\n"
		"coupling is known.  The page is to be pasted into a report of a fault; ~ stands for your home.\n"
		"The exit code is 0 unless something stands in the way of computing.\n",
	.examples = {"--device native", "--json", "--memory 1G --threads 2"},
	.groups = groups,
	.run = doctor,
};
