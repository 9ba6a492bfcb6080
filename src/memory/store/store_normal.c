/* One spelling for keys that are put together from parts. */
#include "memory/store/store_parts.h"

#include "base/memory.h"

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The part that begins here, without blanks around it; *next is behind it and its "/". */
static size_t trim_part(const char **part, const char **next)
{
	const char *begin = *part, *end = begin + strcspn(begin, "/");
	*next = *end ? end + 1 : end;
	while (begin < end && is_blank(*begin))
		begin++;
	while (begin < end && is_blank(end[-1]))
		end--;
	*part = begin;
	return (size_t)(end - begin);
}

clpac_status clpac_key_normalise(const char *key, char **normal, clpac_error *err)
{
	NEED(key);
	NEED(normal);
	clpac_status st = CLPAC_OK;
	const char *part = key, *next;
	size_t n = 0;
	char *made = clpac__alloc(strlen(key) + 1);
	if (!made)
		FAIL_NO_MEMORY(strlen(key) + 1);
	while (is_blank(*part))
		part++;
	const bool is_absolute = *part == '/';
	for (; *part; part = next) {
		const size_t bytes = trim_part(&part, &next);
		if (!bytes || (bytes == 1 && *part == '.'))
			continue;
		if (n || is_absolute)
			made[n++] = '/';
		memcpy(made + n, part, bytes);
		n += bytes;
	}
	made[n] = 0;
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\": nothing is left of it when it is normalised", key);
	*normal = made;
	made = NULL;
done:
	clpac__free(made);
	return st;
}
