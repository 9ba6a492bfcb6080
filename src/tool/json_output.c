#include "tool/json_output.h"

#include <stdio.h>
#include "base/memory.h"
#include "tool/console.h"

clpac_status tool_print_page(const char *text, bool is_json, clpac_error *err)
{
	if (!is_json) {
		tool_print_lines(stdout, text);
		return CLPAC_OK;
	}
	errno = 0;
	if (fputs(text, stdout) == EOF || putchar('\n') == EOF)
		RETURN_SYSTEM_ERROR("writing standard output");
	return CLPAC_OK;
}

clpac_status tool_json_print(clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	TRY(clpac__json_tree_text_of(json, &text, err));
	TRY(tool_print_page(text, true, err));
done:
	clpac__free(text);
	json_decref(json->root);
	json->root = NULL;
	return st;
}
