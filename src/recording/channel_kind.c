#include "recording/channel_kind.h"

#include <string.h>
#include "base/ascii.h"

static const char *const names[] = {
	[CLPAC_KIND_UNKNOWN] = "",	  [CLPAC_KIND_EEG] = "eeg",   [CLPAC_KIND_SEEG] = "seeg",
	[CLPAC_KIND_ECOG] = "ecog",	  [CLPAC_KIND_MEG] = "meg",   [CLPAC_KIND_LFP] = "lfp",
	[CLPAC_KIND_EOG] = "eog",	  [CLPAC_KIND_ECG] = "ecg",   [CLPAC_KIND_EMG] = "emg",
	[CLPAC_KIND_TRIGGER] = "trigger", [CLPAC_KIND_MISC] = "misc",
};
_Static_assert(sizeof names / sizeof *names == CLPAC_KIND_COUNT, "one name per kind");

const char *clpac_channel_kind_name(clpac_channel_kind kind)
{
	return (unsigned)kind < CLPAC_KIND_COUNT ? names[kind] : "";
}

bool clpac_channel_kind_is_brain(clpac_channel_kind kind)
{
	return (unsigned)kind <= CLPAC_KIND_LFP;
}

/* Types of BIDS 1.10 (channels.tsv of EEG, iEEG and MEG) and standard texts of EDF+ (www.edfplus.info/specs/edftexts),
 * and words that names of channels begin with.  A type of BIDS that is none of these is MISC there. */
static const struct {
	const char *word;
	clpac_channel_kind kind;
} words[] = {
	{"EEG", CLPAC_KIND_EEG},	   {"SEEG", CLPAC_KIND_SEEG},	   {"ECOG", CLPAC_KIND_ECOG},
	{"MEG", CLPAC_KIND_MEG},	   {"MEGMAG", CLPAC_KIND_MEG},	   {"MEGGRADAXIAL", CLPAC_KIND_MEG},
	{"MEGGRADPLANAR", CLPAC_KIND_MEG}, {"LFP", CLPAC_KIND_LFP},	   {"DBS", CLPAC_KIND_LFP},
	{"EOG", CLPAC_KIND_EOG},	   {"HEOG", CLPAC_KIND_EOG},	   {"VEOG", CLPAC_KIND_EOG},
	{"HEOGL", CLPAC_KIND_EOG},	   {"HEOGR", CLPAC_KIND_EOG},	   {"VEOGU", CLPAC_KIND_EOG},
	{"VEOGL", CLPAC_KIND_EOG},	   {"ECG", CLPAC_KIND_ECG},	   {"EKG", CLPAC_KIND_ECG},
	{"EMG", CLPAC_KIND_EMG},	   {"TRIG", CLPAC_KIND_TRIGGER},   {"TRIGGER", CLPAC_KIND_TRIGGER},
	{"STATUS", CLPAC_KIND_TRIGGER},	   {"STI", CLPAC_KIND_TRIGGER},	   {"STIM", CLPAC_KIND_TRIGGER},
	{"EVENT", CLPAC_KIND_TRIGGER},	   {"MARKER", CLPAC_KIND_TRIGGER}, {"SYSCLOCK", CLPAC_KIND_TRIGGER},
	{"MISC", CLPAC_KIND_MISC},	   {"REF", CLPAC_KIND_MISC},	   {"RESP", CLPAC_KIND_MISC},
	{"TEMP", CLPAC_KIND_MISC},	   {"SAO", CLPAC_KIND_MISC},	   {"SPO", CLPAC_KIND_MISC},
	{"LIGHT", CLPAC_KIND_MISC},	   {"SOUND", CLPAC_KIND_MISC},	   {"AUDIO", CLPAC_KIND_MISC},
	{"GSR", CLPAC_KIND_MISC},	   {"EDA", CLPAC_KIND_MISC},	   {"PPG", CLPAC_KIND_MISC},
	{"ACC", CLPAC_KIND_MISC},	   {"PUPIL", CLPAC_KIND_MISC},	   {"EYEGAZE", CLPAC_KIND_MISC},
	{"ERG", CLPAC_KIND_MISC},	   {"MCG", CLPAC_KIND_MISC},	   {"POS", CLPAC_KIND_MISC},
	{"DC", CLPAC_KIND_MISC},	   {"ADC", CLPAC_KIND_MISC},	   {"DAC", CLPAC_KIND_MISC},
	{"PD", CLPAC_KIND_MISC},	   {"OTHER", CLPAC_KIND_MISC},	   {"MEGREFMAG", CLPAC_KIND_MISC},
};

bool clpac__kind_of_word(const char *word, size_t n, clpac_channel_kind *kind)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && clpac__same_letters(words[i].word, word, n)) {
			*kind = words[i].kind;
			return true;
		}
	return false;
}

/* Volts of any size may come from anywhere, and a missing or unknown unit says nothing; fields are MEG; the units below
 * are of no signal of the brain. */
static clpac_channel_kind kind_of_unit(const char *unit)
{
	static const char *const fields[] = {"T", "fT", "pT", "nT", "T/m", "fT/cm", "pT/cm"};
	static const char *const others[] = {"C",
					     "degC",
					     "\xc2\xb0"
					     "C",
					     "K",
					     "S",
					     "uS",
					     "\xc2\xb5S",
					     "g",
					     "m/s2",
					     "m/s^2",
					     "%",
					     "bpm",
					     "rad",
					     "mmHg",
					     "Pa",
					     "ARU"};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(unit, fields[i]) == 0)
			return CLPAC_KIND_MEG;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(unit, others[i]) == 0)
			return CLPAC_KIND_MISC;
	return CLPAC_KIND_UNKNOWN;
}

static size_t count_letters(const char *text)
{
	size_t n = 0;
	while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z'))
		n++;
	return n;
}

clpac_channel_kind clpac__kind_of_label(const char *name, const char *unit)
{
	clpac_channel_kind kind = CLPAC_KIND_UNKNOWN;
	if (clpac__kind_of_word(name, count_letters(name), &kind))
		return kind;
	return kind_of_unit(unit);
}
