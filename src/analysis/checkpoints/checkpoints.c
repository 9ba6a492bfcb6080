/* A checkpoint is a result as .npz, under another name.  Its problem text has further lines, for what such files do not
 * hold otherwise: the key, the stamp and the report.  The one that begins its part has the filters, too. */
#include "analysis/checkpoints/checkpoints.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <clpac/read.h>
#include <clpac/write.h>
#include <clpac/plan.h>
#include <clpac/version.h>
#include "analysis/checkpoints/report_text.h"
#include "analysis/checkpoints/request.h"
#include "analysis/checkpoints/stamp.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/system.h"

/* Work of less than this is repeated sooner than anybody notices. */
static const double default_interval_s = 60;

clpac_status clpac__checkpoints_interval(const clpac__analysis_settings *settings, double *interval_s, clpac_error *err)
{
	const char *text = settings->checkpoint;
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

clpac_status clpac__checkpoints_open(const clpac__analysis_settings *settings, const char *npz, const char *device,
				     const char *fft, clpac__checkpoints *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__checkpoints made = {
		.settings = settings, .device = device, .fft = fft, .kept_s = clpac__clock_seconds()};
	const char *slash = strrchr(npz, '/'), *name = slash ? slash + 1 : npz, *dot = strrchr(name, '.');
	TRY(clpac__checkpoints_interval(settings, &made.interval_s, err));
	made.folder = !slash ? clpac__strdup(".") : clpac__strndup(npz, slash == npz ? 1 : (size_t)(slash - npz));
	made.stem = clpac__strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
	if (!made.folder || !made.stem)
		FAIL_NO_MEMORY(strlen(npz));
	*out = made;
	made = (clpac__checkpoints){0};
done:
	clpac__checkpoints_close(&made);
	return st;
}

void clpac__checkpoints_close(clpac__checkpoints *checkpoints)
{
	FREE_ALL(checkpoints->folder, checkpoints->stem, checkpoints->key);
	clpac__kept_names_clear(&checkpoints->names);
	*checkpoints = (clpac__checkpoints){0};
}

clpac_status clpac__checkpoints_identify(const clpac__analysis_settings *settings, char text[65], clpac_error *err)
{
	struct stat facts;
	if (!settings->no_checksum)
		return clpac_recording_checksum(settings->input, &(clpac_read_options){.raw = settings->raw}, text,
						err);
	if (stat(settings->input, &facts) != 0)
		RETURN_SYSTEM_ERROR("cannot examine %s", settings->input);
	snprintf(text, 65, "%lld-%lld.%09ld", (long long)facts.st_size, (long long)facts.st_mtim.tv_sec,
		 (long)facts.st_mtim.tv_nsec);
	return CLPAC_OK;
}

/* The key is one line.  It costs a pass over the recording, so it is made when the first checkpoint is near. */
static clpac_status make_key(clpac__checkpoints *checkpoints, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *request = NULL, *parts = NULL, *made = NULL, checksum[65];
	clpac__request_tables tables;
	if (checkpoints->key)
		goto done;
	TRY(clpac__request_text(checkpoints->settings, &request, err));
	TRY(clpac__checkpoints_identify(checkpoints->settings, checksum, err));
	TRY(clpac__request_tables_find(checkpoints->settings, &tables, err));
	TRY(clpac_parts(&parts, err));
	const size_t bytes = strlen(request) + strlen(parts) + strlen(checkpoints->device) + strlen(checkpoints->fft) +
			     sizeof checksum + sizeof tables + sizeof CLPAC_VERSION_STRING + 40;
	TRY(NEW_BYTES(made, bytes));
	snprintf(made, bytes, "%s recording=%s/%s/%s/%s device=%s fft=%s version=%s %s", request, checksum,
		 tables.channels, tables.events, tables.annotations, checkpoints->device, checkpoints->fft,
		 CLPAC_VERSION_STRING, parts);
	for (char *c = made; *c; c++)
		if (*c == '\n')
			*c = ' ';
	checkpoints->key = made, made = NULL;
done:
	FREE_ALL(made, request);
	clpac_text_free(parts);
	return st;
}

/* Reads the numbers of a name, three or five; 0 for another name. */
static int read_name(const clpac__checkpoints *checkpoints, const char *name, size_t numbers[5])
{
	static const char middle[] = CLPAC__KEPT_MIDDLE;
	const size_t n = strlen(checkpoints->stem);
	int i = 0;
	if (*name != '.' || strncmp(name + 1, checkpoints->stem, n) != 0 ||
	    strncmp(name + 1 + n, middle, sizeof middle - 1) != 0)
		return 0;
	for (name += 1 + n + sizeof middle - 1; *name && i < 5; i++) {
		uint64_t value;
		char digits[24];
		const size_t length = *name == '-' ? strspn(name + 1, "0123456789") : 0;
		if (length == 0 || length >= sizeof digits)
			return 0;
		memcpy(digits, name + 1, length);
		digits[length] = 0;
		if (!clpac__parse_count(digits, &value, NULL) || value > SIZE_MAX)
			return 0;
		numbers[i] = (size_t)value;
		name += 1 + length;
	}
	return !*name && (i == 3 || i == 5) ? i : 0;
}

/* Whether a file of this name may hold what a place asks for; if so, that is written into `found`. */
static bool suits(const clpac__checkpoints *checkpoints, const char *name, const clpac__checkpoint_place *place,
		  size_t n_segments, clpac__checkpoint_place *found)
{
	size_t numbers[5];
	const int n = read_name(checkpoints, name, numbers);
	if (!n)
		return false;
	*found = (clpac__checkpoint_place){.part = numbers[0],
					   .channel = numbers[1],
					   .n_channels = numbers[2],
					   .segment = n == 5 ? numbers[3] : 0,
					   .n_segments = n == 5 ? numbers[4] : n_segments,
					   .is_whole = n == 3};
	return found->part == place->part && found->channel == place->channel && found->segment == place->segment &&
	       found->n_channels && found->n_channels <= place->n_channels && found->n_segments &&
	       found->n_segments <= place->n_segments && (n == 3 || found->n_channels == 1);
}

static clpac_status path_in(const clpac__checkpoints *checkpoints, const char *name, char **out, clpac_error *err)
{
	const size_t bytes = strlen(checkpoints->folder) + strlen(name) + 2;
	char *made;
	RETURN_IF_ERROR(NEW_BYTES(made, bytes));
	snprintf(made, bytes, "%s/%s", checkpoints->folder, name);
	*out = made;
	return CLPAC_OK;
}

/* The line behind this one, or "". */
static const char *next_line(const char *text)
{
	const char *end = strchr(text, '\n');
	return end ? end + 1 : "";
}

/* Ends a line of a text, and gives the next, or NULL. */
static char *take_line(char *text)
{
	char *end = text ? strchr(text, '\n') : NULL;
	if (!end)
		return NULL;
	*end = 0;
	return end + 1;
}

/* Gives a checkpoint's result its own problem text and its report.  CLPAC_ERROR_FORMAT where it belongs
 * elsewhere, or has changed since it was written. */
static clpac_status complete(clpac_result *kept, const clpac__checkpoint_place *place, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text, expected[CLPAC__STAMP_SIZE];
	TRY(NEW_COPY(text, clpac_result_problem(kept)));
	char *key = take_line(text), *stamp = take_line(key), *report = take_line(stamp);
	if (!report || !*text)
		FAIL(CLPAC_ERROR_FORMAT, "it has no report");
	text[strlen(text) - 1] = 0; /* the blank before the end of the line */
	clpac__checkpoint_stamp(place, kept, text, report, expected);
	const char *content = strstr(expected, " content ");
	if (strncmp(stamp, expected, (size_t)(content - expected)) != 0)
		FAIL(CLPAC_ERROR_FORMAT, "it was made for another place");
	if (strcmp(stamp, expected) != 0)
		FAIL(CLPAC_ERROR_FORMAT, "it has changed since it was made");
	TRY(clpac__report_read(report, clpac_result_report(kept), err));
	TRY(clpac_result_set_problem(kept, text, err));
done:
	clpac__free(text);
	return st;
}

/* Reads a checkpoint; *out stays NULL for one of another key, and for one that is damaged or belongs elsewhere, which
 * is said. */
static clpac_status read_kept(clpac__checkpoints *checkpoints, const char *path, const clpac__checkpoint_place *place,
			      clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *kept = NULL;
	clpac_error why = {0};
	TRY(make_key(checkpoints, err));
	st = clpac_result_read_npz(path, &kept, &why);
	if (st == CLPAC_OK) {
		const char *key = next_line(clpac_result_problem(kept));
		const size_t length = strcspn(key, "\n");
		if (strlen(checkpoints->key) != length || memcmp(checkpoints->key, key, length) != 0)
			goto done;
		st = complete(kept, place, &why);
	}
	if (st == CLPAC_ERROR_NO_MEMORY)
		FAIL(st, "%s", why.text);
	if (st != CLPAC_OK) {
		char note[CLPAC_ERROR_TEXT_SIZE + 600];
		snprintf(note, sizeof note,
			 "the checkpoint %.400s is not taken, and its channels are computed anew: %s", path, why.text);
		clpac__analysis_note(checkpoints->settings, note);
		st = CLPAC_OK;
		goto done;
	}
	*out = kept, kept = NULL;
done:
	clpac_result_destroy(kept);
	return st;
}

clpac_status clpac__checkpoints_find(clpac__checkpoints *checkpoints, const clpac__checkpoint_place *place,
				     size_t n_segments, clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *path = NULL;
	clpac__kept_names *names = &checkpoints->names;
	*out = NULL;
	if (isinf(checkpoints->interval_s))
		return st;
	TRY(clpac__kept_names_list(names, checkpoints->folder, err));
	for (size_t i = 0; i < names->n && !*out; i++) {
		clpac__checkpoint_place found;
		if (!suits(checkpoints, names->each[i], place, n_segments, &found))
			continue;
		clpac__free(path);
		path = NULL;
		TRY(path_in(checkpoints, names->each[i], &path, err));
		TRY(read_kept(checkpoints, path, &found, out, err));
	}
done:
	clpac__free(path);
	return st;
}

/* Makes the text of a checkpoint: that of its problem, and the further lines. */
static clpac_status make_text(clpac__checkpoints *checkpoints, const clpac__checkpoint_place *place,
			      const clpac_result *result, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *report = NULL, stamp[CLPAC__STAMP_SIZE];
	TRY(make_key(checkpoints, err));
	TRY(clpac__report_write(clpac_result_report(result), &report, err));
	const char *problem = clpac_result_problem(result);
	clpac__checkpoint_stamp(place, result, problem, report, stamp);
	const size_t bytes = strlen(problem) + strlen(checkpoints->key) + strlen(stamp) + strlen(report) + 5;
	char *made;
	TRY(NEW_BYTES(made, bytes));
	snprintf(made, bytes, "%s \n%s\n%s\n%s", problem, checkpoints->key, stamp, report);
	*out = made;
done:
	clpac__free(report);
	return st;
}

clpac_status clpac__checkpoints_keep(clpac__checkpoints *checkpoints, const clpac__checkpoint_place *place,
				     clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char name[NAME_MAX + 1], segments[64] = "", *path = NULL, *text = NULL;
	char *problem;
	TRY(NEW_COPY(problem, clpac_result_problem(result)));
	if (!place->is_whole)
		snprintf(segments, sizeof segments, "-%zu-%zu", place->segment, place->n_segments);
	const int n = snprintf(name, sizeof name, ".%s.part-%zu-%zu-%zu%s", checkpoints->stem, place->part,
			       place->channel, place->n_channels, segments);
	/* All parts of a run are joined like the first, which alone needs its filters: their taps may be megabytes. */
	if (place->channel || place->segment)
		TRY(clpac_result_set_band_reports(result, NULL, 0, err));
	/* A name of nearly the longest length has no room for the rest: the run goes on without checkpoints. */
	if (n < 0 || (size_t)n >= sizeof name)
		goto done;
	TRY(make_text(checkpoints, place, result, &text, err));
	TRY(path_in(checkpoints, name, &path, err));
	TRY(clpac_result_set_problem(result, text, err));
	st = clpac_result_write_npz(result, path, &(clpac_write_options){.overwrite = true}, err);
	if (st == CLPAC_OK)
		clpac__analysis_keeps_parts(checkpoints->settings, true);
	clpac_status restored = clpac_result_set_problem(result, problem, st == CLPAC_OK ? err : NULL);
	st = st == CLPAC_OK ? restored : st;
done:
	FREE_ALL(problem, text, path);
	return st;
}

bool clpac__checkpoints_are_among(const clpac__checkpoints *checkpoints, clpac__kept_names *names)
{
	size_t numbers[5];
	if (clpac__kept_names_list(names, checkpoints->folder, NULL) != CLPAC_OK)
		return true;
	for (size_t i = 0; i < names->n; i++)
		if (read_name(checkpoints, names->each[i], numbers))
			return true;
	return false;
}

void clpac__checkpoints_remove(const clpac__checkpoints *checkpoints)
{
	const int folder = open(checkpoints->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = folder < 0 ? NULL : opendir(checkpoints->folder);
	size_t numbers[5];
	for (struct dirent *entry; list && (entry = readdir(list));)
		if (read_name(checkpoints, entry->d_name, numbers))
			unlinkat(folder, entry->d_name, 0);
	if (list)
		closedir(list);
	if (folder >= 0)
		close(folder);
	clpac__analysis_keeps_parts(checkpoints->settings, false);
}
