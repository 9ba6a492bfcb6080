/* Warm-up by a text, "1M*8,64K*32": what a pool's options and the environment say. */
#include "memory/pool/pool_parts.h"

#include "base/keys.h"
#include "base/bytes.h"

/* Reads "SIZE*COUNT" and moves *text behind it. */
static bool read_one(const char **text, size_t *bytes, size_t *count)
{
	uint64_t whole, n;
	const char *end;
	if (!clpac__keys_parse_whole(*text, SIZE_MAX, &whole, &end))
		return false;
	const char unit[2] = {*end == '*' ? '\0' : *end};
	const int power = clpac__byte_power(unit);
	if (power < 0 || !whole || whole > SIZE_MAX >> 10 * power)
		return false;
	end += *unit != '\0';
	if (*end++ != '*' || !clpac__keys_parse_whole(end, SIZE_MAX, &n, &end))
		return false;
	*bytes = (size_t)whole << 10 * power;
	*count = (size_t)n;
	*text = end;
	return true;
}

clpac_status clpac__pool_warm_up_by_text(clpac_pool *pool, const char *text, clpac_error *err)
{
	enum { MOST = sizeof pool->made.warm_up / 4 + 1 /* "1*1," */ };
	clpac_status st = CLPAC_OK;
	size_t bytes[MOST], counts[MOST], n = 0;
	for (const char *at = text; *at; n++) {
		const char *begin = at;
		if (!read_one(&at, &bytes[n], &counts[n]) || (*at && (*at != ',' || !at[1])))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"warm_up is \"%s\": \"%s\" is not understood; give sizes and counts, as 1M*8,64K*32",
				text, begin);
		at += *at == ',';
	}
	st = clpac_pool_warm_up(pool, n, bytes, counts, err);
	if (st != CLPAC_OK)
		clpac__fail_context(err, st, "warm_up is \"%s\"", text);
	return st;
}
