/* The table of passes as data. */
#include "coupling/needs/needs.h"

const enum clpac__part clpac__own_parts[CLPAC__OWN_PARTS] = {
#define PART(...)
#define OWN_PART(name, ...) CLPAC__PART_##name,
#define CONSTANT_PART(...)
#include "coupling/needs/needs.def"
};

enum clpac__part clpac__part_kind(enum clpac__part part)
{
	return part < CLPAC__PART_FURTHER ? part : clpac__own_parts[(part - CLPAC__PART_FURTHER) % CLPAC__OWN_PARTS];
}

const char *clpac__part_text(enum clpac__part part)
{
	static const char *const texts[] = {
#define PART(name, text, ...) [CLPAC__PART_##name] = (text),
#define OWN_PART(name, text, ...) [CLPAC__PART_##name] = (text),
#define CONSTANT_PART(name, text, ...) [CLPAC__PART_##name] = (text),
#include "coupling/needs/needs.def"
	};
	return texts[clpac__part_kind(part)];
}

bool clpac__part_is_constant(enum clpac__part part)
{
	static const bool are_constant[CLPAC__PART_COUNT] = {
#define PART(...)
#define OWN_PART(...)
#define CONSTANT_PART(name, ...) [CLPAC__PART_##name] = true,
#include "coupling/needs/needs.def"
	};
	return are_constant[part];
}
