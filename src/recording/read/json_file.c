#include "recording/read/json_file.h"

#include <string.h>
#include "base/memory.h"
#include "recording/file_text.h"
#include "recording/json_text.h"
#include "recording/read/source.h"

clpac_status clpac__json_file_read(const char *path, uint64_t most_bytes, const char *what, json_t **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__source source = {0};
	char *text = NULL;
	size_t length;
	json_error_t wrong;
	TRY(clpac__source_open(path, &source, err));
	if (source.bytes > most_bytes)
		FAIL(CLPAC_ERROR_FORMAT, "%s: %llu bytes are more than any %s has", path,
		     (unsigned long long)source.bytes, what);
	text = clpac__alloc((size_t)source.bytes + 1);
	if (!text)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its bytes", path);
	TRY(clpac__source_read_upto(&source, text, (size_t)source.bytes, &length, err));
	errno = 0;
	*out = clpac__json_read(text, length, JSON_REJECT_DUPLICATES, &wrong);
	/* Jansson's parser takes a failed allocation for wrong syntax; errno tells them apart. */
	if (!*out && errno == ENOMEM)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its content", path);
	if (!*out) {
		char shown[CLPAC__SHOWN_SIZE];
		clpac__show(wrong.text, strcspn(wrong.text, "\n"), shown);
		FAIL(CLPAC_ERROR_FORMAT, "%s: line %d, column %d: not JSON: %s", path, wrong.line, wrong.column, shown);
	}
done:
	clpac__free(text);
	clpac__source_close(&source);
	return st;
}
