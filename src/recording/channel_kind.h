/* Kinds of channels, from the words that files use for them. */
#ifndef CLPAC_RECORDING_CHANNEL_KIND_H
#define CLPAC_RECORDING_CHANNEL_KIND_H

#include <clpac/recording.h>

/* The kind that a word names, in any case: a type of BIDS ("SEEG", "VEOG", "TRIG"), one of EDF ("ECG", "SaO2"), or a
 * word of a channel's name (channel_words.def).  False where the word says nothing. */
bool clpac__kind_of_word(const char *word, size_t n, clpac_channel_kind *kind);
/* The kind that a name ("EEG Fp1", "EEG EKG1-REF", "ECOG_RIGHT_2", "BDF Status", "E1-M2") or, where it says nothing, a
 * unit tells. */
clpac_channel_kind clpac__kind_of_label(const char *name, const char *unit);

#endif
