/* Structs whose length caller and library may know differently. */
#include "base/sized.h"

#include <string.h>

#include "base/memory.h"

clpac_status clpac__sized_take(void *own, size_t own_bytes, size_t first_bytes, const void *given, const char *type,
			       clpac_error *err)
{
	size_t size = 0;
	memset(own, 0, own_bytes);
	memcpy(own, &own_bytes, sizeof own_bytes);
	if (!given)
		return CLPAC_OK;
	memcpy(&size, given, sizeof size);
	if (!size)
		size = first_bytes;
	if (size < first_bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s.size is %zu: it must be sizeof(%s), %zu at least, or 0", type,
			     size, type, first_bytes);
	for (size_t i = own_bytes; i < size; i++)
		if (((const char *)given)[i])
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%s.size is %zu and this library knows %zu bytes of it: a member behind them is set; "
				"leave it 0, or use the library of the header",
				type, size, own_bytes);
	memcpy((char *)own + sizeof size, (const char *)given + sizeof size,
	       clpac__smaller(size, own_bytes) - sizeof size);
	return CLPAC_OK;
}

clpac_status clpac__sized_return(void *given, size_t first_bytes, const void *own, size_t own_bytes, const char *type,
				 clpac_error *err)
{
	size_t size;
	memcpy(&size, given, sizeof size);
	const size_t known = clpac__smaller(size ? size : first_bytes, own_bytes);
	for (size_t i = known; i < own_bytes; i++)
		if (((const char *)own)[i])
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%s.size is %zu, and what is to be set lies behind it: give the size of the library's "
				"struct, %zu",
				type, size, own_bytes);
	memcpy((char *)given + sizeof size, (const char *)own + sizeof size, known - sizeof size);
	return CLPAC_OK;
}

void clpac__sized_give(void *out, size_t out_bytes, const void *own, size_t own_bytes)
{
	const size_t known = clpac__smaller(out_bytes, own_bytes);
	memcpy(out, own, known);
	memset((char *)out + known, 0, out_bytes - known);
	if (known >= sizeof known)
		memcpy(out, &known, sizeof known);
}
