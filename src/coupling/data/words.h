/* The words of enumerations, as problems, results and options have them; NULL stands behind the last of each. */
#ifndef CLPAC_COUPLING_DATA_WORDS_H
#define CLPAC_COUPLING_DATA_WORDS_H

extern const char *const clpac__average_words[], *const clpac__null_words[], *const clpac__family_words[],
										     *const clpac__hilbert_words[];

#endif
