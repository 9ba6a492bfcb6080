/* clpac bids: a BIDS App.  Recordings of a dataset, found by its rules, are computed as clpac run does, and their
 * results are named and described as a dataset of derivatives. */
#include <string.h>
#include <clpac/plot.h>
#include "analysis/bids/bids.h"
#include "base/folder.h"
#include "base/memory.h"
#include "tool/bids_groups.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/output_files.h"
#include "tool/several.h"

static const clpac__option_group *const groups[] = {&tool_group_dataset,
						    CLPAC__OPTIONS_OF_RUNS,
						    &tool_group_level,
						    &tool_group_study_output,
						    &tool_group_config,
						    &tool_group_common,
						    NULL};

/* --- What is asked for --------------------------------------------------------------------------- */

/* A dataset, the folder of its results, and what is known of both. */
struct study {
	const char *out;   /* folder of the results */
	const char *label; /* of desc- */
	char *lists[6];	   /* owned: the choice, with further labels behind those of the option */
	clpac__bids_choice choice;
	clpac__bids_dataset dataset;
	clpac__inputs inputs; /* the chosen recordings */
	clpac__text told;     /* warnings of the recording being computed */
};

static void close_study(struct study *study)
{
	clpac__free_all(sizeof study->lists / sizeof *study->lists, (void *const *)study->lists);
	clpac__bids_clear(&study->dataset);
	clpac__inputs_clear(&study->inputs);
	clpac__text_clear(&study->told);
}

/* Whether a label is letters and digits, as those of BIDS are. */
static bool is_label(const char *text)
{
	const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	return n && !text[n];
}

/* The number of operands that stand behind a word of the command line, one after the other; of BIDS Apps, an option of
 * labels takes several: --participant-label 01 02. */
static size_t count_behind(const tool_call *call, size_t word)
{
	const clpac__analysis_settings *v = &call->values.analysis;
	size_t n = 0;
	while (word + 1 + n < v->n_words) {
		bool is_operand = false;
		for (size_t i = 0; i < call->n_operands; i++)
			is_operand |= call->every_operand[i] == v->words[word + 1 + n];
		if (!is_operand)
			break;
		n++;
	}
	return n;
}

/* The labels of an option: its value, and the operands behind it. */
static clpac_status read_list(const tool_call *call, const char *option, const char *value, char **out, size_t *n_taken,
			      clpac_error *err)
{
	const clpac__analysis_settings *v = &call->values.analysis;
	clpac__text text = {0};
	if (!value)
		return CLPAC_OK;
	clpac__text_add(&text, "%s", value);
	for (size_t i = 1; i < v->n_words; i++) {
		if (v->words[i] != value || strncmp(v->words[i - 1], "--", 2) != 0 ||
		    strcmp(v->words[i - 1] + 2, option) != 0)
			continue;
		const size_t n = count_behind(call, i);
		for (size_t k = 0; k < n; k++)
			clpac__text_add(&text, ",%s", v->words[i + 1 + k]);
		*n_taken += n;
	}
	return clpac__text_give(&text, "a value", out, err);
}

static clpac_status read_choice(const tool_call *call, struct study *out, clpac_error *err)
{
	const tool_values *v = &call->values;
	const struct {
		const char *option, *value;
		const char **to;
	} each[] = {{"participant-label", v->participants, &out->choice.participants},
		    {"session-label", v->sessions, &out->choice.sessions},
		    {"task-label", v->tasks, &out->choice.tasks},
		    {"acquisition-label", v->acquisitions, &out->choice.acquisitions},
		    {"run-label", v->runs, &out->choice.runs},
		    {"datatype", v->datatypes, &out->choice.datatypes}};
	size_t n_taken = 0;
	_Static_assert(sizeof each / sizeof *each == sizeof out->lists / sizeof *out->lists, "a list each");
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		RETURN_IF_ERROR(read_list(call, each[i].option, each[i].value, &out->lists[i], &n_taken, err));
		*each[i].to = out->lists[i];
	}
	if (call->n_operands != 3 + n_taken)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "\"%s\" is one too many; usage: clpac %s %s", call->every_operand[3],
			     call->command->name, call->command->usage);
	out->label = v->label ? v->label : "clpac";
	if (!is_label(out->label))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--desc %s: a label of BIDS is letters and digits", out->label);
	return CLPAC_OK;
}

/* --- Participants -------------------------------------------------------------------------------- */

static clpac_status name_results(struct study *study, clpac_error *err)
{
	clpac__inputs *inputs = &study->inputs;
	inputs->are_several = true;
	RETURN_IF_ERROR(NEW_COPY(inputs->folder, study->out));
	RETURN_IF_ERROR(NEW_ARRAY(inputs->each, study->dataset.n_chosen));
	for (size_t i = 0; i < study->dataset.n; i++) {
		const clpac__bids_recording *recording = &study->dataset.each[i];
		if (recording->fate != CLPAC__BIDS_CHOSEN)
			continue;
		clpac__input_file *file = &inputs->each[inputs->n++];
		RETURN_IF_ERROR(NEW_COPY(file->path, recording->path));
		RETURN_IF_ERROR(clpac__bids_name_result(recording, study->out, study->label, &file->output, err));
	}
	return clpac__inputs_check(inputs, err);
}

/* Tells of recordings that nobody left out, and that are not computed. */
static void warn_of_foreign(const tool_call *call, const clpac__bids_dataset *dataset)
{
	size_t n = 0;
	const char *first = NULL;
	for (size_t i = 0; i < dataset->n; i++)
		if (dataset->each[i].fate == CLPAC__BIDS_FOREIGN && !n++)
			first = dataset->each[i].below;
	if (n)
		tool_warn(call, 1,
			  "%zu recording%s left out, of a format that is not read (.edf, .bdf, .vhdr, .set and .nwb "
			  "are): %s%s",
			  n, n == 1 ? " is" : "s are", first, n > 1 ? ", ..." : "");
}

static clpac_status open_study(tool_call *call, struct study *study, clpac_error *err)
{
	const char *root = call->every_operand[0];
	char *inside = NULL;
	study->out = call->every_operand[1];
	call->direction = TOOL_INPUT;
	RETURN_IF_ERROR(clpac__bids_find(root, &study->choice, &study->dataset, err));
	RETURN_IF_ERROR(name_results(study, err));
	RETURN_IF_ERROR(clpac__path_join(study->out, "dataset_description.json", &inside, err));
	clpac_status st = tool_folders_make(inside, call, err);
	clpac__free(inside);
	if (st != CLPAC_OK)
		return st;
	call->direction = TOOL_OUTPUT;
	RETURN_IF_ERROR(clpac__bids_describe(study->out, &study->dataset, err));
	call->direction = TOOL_INPUT;
	return CLPAC_OK;
}

/* The page of each participant that has a chosen recording; those of one follow each other. */
static clpac_status write_pages(const struct study *study, clpac_error *err)
{
	const char *last = "";
	for (size_t i = 0; i < study->dataset.n; i++) {
		const clpac__bids_recording *recording = &study->dataset.each[i];
		if (recording->fate != CLPAC__BIDS_CHOSEN || strcmp(recording->subject, last) == 0)
			continue;
		last = recording->subject;
		RETURN_IF_ERROR(clpac__bids_write_page(study->out, last, err));
	}
	return CLPAC_OK;
}

static clpac_status compute_participants(tool_call *call, struct study *study, clpac_error *err)
{
	clpac__analysis_settings *v = &call->values.analysis;
	RETURN_IF_ERROR(tool_several_prepare(call, &tool_computation_run, err));
	RETURN_IF_ERROR(open_study(call, study, err));
	warn_of_foreign(call, &study->dataset);
	v->bids_root = study->dataset.root;
	clpac_error why = {0};
	const clpac_status st = tool_several_compute(call, &tool_computation_run, &study->inputs, &why);
	const tool_direction direction = call->direction;
	call->direction = TOOL_OUTPUT;
	RETURN_IF_ERROR(clpac__bids_list_participants(study->out, &study->dataset, err));
	RETURN_IF_ERROR(write_pages(study, err));
	call->direction = direction;
	return st == CLPAC_OK ? st : clpac__fail_as(err, &why);
}

/* --- The group ----------------------------------------------------------------------------------- */

static clpac_status compare_participants(tool_call *call, struct study *study, clpac_error *err)
{
	RETURN_IF_ERROR(tool_interrupt_watch(call->command->name, err));
	RETURN_IF_ERROR(tool_request_make(call, err));
	RETURN_IF_ERROR(open_study(call, study, err));
	return tool_bids_compare(call, &study->dataset, study->out, study->label, err);
}

/* --- Levels -------------------------------------------------------------------------------------- */

static clpac_status run(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct study study = {0};
	const char *level = call->every_operand[2];
	const bool is_group = strcmp(level, "group") == 0;
	if (!is_group && strcmp(level, "participant") != 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "\"%s\" is no level of analysis: give participant or group", level);
	RETURN_IF_ERROR(tool_bids_check_level(call, is_group, err));
	if (!call->values.plot && clpac_plots_are_available())
		call->values.plot = "svg";
	call->values.skip_existing = true;
	call->values.analysis.told = &study.told;
	TRY(read_choice(call, &study, err));
	TRY(is_group ? compare_participants(call, &study, err) : compute_participants(call, &study, err));
done:
	close_study(&study);
	return st;
}

const tool_command tool_command_bids = {
	.name = "bids",
	.usage = "BIDS_DIR OUT_DIR participant|group [OPTIONS]",
	.min_operands = 3,
	.max_operands = TOOL_ANY_NUMBER,
	.operand = "dataset, output folder and level",
	.summary = "a BIDS App: all recordings of a dataset, results as derivatives",
	.help = "Computes what clpac run does for each recording of the folders eeg, ieeg and meg of a BIDS dataset,\n"
		"with channels, events and sidecars by its inheritance principle.  A channel that a table of any\n"
		"level calls bad is left out, which is said.  Results are a dataset of derivatives in OUT_DIR.\n"
		"Called again, it computes what is missing; any number of processes may share a dataset.\n"
		"The level group compares the results of participants with 0, as clpac group does.\n",
	.examples = {"dataset derivatives participant",
		     "dataset derivatives participant --participant-label 01 --desc theta --phase 4:8:5",
		     "dataset derivatives group --channel Fz"},
	.groups = groups,
	.run = run,
};
