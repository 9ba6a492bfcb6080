#include "recording/devices_format.h"

const char *const clpac__knowledge_words[CLPAC__N_KNOWLEDGES] = {
	[CLPAC_UNKNOWN] = "unknown",
	[CLPAC_ESTIMATED] = "estimated",
	[CLPAC_EXACT] = "exact",
};
