/* Some pieces of every record of a file: some signals of EDF, some channels of samples that lie side by side.  Pieces
 * that lie close to each other are read through with what is between them, in one call of the system. */
#ifndef CLPAC_RECORDING_READ_PIECES_H
#define CLPAC_RECORDING_READ_PIECES_H

#include "recording/read/source.h"

typedef struct clpac__piece {
	size_t offset, bytes; /* in a record */
} clpac__piece;

typedef struct clpac__records {
	uint64_t start; /* of the first record in the file */
	size_t bytes;	/* of each */
	size_t n;
	const clpac__piece *pieces; /* ascending, without overlaps */
	size_t n_pieces;
} clpac__records;

/* Bytes that were read: pieces `piece` to `piece + n_pieces` of records `record` to `record + n_records`.  Piece p of
 * record r begins at bytes + (r - record) * stride + pieces[p].offset - offset. */
typedef struct clpac__span {
	const unsigned char *bytes;
	size_t offset, stride;
	size_t record, n_records, piece, n_pieces;
} clpac__span;

typedef clpac_status clpac__take_span(void *user, const clpac__span *span, clpac_error *err);

/* Reads all pieces, record after record, and hands them over as they come.  Uses a mebibyte of memory, or that of one
 * record where this is more.  Without pieces nothing is read.
 * Errors: those of clpac__source_read and of `take`; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__pieces_read(clpac__source *source, const clpac__records *records, clpac__take_span *take,
				void *user, clpac_error *err);

/* The bytes that clpac__pieces_read reads of the file, from the first piece of each call of the system to its last. */
uint64_t clpac__pieces_bytes(const clpac__records *records);

#endif
