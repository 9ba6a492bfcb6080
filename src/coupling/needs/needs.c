/* The table of passes as data. */
#include "coupling/needs/needs.h"

const enum clpac__tensor clpac__own_tensors[CLPAC__OWN_TENSORS] = {
#define TENSOR(...)
#define OWN_TENSOR(name, ...) CLPAC__TENSOR_##name,
#define CONSTANT_TENSOR(...)
#include "coupling/needs/needs.def"
};

enum clpac__tensor clpac__tensor_kind(enum clpac__tensor tensor)
{
	return tensor < CLPAC__TENSOR_FURTHER
		       ? tensor
		       : clpac__own_tensors[(tensor - CLPAC__TENSOR_FURTHER) % CLPAC__OWN_TENSORS];
}

const char *clpac__tensor_text(enum clpac__tensor tensor)
{
	static const char *const texts[] = {
#define TENSOR(name, text, ...) [CLPAC__TENSOR_##name] = (text),
#define OWN_TENSOR(name, text, ...) [CLPAC__TENSOR_##name] = (text),
#define CONSTANT_TENSOR(name, text, ...) [CLPAC__TENSOR_##name] = (text),
#include "coupling/needs/needs.def"
	};
	return texts[clpac__tensor_kind(tensor)];
}

bool clpac__tensor_is_constant(enum clpac__tensor tensor)
{
	static const bool are_constant[CLPAC__TENSOR_COUNT] = {
#define TENSOR(...)
#define OWN_TENSOR(...)
#define CONSTANT_TENSOR(name, ...) [CLPAC__TENSOR_##name] = true,
#include "coupling/needs/needs.def"
	};
	return are_constant[tensor];
}
