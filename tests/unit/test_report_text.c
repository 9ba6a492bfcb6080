/* Reports kept with checkpoints: written and read again they are the same, and no text is taken that is none. */
#include "runner.h"
#include "assertions.h"
#include "random.h"

#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "analysis/checkpoints/report_text.h"

static clpac_report random_report(unsigned long long *state)
{
	clpac_report report = {.seconds = random_unit(state),
			       .n_series = random_below(state, 1000),
			       .n_cpu_fallbacks = random_below(state, 9),
			       .n_overflowing_series = random_below(state, 9),
			       .n_threads = (unsigned)random_below(state, 100),
			       .vector_width = (unsigned)random_below(state, 100),
			       .fft_length = random_below(state, 1 << 30),
			       .chunk_surrogates = random_below(state, 1 << 30),
			       .budget_bytes = random_below(state, 1 << 30),
			       .peak_bytes = random_below(state, 1 << 30)};
	snprintf(report.device, sizeof report.device, "device %zu", report.fft_length);
	snprintf(report.strategy, sizeof report.strategy, "chunked");
	report.n_steps = random_below(state, CLPAC_MAX_STEPS + 3);
	for (size_t i = 0; i < report.n_steps && i < CLPAC_MAX_STEPS; i++) {
		snprintf(report.steps[i].strategy, sizeof report.steps[i].strategy, "step %zu", i);
		snprintf(report.steps[i].reason, sizeof report.steps[i].reason, "of \"%zu\" bytes", i);
		report.steps[i].bytes = random_below(state, 1 << 30);
	}
	report.n_stages = random_below(state, CLPAC_MAX_STAGES + 1);
	for (size_t i = 0; i < report.n_stages; i++) {
		snprintf(report.stages[i].name, sizeof report.stages[i].name, "stage %zu \"\\", i);
		report.stages[i].seconds = random_unit(state);
	}
	report.n_devices = random_below(state, CLPAC_MAX_DEVICES + 1);
	for (size_t i = 0; i < report.n_devices; i++) {
		clpac_device_report *device = &report.devices[i];
		snprintf(device->selection, sizeof device->selection, "0:%zu", i);
		snprintf(device->device, sizeof device->device, "device %zu\n", i);
		snprintf(device->strategy, sizeof device->strategy, "chunked");
		device->n_series = random_below(state, 100);
		device->n_batches = random_below(state, 100);
		device->seconds = random_unit(state);
		device->peak_bytes = random_below(state, 1 << 30);
		device->has_failed = random_below(state, 2);
		if (device->has_failed)
			snprintf(device->failure, sizeof device->failure, "why %zu", i);
	}
	for (size_t k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (random_below(state, 2)) {
			report.warnings[k].count = 1 + random_below(state, 100);
			snprintf(report.warnings[k].text, sizeof report.warnings[k].text, "warning %zu: 5 \xc2\xb5V",
				 k);
		}
	return report;
}

TEST_EACH(a_report_is_read_as_it_was_written, 100)
{
	unsigned long long state = (unsigned long long)_i + 1;
	clpac_error err = {0};
	const clpac_report report = random_report(&state);
	clpac_report other = random_report(&state);
	char *text = NULL, *again = NULL;
	OK(clpac__report_write(&report, &text, &err));
	OK(clpac__report_read(text, &other, &err));
	OK(clpac__report_write(&other, &again, &err));
	ck_assert_str_eq(text, again);
	ck_assert_uint_eq(other.n_devices, report.n_devices);
	ck_assert_uint_eq(other.n_stages, report.n_stages);
	for (size_t k = 0; k < CLPAC_WARN_KIND_COUNT; k++) {
		ck_assert_uint_eq(other.warnings[k].count, report.warnings[k].count);
		ck_assert_str_eq(other.warnings[k].text, report.warnings[k].text);
	}
	for (size_t i = 0; i < report.n_devices; i++) {
		ck_assert_str_eq(other.devices[i].device, report.devices[i].device);
		ck_assert(other.devices[i].has_failed == report.devices[i].has_failed);
		ck_assert(other.devices[i].seconds == report.devices[i].seconds);
	}
	ck_assert_str_eq(other.device, report.device);
	ck_assert_str_eq(other.strategy, report.strategy);
	ck_assert_uint_eq(other.n_threads, report.n_threads);
	ck_assert_uint_eq(other.fft_length, report.fft_length);
	ck_assert_uint_eq(other.budget_bytes, report.budget_bytes);
	for (size_t i = 0; i < CLPAC_MAX_STEPS; i++)
		ck_assert_str_eq(other.steps[i].reason, report.steps[i].reason);
	clpac__free(text);
	clpac__free(again);
}

TEST_EACH(another_text_is_refused, 7)
{
	static const char *const texts[] = {"",
					    "{",
					    "[]",
					    "7",
					    "{}",
					    "{\"warnings\": [], \"stages\": []}",
					    "{\"warnings\": {}, \"stages\": [], \"devices\": []}"};
	clpac_error err = {0};
	clpac_report report = {0};
	ck_assert_int_eq(clpac__report_read(texts[_i], &report, &err), CLPAC_ERROR_FORMAT);
	ck_assert_msg(strstr(err.text, "a report"), "%s", err.text);
}

/* Whatever the numbers, tables keep their lengths and texts their ends. */
TEST(wild_members_are_taken_as_none)
{
	clpac_error err = {0};
	clpac_report report = {0};
	char text[4096], *at = text;
	at += sprintf(at,
		      "{\"seconds\": -1, \"n_series\": 1e300, \"peak_bytes\": \"x\", \"warnings\": [{\"count\": -5, "
		      "\"text\": 7}], \"stages\": [");
	for (int i = 0; i < 40; i++)
		at += sprintf(at, "%s{\"name\": \"a name that is longer than its place\"}", i ? "," : "");
	at += sprintf(at, "], \"devices\": [");
	for (int i = 0; i < 40; i++)
		at += sprintf(at, "%s[]", i ? "," : "");
	sprintf(at, "]}");
	OK(clpac__report_read(text, &report, &err));
	ck_assert(report.seconds == 0);
	ck_assert_uint_eq(report.n_series, 0);
	ck_assert_uint_eq(report.peak_bytes, 0);
	ck_assert_uint_eq(report.warnings[0].count, 0);
	ck_assert_str_eq(report.warnings[0].text, "");
	ck_assert_uint_eq(report.n_stages, CLPAC_MAX_STAGES);
	ck_assert_uint_eq(report.n_devices, CLPAC_MAX_DEVICES);
	ck_assert_uint_eq(strlen(report.stages[0].name), sizeof report.stages[0].name - 1);
}
