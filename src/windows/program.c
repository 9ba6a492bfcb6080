/* A program's first call, and memory that free() does not take. */
#include "base/system.h"

#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include <windows.h>

void clpac__program_begins(int n, char **words)
{
	for (int file = 0; file < 3; file++)
		_setmode(file, _O_BINARY);
	_fmode = _O_BINARY;
	setvbuf(stderr, NULL, _IONBF, 0);
	SetConsoleOutputCP(CP_UTF8);
	for (int i = 1; i < n; i++)
		for (char *at = words[i]; *at; at++)
			if (*at == '\\')
				*at = '/';
}

void *clpac__aligned_alloc(size_t alignment, size_t bytes)
{
	return _aligned_malloc(bytes, alignment);
}

void clpac__aligned_free(void *pointer)
{
	_aligned_free(pointer);
}
