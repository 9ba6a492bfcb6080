#include "io/json_text.h"

#include "base/text.h"

static int append(const char *bytes, size_t n, void *user)
{
	clpac__text *text = user;
	clpac__text_add_bytes(text, bytes, n);
	return text->failed ? -1 : 0;
}

char *clpac__json_text(const json_t *tree, size_t flags)
{
	clpac__text text = {0};
	if (json_dump_callback(tree, append, &text, flags) == 0)
		return clpac__text_take(&text);
	clpac__text_clear(&text);
	return NULL;
}
