#include "analysis/checkpoints/report_text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "analysis/json_tree.h"
#include "base/error.h"

/* Members that are texts, and those that are counts. */
#define TEXT(member)                                                                                                   \
	{                                                                                                              \
#member, offsetof(clpac_report, member), sizeof((clpac_report *)0)->member                             \
	}
static const struct {
	const char *name;
	size_t offset, size;
} texts[] = {TEXT(device),	    TEXT(platform),   TEXT(driver),	     TEXT(backend),
	     TEXT(instruction_set), TEXT(fft_engine), TEXT(strategy_wanted), TEXT(strategy)};
#undef TEXT
#define COUNT(member)                                                                                                  \
	{                                                                                                              \
#member, offsetof(clpac_report, member)                                                                \
	}
typedef struct count_member {
	const char *name;
	size_t offset;
} count_member;
static const count_member sizes[] = {COUNT(batch_series),
				     COUNT(fft_length),
				     COUNT(extension_samples),
				     COUNT(edge_samples),
				     COUNT(kept_samples),
				     COUNT(chunk_surrogates),
				     COUNT(n_series),
				     COUNT(n_cpu_fallbacks),
				     COUNT(n_overflowing_series),
				     COUNT(n_phase_filterings),
				     COUNT(n_amplitude_filterings)};
static const count_member amounts[] = {COUNT(estimate_bytes),	COUNT(taken_bytes),   COUNT(budget_bytes),
				       COUNT(peak_bytes),	COUNT(channel_bytes), COUNT(n_channel_moves),
				       COUNT(n_channel_returns)};
static const count_member numbers[] = {COUNT(n_threads), COUNT(vector_width)};
#undef COUNT
enum {
	N_TEXTS = sizeof texts / sizeof *texts,
	N_SIZES = sizeof sizes / sizeof *sizes,
	N_AMOUNTS = sizeof amounts / sizeof *amounts,
	N_NUMBERS = sizeof numbers / sizeof *numbers
};

/* The texts and counts of a report. */
static void add_members(clpac__json_tree *json, json_t *to, const clpac_report *report)
{
	const char *from = (const char *)report;
	for (size_t i = 0; i < N_TEXTS; i++)
		clpac__json_tree_text(json, to, texts[i].name, from + texts[i].offset);
	for (size_t i = 0; i < N_SIZES; i++)
		clpac__json_tree_number(json, to, sizes[i].name, (double)*(const size_t *)(from + sizes[i].offset));
	for (size_t i = 0; i < N_AMOUNTS; i++)
		clpac__json_tree_number(json, to, amounts[i].name,
					(double)*(const uint64_t *)(from + amounts[i].offset));
	for (size_t i = 0; i < N_NUMBERS; i++)
		clpac__json_tree_number(json, to, numbers[i].name, *(const unsigned *)(from + numbers[i].offset));
}

static json_t *steps_json(clpac__json_tree *json, const clpac_report *report)
{
	json_t *steps = json_array();
	for (size_t i = 0; i < report->n_steps && i < CLPAC_MAX_STEPS; i++) {
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "strategy", report->steps[i].strategy);
		clpac__json_tree_text(json, one, "backend", report->steps[i].backend);
		clpac__json_tree_number(json, one, "bytes", (double)report->steps[i].bytes);
		clpac__json_tree_text(json, one, "reason", report->steps[i].reason);
		clpac__json_tree_append(json, steps, one);
	}
	return steps;
}

static json_t *device_json(clpac__json_tree *json, const clpac_device_report *device)
{
	json_t *one = json_object();
	clpac__json_tree_text(json, one, "selection", device->selection);
	clpac__json_tree_text(json, one, "device", device->device);
	clpac__json_tree_text(json, one, "platform", device->platform);
	clpac__json_tree_text(json, one, "backend", device->backend);
	clpac__json_tree_text(json, one, "strategy", device->strategy);
	clpac__json_tree_number(json, one, "n_series", (double)device->n_series);
	clpac__json_tree_number(json, one, "n_batches", (double)device->n_batches);
	clpac__json_tree_number(json, one, "seconds", device->seconds);
	clpac__json_tree_number(json, one, "peak_bytes", (double)device->peak_bytes);
	clpac__json_tree_text(json, one, "failure", device->has_failed ? device->failure : NULL);
	return one;
}

clpac_status clpac__report_write(const clpac_report *report, char **text, clpac_error *err)
{
	clpac__json_tree json = {.root = json_object()};
	json_t *warnings = json_array(), *stages = json_array(), *devices = json_array();
	clpac__json_tree_number(&json, json.root, "seconds", report->seconds);
	add_members(&json, json.root, report);
	clpac__json_tree_number(&json, json.root, "n_steps", (double)report->n_steps);
	clpac__json_tree_set(&json, json.root, "steps", steps_json(&json, report));
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++) {
		json_t *one = json_object();
		clpac__json_tree_number(&json, one, "count", (double)report->warnings[k].count);
		clpac__json_tree_text(&json, one, "text", report->warnings[k].text);
		clpac__json_tree_append(&json, warnings, one);
	}
	for (size_t i = 0; i < report->n_stages; i++) {
		json_t *one = json_object();
		clpac__json_tree_text(&json, one, "name", report->stages[i].name);
		clpac__json_tree_number(&json, one, "seconds", report->stages[i].seconds);
		clpac__json_tree_append(&json, stages, one);
	}
	for (size_t i = 0; i < report->n_devices; i++)
		clpac__json_tree_append(&json, devices, device_json(&json, &report->devices[i]));
	clpac__json_tree_set(&json, json.root, "warnings", warnings);
	clpac__json_tree_set(&json, json.root, "stages", stages);
	clpac__json_tree_set(&json, json.root, "devices", devices);
	clpac_status st = clpac__json_tree_text_of(&json, text, err);
	json_decref(json.root);
	return st;
}

/* 0 for anything but a number that is finite and not negative. */
static double number_of(const json_t *object, const char *key)
{
	const double value = json_number_value(json_object_get(object, key));
	return isfinite(value) && value > 0 ? value : 0;
}

static size_t count_of(const json_t *object, const char *key)
{
	const double value = number_of(object, key);
	return value < 0x1p53 ? (size_t)value : 0;
}

static void take_text(const json_t *object, const char *key, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));
	snprintf(to, size, "%s", text ? text : "");
}

static void take_device(const json_t *one, clpac_device_report *device)
{
	*device = (clpac_device_report){
		.n_series = count_of(one, "n_series"),
		.n_batches = count_of(one, "n_batches"),
		.seconds = number_of(one, "seconds"),
		.peak_bytes = count_of(one, "peak_bytes"),
		.has_failed = json_is_string(json_object_get(one, "failure")),
	};
	take_text(one, "selection", device->selection, sizeof device->selection);
	take_text(one, "device", device->device, sizeof device->device);
	take_text(one, "platform", device->platform, sizeof device->platform);
	take_text(one, "backend", device->backend, sizeof device->backend);
	take_text(one, "strategy", device->strategy, sizeof device->strategy);
	take_text(one, "failure", device->failure, sizeof device->failure);
}

static void take_members(const json_t *root, clpac_report *report)
{
	char *to = (char *)report;
	const json_t *steps = json_object_get(root, "steps");
	for (size_t i = 0; i < N_TEXTS; i++)
		take_text(root, texts[i].name, to + texts[i].offset, texts[i].size);
	for (size_t i = 0; i < N_SIZES; i++)
		*(size_t *)(to + sizes[i].offset) = count_of(root, sizes[i].name);
	for (size_t i = 0; i < N_AMOUNTS; i++)
		*(uint64_t *)(to + amounts[i].offset) = count_of(root, amounts[i].name);
	for (size_t i = 0; i < N_NUMBERS; i++) {
		const size_t count = count_of(root, numbers[i].name);
		*(unsigned *)(to + numbers[i].offset) = count < UINT_MAX ? (unsigned)count : UINT_MAX;
	}
	report->n_steps = count_of(root, "n_steps");
	for (size_t i = 0; i < CLPAC_MAX_STEPS; i++) {
		const json_t *one = json_array_get(steps, i);
		clpac_step *step = &report->steps[i];
		take_text(one, "strategy", step->strategy, sizeof step->strategy);
		take_text(one, "backend", step->backend, sizeof step->backend);
		take_text(one, "reason", step->reason, sizeof step->reason);
		step->bytes = count_of(one, "bytes");
	}
}

clpac_status clpac__report_read(const char *text, clpac_report *report, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_error_t trouble;
	errno = 0;
	json_t *root = json_loads(text, 0, &trouble);
	if (!root && errno == ENOMEM)
		FAIL_NO_MEMORY(strlen(text));
	if (!json_is_object(root))
		FAIL(CLPAC_ERROR_FORMAT, "a report is no JSON object: %s", root ? "another value" : trouble.text);
	const json_t *warnings = json_object_get(root, "warnings"), *stages = json_object_get(root, "stages");
	const json_t *devices = json_object_get(root, "devices");
	if (!json_is_array(warnings) || !json_is_array(stages) || !json_is_array(devices))
		FAIL(CLPAC_ERROR_FORMAT, "a report lacks its warnings, stages or devices");
	report->seconds = number_of(root, "seconds");
	take_members(root, report);
	for (size_t k = 0; k < CLPAC_WARN_KIND_COUNT; k++) {
		const json_t *one = json_array_get(warnings, k);
		report->warnings[k].count = count_of(one, "count");
		take_text(one, "text", report->warnings[k].text, sizeof report->warnings[k].text);
	}
	report->n_stages = 0;
	for (size_t i = 0; i < json_array_size(stages) && i < CLPAC_MAX_STAGES; i++) {
		const json_t *one = json_array_get(stages, i);
		take_text(one, "name", report->stages[i].name, sizeof report->stages[i].name);
		report->stages[i].seconds = number_of(one, "seconds");
		report->n_stages++;
	}
	report->n_devices = 0;
	for (size_t i = 0; i < json_array_size(devices) && i < CLPAC_MAX_DEVICES; i++)
		take_device(json_array_get(devices, i), &report->devices[report->n_devices++]);
done:
	json_decref(root);
	return st;
}
