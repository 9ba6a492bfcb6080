#include "analysis/group/subjects.h"

#include <sys/stat.h>
#include <clpac/read.h>
#include <clpac/write.h>
#include "analysis/describe/facts.h"
#include "analysis/group/compared.h"
#include "analysis/group/signals.h"
#include "analysis/room.h"
#include "base/ascii.h"
#include "base/memory.h"

enum { DEFAULT_DRAWS = 10000 };

/* --- Designs ------------------------------------------------------------------------------------ */

/* Options and numbers of results that suit no design. */
static clpac_status check_design(const clpac__analysis_settings *settings, const clpac__subjects *subjects,
				 clpac_error *err)
{
	const size_t n_second = subjects->n - subjects->n_first;
	if (settings->paired && !settings->with)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--paired: give the second result of each subject behind --with");
	if (subjects->n_first < 2 || (settings->with && n_second < 2))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%zu result%s %s: statistics over subjects need at least two",
			     subjects->n_first < 2 ? subjects->n_first : n_second,
			     (subjects->n_first < 2 ? subjects->n_first : n_second) == 1 ? "" : "s",
			     !settings->with	     ? "to compare"
			     : subjects->n_first < 2 ? "before --with"
						     : "behind --with");
	if (settings->paired && subjects->n_first != n_second)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--paired: %zu results before --with and %zu behind it; give two of each subject, in one order",
			subjects->n_first, n_second);
	return clpac__compared_check(settings, err);
}

/* Values without coupling are skewed, few above 0 and many a little below: signs flipped find values below 0 in every
 * fourth study of noise (decision 0059).  So nobody gets these who did not ask for them. */
static clpac_side side_of(const clpac__analysis_settings *settings)
{
	if (!settings->with && !clpac__analysis_is_given(settings, "side"))
		return CLPAC_SIDE_GREATER;
	return (clpac_side)settings->side;
}

static clpac_group group_of(const clpac__analysis_settings *settings, const clpac__subjects *subjects)
{
	return (clpac_group){
		.size = sizeof(clpac_group),
		.design = !settings->with    ? CLPAC_ONE_SAMPLE
			  : settings->paired ? CLPAC_PAIRED
					     : CLPAC_TWO_SAMPLE,
		.side = side_of(settings),
		.first = subjects->compared,
		.n_first = subjects->n_first,
		.second = settings->with ? subjects->compared + subjects->n_first : NULL,
		.n_second = subjects->n - subjects->n_first,
		.first_names = subjects->paths,
		.second_names = settings->with ? subjects->paths + subjects->n_first : NULL,
		.channels = subjects->channels,
		.n_channels = subjects->n_channels,
		.of_index = settings->value == 1,
		.of_excess = settings->value == 2,
		.family = settings->family ? CLPAC_FAMILY_RUN : CLPAC_FAMILY_MAP,
		.n_permutations = settings->permutations,
		.seed = clpac__compared_seed(settings),
		.cluster_alpha = settings->cluster_share,
		.progress = clpac__analysis_permutations,
		.progress_user = (void *)settings, /* read only */
	};
}

/* --- Subjects ----------------------------------------------------------------------------------- */

clpac_status clpac__subjects_find(const clpac__analysis_settings *settings, const char *const *paths, size_t n,
				  size_t n_first, clpac__subjects *out, clpac_error *err)
{
	out->paths = paths;
	out->n = n;
	out->n_first = n_first;
	RETURN_IF_ERROR(clpac__compared_names(settings->channel, &out->names, &out->channels, &out->n_channels, err));
	for (size_t i = 0; i < out->n_channels; i++)
		if (!*out->channels[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--channel %.100s: a name between commas is missing",
				     settings->channel);
	return check_design(settings, out, err);
}

/* The same file twice is a mistake of a pattern, and would count a subject twice. */
static clpac_status check_paths(const clpac__subjects *subjects, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct stat *facts;
	TRY(NEW_ARRAY(facts, subjects->n));
	for (size_t i = 0; i < subjects->n; i++) {
		if (stat(subjects->paths[i], &facts[i]) != 0)
			FAIL_SYSTEM("cannot open %s, check its name, folder and permissions", subjects->paths[i]);
		for (size_t k = 0; k < i; k++)
			if (facts[i].st_dev == facts[k].st_dev && facts[i].st_ino == facts[k].st_ino)
				FAIL(CLPAC_ERROR_ARGUMENT, "%s and %s are one file: a subject counts once",
				     subjects->paths[k], subjects->paths[i]);
	}
done:
	clpac__free(facts);
	return st;
}

clpac_status clpac__subjects_read(const clpac__analysis_settings *settings, clpac__subjects *subjects, clpac_error *err)
{
	const size_t n = subjects->n;
	if (!(subjects->whole = clpac__alloc_array(n, sizeof *subjects->whole)) ||
	    !(subjects->compared = clpac__alloc_array(n, sizeof *subjects->compared)))
		RETURN_NO_MEMORY(n * sizeof *subjects->compared);
	RETURN_IF_ERROR(NEW_ARRAY(subjects->facts, n));
	RETURN_IF_ERROR(check_paths(subjects, err));
	for (size_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(clpac_result_read_npz(subjects->paths[i], &subjects->whole[i], err));
		RETURN_IF_ERROR(clpac__compared_measure(subjects->whole[i], subjects->paths[i], settings->measure,
							&subjects->compared[i], err));
		RETURN_IF_ERROR(clpac__facts_beside(subjects->paths[i], subjects->whole[i], &subjects->facts[i], err));
	}
	return CLPAC_OK;
}

clpac_status clpac__subjects_take(const clpac__analysis_settings *settings, clpac__subjects *subjects,
				  const clpac_result *const *results, clpac_error *err)
{
	RETURN_IF_ERROR(NEW_ARRAY(subjects->compared, subjects->n));
	RETURN_IF_ERROR(NEW_ARRAY(subjects->facts, subjects->n));
	for (size_t i = 0; i < subjects->n; i++) {
		RETURN_IF_ERROR(clpac__compared_measure(results[i], subjects->paths[i], settings->measure,
							&subjects->compared[i], err));
		RETURN_IF_ERROR(
			clpac__facts_of_result(results[i], &(clpac_write_options){0}, &subjects->facts[i], err));
	}
	return CLPAC_OK;
}

static bool has_channel(const clpac_result *result, const char *name)
{
	for (size_t ch = 0; ch < clpac_result_get_shape(result)->n_channels; ch++)
		if (clpac__same_word(clpac_result_channel_name(result, ch), name))
			return true;
	return false;
}

/* Says which channels some subjects lack, and which are left out, since too few have them. */
static void warn_of_channels(const clpac__analysis_settings *settings, const clpac__subjects *subjects,
			     const clpac_group *group, clpac_result *made)
{
	size_t n_values, n_lacking = 0, first = 0, n_left_out = 0, of = 0, at = 0;
	const size_t n_channels = clpac_result_get_shape(made)->n_channels;
	const size_t n_all = group->design == CLPAC_PAIRED ? group->n_first : subjects->n;
	const float *n_subjects = clpac_result_array(made, CLPAC_N_SUBJECTS, &n_values);
	for (size_t ch = n_channels; ch-- > 0 && n_subjects;)
		if (n_subjects[ch * (n_values / n_channels)] < (float)n_all) {
			n_lacking++;
			first = ch;
		}
	if (n_lacking)
		clpac__analysis_warn(
			settings, 1,
			"%zu of %zu channels are not in every result: the first is %.60s, with n %.0f of %zu; "
			"n_subjects has that of each cell",
			n_lacking, n_channels, clpac_result_channel_name(made, first),
			(double)n_subjects[first * (n_values / n_channels)], n_all);
	for (size_t i = 0; i < subjects->n && !settings->channel; i++)
		for (size_t ch = 0; ch < clpac_result_get_shape(subjects->compared[i])->n_channels; ch++)
			if (!has_channel(made, clpac_result_channel_name(subjects->compared[i], ch)) && !n_left_out++) {
				of = i;
				at = ch;
			}
	if (n_left_out)
		clpac__analysis_warn(
			settings, n_left_out,
			"channels that fewer than two subjects of a group have are left out, as %.60s of %.200s",
			clpac_result_channel_name(subjects->compared[of], at), subjects->paths[of]);
}

static bool hold_surrogates(const clpac__subjects *subjects)
{
	for (size_t i = 0; i < subjects->n; i++)
		if (!clpac_result_array((clpac_result *)subjects->compared[i], CLPAC_SURROGATES, NULL))
			return false;
	return true;
}

clpac_status clpac__subjects_compare(const clpac__analysis_settings *settings, const clpac__subjects *subjects,
				     clpac_group *group, clpac_result **out, clpac_error *err)
{
	*group = group_of(settings, subjects);
	const bool is_lone = group->design == CLPAC_ONE_SAMPLE && !hold_surrogates(subjects);
	if (group->of_index && is_lone)
		clpac__analysis_warn(
			settings, 1,
			"indices are above 0 without coupling: compared with 0 they show nothing; compare z, or pairs");
	if (is_lone && group->side != CLPAC_SIDE_GREATER)
		clpac__analysis_warn(
			settings, 1,
			"values without coupling are skewed, many of them a little below 0: what is found below 0 may "
			"be noise; look above 0 (--side greater)");
	const clpac_result_shape *shape = clpac_result_get_shape(group->first[0]);
	RETURN_IF_ERROR(clpac__compared_room(
		settings, group->design, group->n_first, group->design == CLPAC_TWO_SAMPLE ? group->n_second : 0,
		(double)(group->n_channels ? group->n_channels : shape->n_channels) * (double)shape->n_segments,
		(double)shape->n_phase_bands * (double)shape->n_amplitude_bands, err));
	if (group->design == CLPAC_ONE_SAMPLE && !is_lone)
		RETURN_IF_ERROR(clpac__room_check_permutations(
			settings->permutations ? settings->permutations : DEFAULT_DRAWS,
			(double)(group->n_channels ? group->n_channels : shape->n_channels) * (double)shape->n_segments,
			(double)shape->n_phase_bands * (double)shape->n_amplitude_bands, group->n_first, err));
	RETURN_IF_ERROR(clpac_result_group(group, out, err));
	if (is_lone)
		clpac__analysis_note(settings,
				     "signs of subjects are flipped: with --keep-surrogates of clpac run, or computed "
				     "by one call of it, they are compared with their own surrogates, which finds "
				     "more");
	warn_of_channels(settings, subjects, group, *out);
	return clpac__compared_end(settings, *out, "no valid cell has a t", err);
}

clpac_status clpac__subjects_record(const clpac__subjects *subjects, clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *array = json_array();
	for (size_t i = 0; i < subjects->n; i++) {
		char checksum[65];
		TRY(clpac_file_checksum(subjects->paths[i], checksum, err));
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "name", subjects->paths[i]);
		clpac__json_tree_text(json, one, "checksum", checksum);
		clpac__json_tree_number(json, one, "group", i < subjects->n_first ? 1 : 2);
		clpac__json_tree_append(json, array, one);
	}
	clpac__json_tree_set(json, json->root, "subjects", array);
	array = NULL;
done:
	json_decref(array);
	return st;
}

clpac_status clpac__subjects_tell_signals(const clpac__subjects *subjects, const clpac_result *made,
					  clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__signals_of *each;
	TRY(NEW_ARRAY(each, subjects->n));
	for (size_t i = 0; i < subjects->n; i++)
		each[i] = (clpac__signals_of){.name = subjects->paths[i],
					      .facts = subjects->facts[i],
					      .group = i < subjects->n_first ? 1 : 2};
	TRY(clpac__signals_add(each, subjects->n, made, json, err));
done:
	clpac__free(each);
	return st;
}

void clpac__subjects_clear(clpac__subjects *subjects)
{
	for (size_t i = 0; subjects->whole && i < subjects->n; i++)
		clpac_result_destroy(subjects->whole[i]);
	for (size_t i = 0; subjects->facts && i < subjects->n; i++)
		json_decref(subjects->facts[i]);
	FREE_ALL(subjects->whole, subjects->facts, subjects->compared, subjects->names, subjects->channels);
}
