/* Kinds of channels, from the words that files use for them. */
#ifndef CLPAC_RECORDING_CHANNEL_KIND_H
#define CLPAC_RECORDING_CHANNEL_KIND_H

#include <clpac/recording.h>

/* The kind that a word names, in any case: a type of BIDS ("SEEG", "VEOG", "TRIG"), one of EDF ("ECG", "SaO2"), or the
 * word that a channel's name begins with.  False where the word says nothing. */
bool clpac__kind_of_word(const char *word, size_t n, clpac_channel_kind *kind);
/* The kind that a name ("EEG Fp1", "HEOG", "ECOG_RIGHT_2", "Status") or, where it says nothing, a unit tells. */
clpac_channel_kind clpac__kind_of_label(const char *name, const char *unit);

#endif
