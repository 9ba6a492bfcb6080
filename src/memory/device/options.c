/* The table of options: the source of the API, the CLPAC_* variables and the output of `clpac config`.
 *
 * A text option is stored as written, except "auto", which is stored as "", so that zero always means default.
 */
#include "memory/device/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/environment.h"
#include "base/sized.h"
#include "base/text.h"

extern char **environ;

typedef enum option_kind { OPTION_TEXT = 0, OPTION_NUMBER, OPTION_SECONDS, OPTION_YES } option_kind;

struct option {
	clpac_option_facts facts;
	option_kind kind;
	size_t offset, size; /* of the member in clpac_options; a text's size includes the NUL */
	const char *values;  /* " a b c ": the only values allowed; NULL for any */
	bool is_memory;	     /* must be readable by clpac__parse_memory */
};

#define TEXT(member) OPTION_TEXT, offsetof(clpac_options, member), sizeof((clpac_options *)0)->member
#define NUMBER(member) OPTION_NUMBER, offsetof(clpac_options, member), sizeof((clpac_options *)0)->member
#define YES(member) OPTION_YES, offsetof(clpac_options, member), sizeof((clpac_options *)0)->member
#define SECONDS(member) OPTION_SECONDS, offsetof(clpac_options, member), sizeof((clpac_options *)0)->member

/* clang-format off */
static const struct option options_table[] = {
	{{"device", "CLPAC_DEVICE", "the best device",
	  "which device computes: best, gpu, native, cpu, PLATFORM:DEVICE, or conditions as vendor=intel,memory>8G"},
	 TEXT(device), NULL, false},
	{{"memory", "CLPAC_MEMORY", "0.8",
	  "memory to use at most: a part of what is available (0.8, 80%) or bytes (4G)"},
	 TEXT(memory), NULL, true},
	{{"cache", "CLPAC_CACHE", "the user's cache folder",
	  "folder of compiled kernels and of the verdict on drivers; none keeps none"},
	 TEXT(cache), NULL, false},
	{{"fft", "CLPAC_FFT", "what serves the device best",
	  "FFT engine: auto, clfft or vkfft on OpenCL devices, lanes on CPUs"},
	 TEXT(fft), " auto clfft vkfft lanes ", false},
	{{"instruction_set", "CLPAC_INSTRUCTION_SET", "the widest that this CPU has",
	  "native kernels: auto, baseline, avx2 or avx512"},
	 TEXT(instruction_set), " auto baseline avx2 avx512 ", false},
	{{"threads", "CLPAC_THREADS", "one per core this process may use",
	  "threads of the native device"},
	 NUMBER(threads), NULL, false},
	{{"vector_width", "CLPAC_VECTOR_WIDTH", "what suits the device",
	  "vector width of OpenCL kernels: 1, 4, 8 or 16"},
	 NUMBER(vector_width), " 0 1 4 8 16 ", false},
	{{"probe", "CLPAC_PROBE", "10, and only after the drivers changed",
	  "seconds that OpenCL's drivers get to start in a child process before this one uses them; 0 does without"},
	 SECONDS(probe), NULL, false},
	{{"pool", "CLPAC_POOL", "every default",
	  "settings of the memory pool, as budget.cap=25% cache.max_kept_per_class=4"},
	 TEXT(pool), NULL, false},
	{{"profile", "CLPAC_PROFILE", "no",
	  "yes: times of stages in the reports of runs"},
	 YES(profile), " yes no ", false},
	{{"opencl_library", "CLPAC_OPENCL_LIBRARY", "what the process has, or the system's",
	  "path of the library that is OpenCL's loader"},
	 TEXT(opencl_library), NULL, false},
};
/* clang-format on */
enum { OPTION_COUNT = sizeof options_table / sizeof *options_table };

size_t clpac_options_count(void)
{
	return OPTION_COUNT;
}

const clpac_option_facts *clpac_options_get(size_t i)
{
	return i < OPTION_COUNT ? &options_table[i].facts : NULL;
}

/* "a, b, c": names of the options or of their variables, for an error text. */
static const char *list_options(bool as_variables, char text[512])
{
	size_t length = 0;
	text[0] = 0;
	for (size_t i = 0; i < OPTION_COUNT && length < 512; i++) {
		const clpac_option_facts *facts = &options_table[i].facts;
		length += (size_t)snprintf(text + length, 512 - length, "%s%s", i ? ", " : "",
					   as_variables ? facts->variable : facts->name);
	}
	return text;
}

static clpac_status find_option(const char *name, const struct option **out, clpac_error *err)
{
	char names[512];
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (!strcmp(name, options_table[i].facts.name)) {
			*out = &options_table[i];
			return CLPAC_OK;
		}
	}
	clpac__fail(err, CLPAC_ERROR_ARGUMENT, "there is no option \"%.100s\"; there are %s", name,
		    list_options(false, names));
	return clpac__of_member(err, CLPAC_ERROR_ARGUMENT, name);
}

static bool is_among(const char *value, const char *values)
{
	char word[64];
	int n = snprintf(word, sizeof word, " %s ", value);
	return n > 2 && (size_t)n < sizeof word && strspn(word + 1, " ") == 0 && strchr(value, ' ') == NULL &&
	       strstr(values, word);
}

static clpac_status set_text(clpac_options *options, const struct option *option, const char *value, clpac_error *err)
{
	if (strlen(value) >= option->size)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "option %s: \"%.40s...\" has %zu characters, at most %zu fit", option->facts.name,
				   value, strlen(value), option->size - 1);
	if (option->is_memory) {
		uint64_t unused;
		if (clpac__parse_memory(value, UINT64_MAX, &unused, err))
			return clpac__fail_context(err, CLPAC_ERROR_ARGUMENT, "option %s", option->facts.name);
	}
	if (option->values && *value && !is_among(value, option->values))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "option %s: \"%s\" is none of%.*s", option->facts.name,
				   value, (int)strlen(option->values) - 1, option->values);
	char *member = (char *)options + option->offset;
	memset(member, 0, option->size);
	if (strcmp(value, "auto"))
		memcpy(member, value, strlen(value));
	return CLPAC_OK;
}

static clpac_status set_number(clpac_options *options, const struct option *option, const char *value, clpac_error *err)
{
	enum { MOST = 65536 };
	double number = 0;
	const char *end = value;
	if (*value && strcmp(value, "auto")) {
		if (!clpac__parse_number(value, &number, &end) || *end || number < 0 || number > MOST ||
		    number != floor(number))
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					   "option %s: \"%.40s\" is not a whole number from 0 to %d (0 is automatic)",
					   option->facts.name, value, MOST);
		char digits[16];
		snprintf(digits, sizeof digits, "%.0f", number);
		if (option->values && !is_among(digits, option->values))
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "option %s: %s is none of%.*s (0 is automatic)",
					   option->facts.name, digits, (int)strlen(option->values) - 1, option->values);
	}
	unsigned whole = (unsigned)number;
	memcpy((char *)options + option->offset, &whole, sizeof whole);
	return CLPAC_OK;
}

static clpac_status set_seconds(clpac_options *options, const struct option *option, const char *value,
				clpac_error *err)
{
	enum { MOST = 3600 };
	double seconds = 0;
	const char *end = value;
	if (*value && strcmp(value, "auto") &&
	    (!clpac__parse_number(value, &seconds, &end) || *end || !(seconds >= 0 && seconds <= MOST)))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "option %s: \"%.40s\" is not a number of seconds from 0 to %d", option->facts.name,
				   value, MOST);
	/* A zeroed member is the default, so that 0 seconds are another value. */
	if (*value && strcmp(value, "auto") && seconds == 0)
		seconds = CLPAC_PROBE_NONE;
	memcpy((char *)options + option->offset, &seconds, sizeof seconds);
	return CLPAC_OK;
}

static clpac_status set_yes(clpac_options *options, const struct option *option, const char *value, clpac_error *err)
{
	if (*value && strcmp(value, "auto") && !is_among(value, option->values))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "option %s: \"%.40s\" is none of%.*s", option->facts.name, value,
			     (int)strlen(option->values) - 1, option->values);
	*((bool *)((char *)options + option->offset)) = strcmp(value, "yes") == 0;
	return CLPAC_OK;
}

static clpac_status (*const setters[])(clpac_options *, const struct option *, const char *, clpac_error *) = {
	[OPTION_TEXT] = set_text,
	[OPTION_NUMBER] = set_number,
	[OPTION_SECONDS] = set_seconds,
	[OPTION_YES] = set_yes,
};
_Static_assert(sizeof setters / sizeof *setters == OPTION_YES + 1, "one setter per kind");

static clpac_status set(clpac_options *options, const struct option *option, const char *value, clpac_error *err)
{
	const clpac_status st = setters[option->kind](options, option, value, err);
	return st == CLPAC_OK ? st : clpac__of_member(err, st, option->facts.name);
}

clpac_status clpac_options_set(clpac_options *options, const char *name, const char *value, clpac_error *err)
{
	NEED(options, name, value);
	clpac_options made;
	const struct option *option = NULL;
	RETURN_IF_ERROR(clpac__take_sized(&made, options, clpac_options, err));
	RETURN_IF_ERROR(find_option(name, &option, err));
	RETURN_IF_ERROR(set(&made, option, value, err));
	return clpac__return_sized(options, &made, clpac_options, err);
}

clpac_status clpac_options_text(const clpac_options *options, const char *name, char *text, size_t size,
				clpac_error *err)
{
	NEED(options, name, text);
	clpac_options own;
	const struct option *option = NULL;
	clpac_status st = clpac__take_sized(&own, options, clpac_options, err);
	if (!st)
		st = find_option(name, &option, err);
	RETURN_IF_ERROR(st);
	const char *member = (const char *)&own + option->offset;
	char digits[64] = "";
	if (option->kind == OPTION_NUMBER) {
		unsigned number;
		memcpy(&number, member, sizeof number);
		if (number)
			snprintf(digits, sizeof digits, "%u", number);
		member = digits;
	} else if (option->kind == OPTION_SECONDS) {
		double seconds;
		memcpy(&seconds, member, sizeof seconds);
		if (seconds != 0)
			clpac__write_number(seconds == CLPAC_PROBE_NONE ? 0 : seconds, digits);
		member = digits;
	} else if (option->kind == OPTION_YES) {
		member = *(const bool *)member ? "yes" : "";
	}
	if (strlen(member) >= size)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "option %s: its value needs %zu bytes, there are %zu",
				   name, strlen(member) + 1, size);
	memcpy(text, member, strlen(member) + 1);
	return CLPAC_OK;
}

/* The folder for caches named by the XDG base directory specification, which says to ignore relative paths. */
static clpac_status take_cache_home(clpac_options *options, clpac_error *err)
{
	const char *home = clpac__environment("XDG_CACHE_HOME");
	if (*options->cache || !home || *home != '/')
		return CLPAC_OK;
	if ((size_t)snprintf(options->cache, sizeof options->cache, "%s/clpac", home) >= sizeof options->cache)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "environment variable XDG_CACHE_HOME has %zu characters, at most %zu fit: name a "
				   "folder in CLPAC_CACHE",
				   strlen(home), sizeof options->cache - sizeof "/clpac");
	return CLPAC_OK;
}

clpac_status clpac_options_from_environment(clpac_options *options, clpac_error *err)
{
	NEED(options);
	clpac_status st = CLPAC_OK;
	clpac_options made;
	RETURN_IF_ERROR(clpac__take_sized(&made, options, clpac_options, err));
	for (char **entry = environ; entry && *entry; entry++) {
		const char *variable = *entry, *mark = strchr(variable, '=');
		if (!mark || strncmp(variable, "CLPAC_", 6) || !strncmp(variable, "CLPAC_TEST_", 11))
			continue;
		const struct option *option = NULL;
		for (size_t i = 0; i < OPTION_COUNT && !option; i++) {
			const char *name = options_table[i].facts.variable;
			if (strlen(name) == (size_t)(mark - variable) && !strncmp(name, variable, strlen(name)))
				option = &options_table[i];
		}
		if (!option) {
			char names[512];
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "environment variable %.*s is no option of clpac; there are %s",
				     (int)(mark - variable > 100 ? 100 : mark - variable), variable,
				     list_options(true, names));
		}
		st = set(&made, option, mark + 1, err);
		if (st) {
			clpac__fail_context(err, st, "environment variable %s", option->facts.variable);
			return st;
		}
	}
	RETURN_IF_ERROR(take_cache_home(&made, err));
	RETURN_IF_ERROR(clpac__return_sized(options, &made, clpac_options, err));
	return st;
}

clpac_status clpac__parse_memory(const char *text, uint64_t available_bytes, uint64_t *bytes, clpac_error *err)
{
	enum { LEAST = 4096 };
	const char *given = *text ? text : "0.8", *unit;
	double number;
	if (!clpac__parse_number(given, &number, &unit))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "memory \"%.40s\" is not understood: write a part as 0.8 or 80%%, or bytes as 4G", text);
	if (!(number > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "memory \"%.40s\" must be above 0: write a part as 0.8 or 80%%, or bytes as 4G", text);

	bool is_percent = !strcmp(unit, "%");
	if (is_percent || (!*unit && number <= 1)) {
		double part = is_percent ? number / 100 : number;
		if (part > 1)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "memory \"%.40s\" is more than all there is: give at most 100%%", text);
		/* A part of 1 is exact to the byte, which a product in double may not be. */
		*bytes = part == 1 ? available_bytes : (uint64_t)(part * (double)available_bytes);
		return CLPAC_OK;
	}
	int power = clpac__byte_power(unit);
	if (power < 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "memory \"%.40s\": \"%.20s\" is no unit: write K, M, G or T, or %%",
			     text, unit);
	number = floor(ldexp(number, 10 * power));
	if (number < LEAST)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "memory \"%.40s\" is %.0f bytes, less than the %d that anything needs: "
			     "write 4G for 4 GiB, 0.8 for a part",
			     text, number, LEAST);
	if (number >= 0x1p63)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "memory \"%.40s\" is %g bytes: more than any machine has", text,
			     number);
	*bytes = (uint64_t)number;
	return CLPAC_OK;
}
