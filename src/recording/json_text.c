#include "recording/json_text.h"

#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "base/clean.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"

char *clpac__json_text(const json_t *tree, size_t flags)
{
	clpac__text text = {0};
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	if (!plain)
		return NULL;
	const locale_t before = uselocale(plain);
	const int code = json_dump_callback(tree, clpac__text_append, &text, flags);
	uselocale(before);
	freelocale(plain);
	char *json = code == 0 ? clpac__text_take(&text) : NULL;
	char *clean = json ? clpac__cleaned_json(json) : NULL;
	clpac__text_clear(&text);
	clpac__free(json);
	return clean;
}

/* Bytes of host memory that Jansson may take for a text: "{}," becomes an object of some 230 bytes with its table. */
static size_t room_for(size_t length)
{
	enum { EACH = 128, ALWAYS = 64 << 10 };
	return length < (SIZE_MAX - ALWAYS) / EACH ? ALWAYS + EACH * length : SIZE_MAX;
}

json_t *clpac__json_read(const char *text, size_t length, size_t flags, json_error_t *error)
{
	/* Jansson 2.14 writes beyond its buffer where it is refused memory, so it is entered only with room. */
	locale_t plain = clpac__has_room(room_for(length)) ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : 0;
	if (!plain) {
		memset(error, 0, sizeof *error);
		errno = ENOMEM;
		return NULL;
	}
	const locale_t before = uselocale(plain);
	json_t *tree = json_loadb(text, length, flags, error);
	const int why = errno;
	uselocale(before);
	freelocale(plain);
	errno = why;
	return tree;
}
