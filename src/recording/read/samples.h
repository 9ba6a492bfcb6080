/* Samples in files: a table of number encodings in both byte orders, stored channel by channel or sample by sample. */
#ifndef CLPAC_RECORDING_READ_SAMPLES_H
#define CLPAC_RECORDING_READ_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/status.h>

/* The bytes of a file, or of a member of an archive, in order.  Their number is known before the first is read, so
 * that the claims of a header can be checked before anything is allocated. */

typedef struct clpac__source clpac__source;

/* Reads at most n bytes; *n_read is 0 only at the end. */
typedef clpac_status clpac__read_some(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err);

struct clpac__source {
	const char *path; /* as the caller named it; not owned */
	uint64_t bytes, position;
	clpac__read_some *read_some;
	uint64_t n_read; /* bytes in all, those that were read twice too */
	int descriptor;	 /* of a file */
	void *member;	 /* clpac__npz_member of an archive; not owned */
};

/* Opens a regular file.  CLPAC_ERROR_IO with errno for a missing or unreadable one, a folder or a pipe. */
clpac_status clpac__source_open(const char *path, clpac__source *out, clpac_error *err);
/* To be called once per opened source; a zeroed one is fine. */
void clpac__source_close(clpac__source *source);

/* A second source of an open file, which stays when the first is closed.  @param path stays
 * the caller's, and lives as long. */
clpac_status clpac__source_share(const clpac__source *source, const char *path, clpac__source *out, clpac_error *err);

/* Reads exactly n bytes; otherwise CLPAC_ERROR_FORMAT, which says where the file ends. */
clpac_status clpac__source_read(clpac__source *source, void *to, size_t n, clpac_error *err);
/* Reads up to n bytes: *n_read is less only at the end. */
clpac_status clpac__source_read_upto(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err);
/* Moves to a byte; for files only. */
void clpac__source_seek(clpac__source *source, uint64_t position);

/* Refuses a zero byte among n bytes that were just read: no text has one, and a file of zeros may be longer than any
 * disk. */
clpac_status clpac__source_check_text(const clpac__source *source, const char *text, size_t n, clpac_error *err);
/* Reads a whole file as text with a NUL at its end.  To be freed with clpac__free. */
clpac_status clpac__source_read_text(const char *path, char **text, size_t *length, clpac_error *err);

/* The destination of decoded samples: one of the pointers is not NULL.  A value is scale * number + offset. */
typedef struct clpac__sink {
	float *as_float32;
	double *as_float64;
	double scale, offset;
} clpac__sink;

/* Decodes n numbers, `stride` bytes apart, into sink[first] and on. */
typedef void clpac__decode(const unsigned char *from, size_t stride, bool is_big_endian, size_t n,
			   const clpac__sink *sink, size_t first);

typedef struct clpac__encoding {
	const char *name; /* NumPy's, as "i2" */
	size_t bytes;
	clpac_sample_type type; /* the smallest that holds every number exactly; i8 and u8 only up to 2^53 */
	clpac__decode *decode;
} clpac__encoding;

/* The encoding of a name; NULL: none. */
const clpac__encoding *clpac__encoding_find(const char *name);
/* Decodes one number. */
void clpac__decode_one(const clpac__encoding *encoding, const unsigned char *from, bool is_big_endian, double *out);
/* "i1, u1, ...", for error messages. */
extern const char clpac__encoding_names[];

typedef struct clpac__sample_layout {
	const clpac__encoding *encoding;
	bool is_big_endian;
	bool is_by_sample; /* all channels of a sample, then the next sample; otherwise all samples of a channel, then
			      the next channel */
	size_t n_channels, n_samples;
	size_t n_epochs; /* equal parts of the samples, one of all channels after the other; 0: one */
} clpac__sample_layout;

/* Refuses many channels of few samples with CLPAC_ERROR_FORMAT, so that a recording takes memory by what its file
 * holds: the books of a channel cost as much as tens of samples.  n_samples may be an upper bound. */
clpac_status clpac__channels_check(const char *path, size_t n_channels, size_t n_samples, clpac_error *err);

/* Checks channels as above, that there are samples and that `bytes` hold them all; otherwise CLPAC_ERROR_FORMAT.  To be
 * called before any channel is added. */
clpac_status clpac__layout_check(const clpac__sample_layout *layout, const char *path, uint64_t bytes,
				 clpac_error *err);

/* For a format without names: checks, adds channels, and reads them from a member of an archive; those of a
 * file are loaded later.  The source's position stays at the first sample then.
 * @param names NULL: "0", "1", ...  @param rate_hz 0: unknown. */
clpac_status clpac__numbered_channels_read(clpac__source *source, const clpac__sample_layout *layout,
					   const char *const *names, const char *unit, double rate_hz,
					   clpac_recording *recording, clpac_error *err);

/* Adds a stretch for each epoch of an array, since what happened between two of them is unknown, and warns of epochs
 * without a rate and of an array that seems transposed.
 * @param rate_hz 0: unknown. */
clpac_status clpac__shape_settle(const clpac__sample_layout *layout, double rate_hz, clpac_recording *recording,
				 clpac_error *err);

/* A sink for the room of a channel. */
static inline clpac__sink clpac__sink_of(void *samples, clpac_sample_type type, double scale, double offset)
{
	return (clpac__sink){
		.as_float32 = type == CLPAC_FLOAT32 ? samples : NULL,
		.as_float64 = type == CLPAC_FLOAT64 ? samples : NULL,
		.scale = scale,
		.offset = offset,
	};
}

/* The samples of a file of one layout, channel by channel or sample by sample, loaded on demand. */

/* How the numbers of a channel become values. */
typedef struct clpac__channel_scale {
	clpac_sample_type type;
	double scale, offset; /* only of CLPAC_FLOAT64 */
} clpac__channel_scale;
/* Whether no number of an encoding becomes NaN or infinite: integers of up to 64 bits do not. */
bool clpac__is_finite_scaled(const clpac__encoding *encoding, const clpac__channel_scale *scale);

/* Gives a recording, whose channels are there, the samples behind byte `start` of a source.  The source may be
 * closed afterwards.
 * @param scales of each channel. */
clpac_status clpac__layout_file_attach(const clpac__source *source, uint64_t start, const clpac__sample_layout *layout,
				       const clpac__channel_scale *scales, clpac_recording *recording,
				       clpac_error *err);

/* Some pieces of every record of a file: some signals of EDF, some channels of samples that lie side by side.  Pieces
 * that lie close to each other are read through with what is between them, in one call of the system. */

typedef struct clpac__file_piece {
	size_t offset, bytes; /* in a record */
} clpac__file_piece;

typedef struct clpac__records {
	uint64_t start; /* of the first record in the file */
	size_t bytes;	/* of each */
	size_t n;
	const clpac__file_piece *pieces; /* ascending, without overlaps */
	size_t n_pieces;
} clpac__records;

/* Bytes that were read: pieces `piece` to `piece + n_pieces` of records `record` to `record + n_records`.  Piece p of
 * record r begins at bytes + (r - record) * stride + pieces[p].offset - offset. */
typedef struct clpac__file_span {
	const unsigned char *bytes;
	size_t offset, stride;
	size_t record, n_records, piece, n_pieces;
} clpac__file_span;

typedef clpac_status clpac__take_span(void *user, const clpac__file_span *span, clpac_error *err);

/* Reads all pieces, record after record, and hands them over as they come.  Uses a mebibyte of memory, or that of one
 * record where this is more.  Without pieces nothing is read.
 * Errors: those of clpac__source_read and of `take`; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__pieces_read(clpac__source *source, const clpac__records *records, clpac__take_span *take,
				void *user, clpac_error *err);

/* The bytes that clpac__pieces_read reads of the file, from the first piece of each call of the system to its last. */
uint64_t clpac__pieces_bytes(const clpac__records *records);

/* Two rates are equal within 10 parts in a million: clocks are no better, and a decimal in a header loses as much. */
#define CLPAC__SAME_RATE 1e-5

/* The table of formats.  A new format is a file read_NAME.c with one exported reader, and one line in formats.c. */

/* Reads a whole recording from a source at its start.  Unknown rates stay 0: clpac_recording_read applies
 * options->rate_hz and compares it with the rates in the file. */
typedef clpac_status clpac__reader(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
				   clpac_error *err);

/* Whether a file that begins with these n bytes has the format. */
typedef bool clpac__recogniser(const unsigned char *head, size_t n);

typedef struct clpac__format {
	const char *name;
	clpac__recogniser *is_content; /* NULL: by name only */
	const char *endings[4];	       /* of file names, with the dot; unused ones are NULL */
	clpac__reader *read;
} clpac__format;

enum { CLPAC__HEAD_BYTES = 512 };

/* The format by content, else by name; NULL: none fits.
 * @param[out] is_by_content the content is that of the format. */
const clpac__format *clpac__format_find(const unsigned char *head, size_t n, const char *path, bool *is_by_content);

/* Refuses a file of another format with CLPAC_ERROR_FORMAT, and says how to convert it.
 * @param head its first n bytes.  @param is_unknown no format is known by its content. */
clpac_status clpac__foreign_refuse(const unsigned char *head, size_t n, const char *path, bool is_unknown,
				   clpac_error *err);

enum { CLPAC__MOST_FILES = 3 };
/* The files of a BrainVision recording, whichever of them the source is: header, samples, markers (NULL: none).
 * @param[out] paths to be freed with clpac__free, also after an error. */
clpac_status clpac__brainvision_files(clpac__source *source, char *paths[CLPAC__MOST_FILES], clpac_error *err);

/* The files of a recording that is read with these options, as they are opened; a single one is the first.
 * @param given nullable.  @param paths all NULL; to be cleared in any case. */
clpac_status clpac__recording_files(const char *path, const clpac_read_options *given, char *paths[CLPAC__MOST_FILES],
				    clpac_error *err);
void clpac__recording_files_clear(char *paths[CLPAC__MOST_FILES]);

/* The samples (.fdt) that belong to a data set of EEGLAB, to be freed with clpac__free; NULL: they are in it.
 * @param source a file of MATLAB.
 * Errors: CLPAC_ERROR_IO where they are missing, and those of reading. */
clpac_status clpac__eeglab_samples(clpac__source *source, char **out, clpac_error *err);

clpac__reader clpac__read_brainvision;
clpac__reader clpac__read_csv;
clpac__reader clpac__read_edf;
clpac__reader clpac__read_hdf5;
clpac__reader clpac__read_mat;
clpac__reader clpac__read_npy;
clpac__reader clpac__read_npz;
clpac__reader clpac__read_raw;

#endif
