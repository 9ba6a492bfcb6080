/* A checkpoint is a result of some channels as .npz, under another name.  Its problem text has a second line: the key
 * and the report, which such files do not hold otherwise. */
#include "tool/checkpoints.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <clpac/io.h>
#include <clpac/plan.h>
#include <clpac/version.h>
#include "base/memory.h"
#include "base/number.h"
#include "tool/interrupt.h"
#include "tool/report_text.h"
#include "tool/request.h"

/* Work of less than this is repeated sooner than anybody notices. */
static const double default_interval_s = 60;

clpac_status tool_checkpoints_interval(const tool_call *call, double *interval_s, clpac_error *err)
{
	const char *text = call->values.checkpoint;
	*interval_s = default_interval_s;
	if (!text)
		return CLPAC_OK;
	if (strcmp(text, "off") == 0) {
		*interval_s = INFINITY;
		return CLPAC_OK;
	}
	if (clpac__parse_number(text, interval_s, NULL) && *interval_s >= 0)
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "--checkpoint %s: give seconds, 0 for a checkpoint after each channel, or off", text);
}

clpac_status tool_checkpoints_open(const tool_call *call, const char *npz, const char *device, const char *fft,
				   tool_checkpoints *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tool_checkpoints made = {.call = call, .device = device, .fft = fft};
	const char *slash = strrchr(npz, '/'), *name = slash ? slash + 1 : npz, *dot = strrchr(name, '.');
	TRY(tool_checkpoints_interval(call, &made.interval_s, err));
	made.folder = !slash ? clpac__strdup(".") : clpac__strndup(npz, slash == npz ? 1 : (size_t)(slash - npz));
	made.stem = clpac__strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
	if (!made.folder || !made.stem)
		FAIL_NO_MEMORY(strlen(npz));
	*out = made;
	made = (tool_checkpoints){0};
done:
	tool_checkpoints_close(&made);
	return st;
}

void tool_checkpoints_close(tool_checkpoints *checkpoints)
{
	clpac__free(checkpoints->folder);
	clpac__free(checkpoints->stem);
	clpac__free(checkpoints->key);
	*checkpoints = (tool_checkpoints){0};
}

/* The key is one line.  It costs a pass over the recording, so it is made when the first checkpoint is near. */
static clpac_status make_key(tool_checkpoints *checkpoints, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *request = NULL, *parts = NULL, *made = NULL, checksum[65], sidecar[65], events[65];
	if (checkpoints->key)
		goto done;
	TRY(tool_request_text(checkpoints->call, &request, err));
	TRY(clpac_recording_checksum(checkpoints->call->operands[0],
				     &(clpac_read_options){.raw = checkpoints->call->values.raw}, checksum, err));
	TRY(tool_request_sidecar(checkpoints->call->operands[0], sidecar, err));
	TRY(tool_request_events(checkpoints->call->operands[0], events, err));
	TRY(clpac_parts(&parts, err));
	const size_t bytes = strlen(request) + strlen(parts) + strlen(checkpoints->device) + strlen(checkpoints->fft) +
			     sizeof checksum + sizeof sidecar + sizeof events + sizeof CLPAC_VERSION_STRING + 40;
	if (!(made = clpac__alloc(bytes)))
		FAIL_NO_MEMORY(bytes);
	snprintf(made, bytes, "%s recording=%s/%s/%s device=%s fft=%s version=%s %s", request, checksum, sidecar,
		 events, checkpoints->device, checkpoints->fft, CLPAC_VERSION_STRING, parts);
	for (char *c = made; *c; c++)
		if (*c == '\n')
			*c = ' ';
	checkpoints->key = made;
	made = NULL;
done:
	clpac__free(made);
	clpac__free(request);
	clpac_text_free(parts);
	return st;
}

/* Reads the numbers of a name ".OUT.part-LENGTH-FIRST-COUNT". */
static bool read_name(const tool_checkpoints *checkpoints, const char *name, size_t numbers[3])
{
	static const char middle[] = ".part";
	const size_t n = strlen(checkpoints->stem);
	if (*name != '.' || strncmp(name + 1, checkpoints->stem, n) != 0 ||
	    strncmp(name + 1 + n, middle, sizeof middle - 1) != 0)
		return false;
	name += 1 + n + sizeof middle - 1;
	for (int i = 0; i < 3; i++) {
		uint64_t value;
		char digits[24];
		const size_t length = *name == '-' ? strspn(name + 1, "0123456789") : 0;
		if (length == 0 || length >= sizeof digits)
			return false;
		memcpy(digits, name + 1, length);
		digits[length] = 0;
		if (!clpac__parse_count(digits, &value, NULL) || value > SIZE_MAX)
			return false;
		numbers[i] = (size_t)value;
		name += 1 + length;
	}
	return *name == 0;
}

static clpac_status path_in(const tool_checkpoints *checkpoints, const char *name, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t bytes = strlen(checkpoints->folder) + strlen(name) + 2;
	char *made = clpac__alloc(bytes);
	if (!made)
		FAIL_NO_MEMORY(bytes);
	snprintf(made, bytes, "%s/%s", checkpoints->folder, name);
	*out = made;
done:
	return st;
}

/* The second line of a checkpoint's text: its key, and behind the key a third one, its report. */
static const char *second_line(const clpac_result *kept)
{
	const char *end = strchr(clpac_result_problem(kept), '\n');
	return end ? end + 1 : "";
}

/* Reads a checkpoint; *out stays NULL for one of another key, and for one that is damaged. */
static clpac_status read_kept(tool_checkpoints *checkpoints, const char *path, size_t n, clpac_result **out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *kept = NULL;
	clpac_error why = {0};
	TRY(make_key(checkpoints, err));
	st = clpac_result_read_npz(path, &kept, &why);
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st != CLPAC_OK) {
		st = CLPAC_OK;
		goto done;
	}
	const char *key = second_line(kept);
	const size_t length = strcspn(key, "\n");
	if (clpac_result_get_shape(kept)->n_channels == n && strlen(checkpoints->key) == length &&
	    memcmp(checkpoints->key, key, length) == 0) {
		*out = kept;
		kept = NULL;
	}
done:
	clpac_result_destroy(kept);
	return st;
}

clpac_status tool_checkpoints_find(tool_checkpoints *checkpoints, size_t length, size_t first, size_t most,
				   clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL;
	DIR *folder = isinf(checkpoints->interval_s) ? NULL : opendir(checkpoints->folder);
	*out = NULL;
	for (struct dirent *entry; folder && !*out && (entry = readdir(folder));) {
		size_t numbers[3];
		if (!read_name(checkpoints, entry->d_name, numbers) || numbers[0] != length || numbers[1] != first ||
		    numbers[2] == 0 || numbers[2] > most)
			continue;
		clpac__free(path);
		path = NULL;
		TRY(path_in(checkpoints, entry->d_name, &path, err));
		TRY(read_kept(checkpoints, path, numbers[2], out, err));
	}
done:
	if (folder)
		closedir(folder);
	clpac__free(path);
	return st;
}

clpac_status tool_checkpoints_keep(tool_checkpoints *checkpoints, size_t length, size_t first, clpac_result *result,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char name[NAME_MAX + 1], *path = NULL, *report = NULL, *text = NULL;
	char *problem = clpac__strdup(clpac_result_problem(result));
	if (!problem)
		FAIL_NO_MEMORY(strlen(clpac_result_problem(result)) + 1);
	const int n = snprintf(name, sizeof name, ".%s.part-%zu-%zu-%zu", checkpoints->stem, length, first,
			       clpac_result_get_shape(result)->n_channels);
	/* A name of nearly the longest length has no room for the rest: the run goes on without checkpoints. */
	if (n < 0 || (size_t)n >= sizeof name)
		goto done;
	TRY(make_key(checkpoints, err));
	TRY(tool_report_write(clpac_result_report(result), &report, err));
	const size_t bytes = strlen(problem) + strlen(checkpoints->key) + strlen(report) + 4;
	if (!(text = clpac__alloc(bytes)))
		FAIL_NO_MEMORY(bytes);
	snprintf(text, bytes, "%s \n%s\n%s", problem, checkpoints->key, report);
	TRY(path_in(checkpoints, name, &path, err));
	TRY(clpac_result_set_problem(result, text, err));
	st = clpac_result_write_npz(result, path, &(clpac_write_options){.overwrite = true}, err);
	if (st == CLPAC_OK)
		tool_interrupt_keeps_parts(true);
	clpac_status restored = clpac_result_set_problem(result, problem, st == CLPAC_OK ? err : NULL);
	st = st == CLPAC_OK ? restored : st;
done:
	clpac__free(problem);
	clpac__free(report);
	clpac__free(text);
	clpac__free(path);
	return st;
}

clpac_status tool_checkpoints_report(const clpac_result *kept, clpac_report *report, clpac_error *err)
{
	const char *key = second_line(kept), *end = strchr(key, '\n');
	return tool_report_read(end ? end + 1 : "", report, err);
}

void tool_checkpoints_remove(const tool_checkpoints *checkpoints)
{
	DIR *folder = opendir(checkpoints->folder);
	size_t numbers[3];
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (read_name(checkpoints, entry->d_name, numbers))
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	tool_interrupt_keeps_parts(false);
}
