#include "tool/json_output.h"

#include <stdio.h>
#include "base/memory.h"

clpac_status tool_json_print(clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	TRY(clpac__json_tree_text_of(json, &text, err));
	errno = 0;
	if (fputs(text, stdout) == EOF || putchar('\n') == EOF)
		FAIL_SYSTEM("writing standard output");
done:
	clpac__free(text);
	json_decref(json->root);
	json->root = NULL;
	return st;
}
