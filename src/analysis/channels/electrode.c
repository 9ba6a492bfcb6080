#include "analysis/channels/electrode.h"

#include <stddef.h>
#include <string.h>
#include "base/ascii.h"

/* Rows of the 10-05 system (Oostenveld and Praamstra 2001) from nose to neck, earlobes and mastoids. */
static const char *const rows[] = {"N",	  "FP",	 "AFP", "AF",  "AFF", "F",   "FFC", "FFT", "FC",  "FT",
				   "FCC", "FTT", "C",	"T",   "CCP", "TTP", "CP",  "TP",  "CPP", "TPP",
				   "P",	  "PPO", "PO",	"POO", "O",   "OI",  "I",   "A",   "M"};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";

bool clpac__is_electrode(const char *name)
{
	const size_t n_letters = strspn(name, letters), n_digits = strspn(name + n_letters, digits);
	const bool is_midline = n_letters > 1 && n_digits == 0 && strchr("zZ", name[n_letters - 1]);
	const char *behind = name + n_letters + n_digits;
	if ((!is_midline && n_digits == 0) || n_digits > 2)
		return false;
	behind += *behind == 'h' || *behind == 'H';
	if (strspn(behind, letters) || strspn(behind, digits))
		return false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strlen(rows[i]) == n_letters - is_midline &&
		    clpac__same_letters(rows[i], name, n_letters - is_midline))
			return true;
	return false;
}
