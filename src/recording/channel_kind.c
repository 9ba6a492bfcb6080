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

/* How a word is taken; the sources of words are beside them. */
enum { BEGINS = 1, ANYWHERE = 2, PLACE = 4, NO_NUMBER = 8 };

typedef struct known_word {
	const char *word;
	clpac_channel_kind kind;
	int how;
} known_word;

#define WORD(word, kind, how) {word, CLPAC_KIND_##kind, how},
static const known_word words[] = {
#include "recording/channel_words.def"
};
#undef WORD

/* The first row of a word of n letters; NULL: it says nothing. */
static const known_word *find_word(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t length = strlen(words[i].word);
		if ((length == n || (length < n && words[i].how & BEGINS)) &&
		    clpac__same_letters(words[i].word, word, length))
			return &words[i];
	}
	return NULL;
}

bool clpac__kind_of_word(const char *word, size_t n, clpac_channel_kind *kind)
{
	const known_word *found = find_word(word, n);
	if (found)
		*kind = found->kind;
	return found != NULL;
}

/* Volts of any size may come from anywhere, and a missing or unknown unit says nothing; fields are MEG; the units below
 * are of no signal of the brain. */
static clpac_channel_kind kind_of_unit(const char *unit)
{
	static const char *const fields[] = {"T", "fT", "pT", "nT", "T/m", "fT/cm", "pT/cm"};
	static const char *const others[] = {"C",   "degC",  "\302\260C", "K",	       "S",	"uS",  "\302\265S",
					     "g",   "m/s2",  "m/s^2",	  "%",	       "bpm",	"rad", "mmHg",
					     "Pa",  "ARU",   "cmH2O",	  "L/min",     "l/min", "lux", "dB",
					     "deg", "deg/s", "rad/s",	  "\302\260/s"};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(unit, fields[i]) == 0)
			return CLPAC_KIND_MEG;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(unit, others[i]) == 0)
			return CLPAC_KIND_MISC;
	return CLPAC_KIND_UNKNOWN;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t count_letters(const char *text)
{
	size_t n = 0;
	while (is_letter(text[n]))
		n++;
	return n;
}

/* Eyes of the AASM manual: E1 or E2 against a mastoid or Fpz.  Alone they are electrodes of EGI's nets. */
static bool is_eye_of_sleep(const char *name)
{
	return (name[0] == 'E' || name[0] == 'e') && (name[1] == '1' || name[1] == '2') && name[2] &&
	       strchr("-:/_ ", name[2]) &&
	       ((name[3] && strchr("MmAa", name[3]) && (name[4] == '1' || name[4] == '2') &&
		 !clpac__is_digit(name[5])) ||
		(count_letters(name + 3) == 3 && clpac__same_letters("FPZ", name + 3, 3)));
}

/* What the words of a name say; `so_far` where none says anything.
 * @param is_behind "EEG" or "POL", which amplifiers put before whatever is connected. */
static clpac_channel_kind kind_of_words(const char *name, bool is_behind, clpac_channel_kind so_far)
{
	bool is_first = true;
	for (const char *at = name; *at;) {
		const size_t n = count_letters(at);
		const known_word *found = n ? find_word(at, n) : NULL;
		const bool has_number = clpac__is_digit(at[n]);
		if (found && (is_first || found->how & ANYWHERE) && !(has_number && found->how & NO_NUMBER) &&
		    !(has_number && is_behind && found->how & PLACE) &&
		    !(so_far && clpac_channel_kind_is_brain(found->kind)))
			return found->kind;
		is_first = is_first && n == 0;
		at += n ? n : 1;
	}
	return so_far;
}

clpac_channel_kind clpac__kind_of_label(const char *name, const char *unit)
{
	static const struct {
		const char *word;
		clpac_channel_kind kind;
	} before[] = {{"EEG", CLPAC_KIND_EEG}, {"POL", CLPAC_KIND_UNKNOWN}};
	const size_t n = count_letters(name);
	clpac_channel_kind kind = CLPAC_KIND_UNKNOWN;
	bool is_behind = false;
	if (clpac__kind_of_word(name, strlen(name), &kind))
		return kind;
	for (size_t i = 0; i < sizeof before / sizeof *before && !is_behind; i++)
		if (n == strlen(before[i].word) && clpac__same_letters(before[i].word, name, n)) {
			kind = before[i].kind;
			is_behind = true;
		}
	if (is_behind)
		for (name += n; *name && strchr(" -_:.", *name);)
			name++;
	if (is_eye_of_sleep(name))
		return CLPAC_KIND_EOG;
	kind = kind_of_words(name, is_behind, kind);
	return kind ? kind : kind_of_unit(unit);
}
