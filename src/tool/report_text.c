#include "tool/report_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "tool/json_output.h"

static json_t *device_json(tool_json *json, const clpac_device_report *device)
{
	json_t *one = json_object();
	tool_json_text(json, one, "selection", device->selection);
	tool_json_text(json, one, "device", device->device);
	tool_json_text(json, one, "platform", device->platform);
	tool_json_text(json, one, "backend", device->backend);
	tool_json_text(json, one, "strategy", device->strategy);
	tool_json_number(json, one, "n_series", (double)device->n_series);
	tool_json_number(json, one, "n_batches", (double)device->n_batches);
	tool_json_number(json, one, "seconds", device->seconds);
	tool_json_number(json, one, "peak_bytes", (double)device->peak_bytes);
	tool_json_text(json, one, "failure", device->has_failed ? device->failure : NULL);
	return one;
}

clpac_status tool_report_write(const clpac_report *report, char **text, clpac_error *err)
{
	tool_json json = {.root = json_object()};
	json_t *warnings = json_array(), *stages = json_array(), *devices = json_array();
	tool_json_number(&json, json.root, "seconds", report->seconds);
	tool_json_number(&json, json.root, "n_series", (double)report->n_series);
	tool_json_number(&json, json.root, "n_cpu_fallbacks", (double)report->n_cpu_fallbacks);
	tool_json_number(&json, json.root, "n_overflowing_series", (double)report->n_overflowing_series);
	tool_json_number(&json, json.root, "peak_bytes", (double)report->peak_bytes);
	tool_json_number(&json, json.root, "n_phase_filterings", (double)report->n_phase_filterings);
	tool_json_number(&json, json.root, "n_amplitude_filterings", (double)report->n_amplitude_filterings);
	tool_json_number(&json, json.root, "channel_bytes", (double)report->channel_bytes);
	tool_json_number(&json, json.root, "n_channel_moves", (double)report->n_channel_moves);
	tool_json_number(&json, json.root, "n_channel_returns", (double)report->n_channel_returns);
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++) {
		json_t *one = json_object();
		tool_json_number(&json, one, "count", (double)report->warnings[k].count);
		tool_json_text(&json, one, "text", report->warnings[k].text);
		tool_json_append(&json, warnings, one);
	}
	for (size_t i = 0; i < report->n_stages; i++) {
		json_t *one = json_object();
		tool_json_text(&json, one, "name", report->stages[i].name);
		tool_json_number(&json, one, "seconds", report->stages[i].seconds);
		tool_json_append(&json, stages, one);
	}
	for (size_t i = 0; i < report->n_devices; i++)
		tool_json_append(&json, devices, device_json(&json, &report->devices[i]));
	tool_json_set(&json, json.root, "warnings", warnings);
	tool_json_set(&json, json.root, "stages", stages);
	tool_json_set(&json, json.root, "devices", devices);
	clpac_status st = tool_json_text_of(&json, text, err);
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

clpac_status tool_report_read(const char *text, clpac_report *report, clpac_error *err)
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
	report->n_series = count_of(root, "n_series");
	report->n_cpu_fallbacks = count_of(root, "n_cpu_fallbacks");
	report->n_overflowing_series = count_of(root, "n_overflowing_series");
	report->peak_bytes = count_of(root, "peak_bytes");
	report->n_phase_filterings = count_of(root, "n_phase_filterings");
	report->n_amplitude_filterings = count_of(root, "n_amplitude_filterings");
	report->channel_bytes = count_of(root, "channel_bytes");
	report->n_channel_moves = count_of(root, "n_channel_moves");
	report->n_channel_returns = count_of(root, "n_channel_returns");
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
