/* Files of MATLAB 7.3 and of Neurodata Without Borders: numbers of each type, in one piece and in chunks through each
 * filter; what their names, rates, scales and times become; and a refusal by name of what is wrong or not read.
 * tests/flow/readers.py compares with h5py, whose files have headers and tables of version 1, too. */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "hdf5_bytes.h"
#include "read_files.h"
#include "base/memory.h"
#include "recording/read/hdf5.h"

enum { CHANNELS = 3, SAMPLES = 50, TRIALS = 4 };

FIXTURE(files_begin, files_end);

/* Whole numbers from 0 to 100, which every type holds. */
static double value_of(size_t channel, size_t i)
{
	return (double)((channel * 37 + i * 31) % 101);
}

/* A number as the type keeps it. */
static void put(unsigned char *to, hdf5_type type, double value)
{
	unsigned char plain[8];
	const float single = (float)value;
	const uint64_t whole = (uint64_t)(int64_t)value;
	if (type.kind == 'f' && type.bytes == 8)
		memcpy(plain, &value, 8);
	else if (type.kind == 'f')
		memcpy(plain, &single, 4);
	else
		memcpy(plain, &whole, 8);
	for (size_t i = 0; i < type.bytes; i++)
		to[i] = plain[type.is_big_endian ? type.bytes - 1 - i : i];
}

/* Samples with the channels side by side. */
static unsigned char *samples_of(hdf5_type type, size_t n_channels, size_t n_samples)
{
	unsigned char *made = malloc(n_channels * n_samples * type.bytes);
	ck_assert_ptr_nonnull(made);
	for (size_t i = 0; i < n_samples; i++)
		for (size_t c = 0; c < n_channels; c++)
			put(made + (i * n_channels + c) * type.bytes, type, value_of(c, i));
	return made;
}

static void check_samples(const clpac_recording *r, size_t n_channels, size_t n_samples, double scale, double offset)
{
	ck_assert_uint_eq(clpac_recording_n_channels(r), n_channels);
	for (size_t c = 0; c < n_channels; c++) {
		ck_assert_uint_eq(clpac_recording_channel(r, c)->n_samples, n_samples);
		for (size_t i = 0; i < n_samples; i++)
			ck_assert_double_eq(files_sample(r, c, i), value_of(c, i) * scale + offset);
	}
}

static const char *finish(hdf5_file *file, uint64_t root, const char *name)
{
	hdf5_end(file, root);
	const char *path = files_write(name, file->all.data, file->all.n);
	bytes_free(&file->all);
	return path;
}

/* --- MATLAB ------------------------------------------------------------------------------------- */

/* A file of the array x, of fs and of labels. */
static const char *write_matlab(hdf5_array array, const char *const *labels, size_t n_labels)
{
	static const char *const names[] = {"x", "fs", "labels", "#refs#"};
	hdf5_file file;
	const double rate = 250;
	unsigned char references[8 * CHANNELS];
	uint64_t letters[CHANNELS], members[4];
	hdf5_begin(&file, true);
	members[0] = hdf5_write_array(&file, &array);
	const hdf5_array fs = hdf5_variable((hdf5_type){'f', 8, false}, "double", 1, 1, &rate);
	members[1] = hdf5_write_array(&file, &fs);
	for (size_t i = 0; i < n_labels; i++) {
		letters[i] = hdf5_write_letters(&file, labels[i]);
		put(references + 8 * i, (hdf5_type){'u', 8, false}, (double)letters[i]);
	}
	if (n_labels) {
		const hdf5_array cell = hdf5_variable((hdf5_type){'r', 8, false}, "cell", n_labels, 1, references);
		members[2] = hdf5_write_array(&file, &cell);
		members[3] = hdf5_write_group(&file, n_labels, labels, letters, NULL, 0);
	}
	return finish(&file, hdf5_write_group(&file, n_labels ? 4 : 2, names, members, NULL, 0), "made.mat");
}

static const struct {
	hdf5_type type;
	const char *class;
} types[] = {{{'f', 8, false}, "double"}, {{'f', 4, false}, "single"}, {{'f', 8, true}, "double"},
	     {{'f', 4, true}, "single"},  {{'i', 1, false}, "int8"},   {{'u', 1, false}, "uint8"},
	     {{'i', 2, false}, "int16"},  {{'u', 2, true}, "uint16"},  {{'i', 4, true}, "int32"},
	     {{'u', 4, false}, "uint32"}, {{'i', 8, false}, "int64"},  {{'u', 8, false}, "uint64"}};

/* Arrays in one piece; in chunks that end within the array, at its end and behind it; through each filter. */
static const hdf5_array ways[] = {{.chunk = {0}},
				  {.chunk = {7, 2}},
				  {.chunk = {SAMPLES, CHANNELS}, .is_packed = true},
				  {.chunk = {16, 1}, .is_shuffled = true, .is_packed = true},
				  {.chunk = {60, 5}, .is_shuffled = true, .is_packed = true, .is_summed = true},
				  {.chunk = {7, 2}, .is_summed = true}};

TEST_EACH(numbers_of_each_type_are_read_through_each_filter, COUNT(types) * COUNT(ways))
{
	static const char *const labels[] = {"Fz", "Cz", "Pz"};
	const size_t t = (size_t)_i / COUNT(ways);
	unsigned char *samples = samples_of(types[t].type, CHANNELS, SAMPLES);
	hdf5_array array = ways[(size_t)_i % COUNT(ways)];
	array.type = types[t].type;
	array.n_dimensions = 2;
	array.dimensions[0] = SAMPLES;
	array.dimensions[1] = CHANNELS;
	array.elements = samples;
	array.attributes[0] = (hdf5_attribute){"MATLAB_class", types[t].class, 0};
	clpac_recording *r = files_read(write_matlab(array, labels, CHANNELS), NULL);
	check_samples(r, CHANNELS, SAMPLES, 1, 0);
	for (size_t c = 0; c < CHANNELS; c++) {
		ck_assert_str_eq(clpac_recording_channel(r, c)->name, labels[c]);
		ck_assert_double_eq(clpac_recording_channel(r, c)->rate_hz, 250);
	}
	clpac_recording_destroy(r);
	free(samples);
}

/* channel x sample x trial: the trials are one after the other. */
TEST_EACH(trials_are_segments, 2)
{
	const hdf5_type type = {'f', 4, false};
	unsigned char *samples = samples_of(type, CHANNELS, TRIALS * SAMPLES);
	const hdf5_array array = {.type = type,
				  .n_dimensions = 3,
				  .dimensions = {TRIALS, SAMPLES, CHANNELS},
				  .elements = samples,
				  .chunk = {_i ? 3u : 0u, 7, 2},
				  .is_packed = _i,
				  .attributes = {{"MATLAB_class", "single", 0}}};
	clpac_recording *r = files_read(write_matlab(array, NULL, 0), NULL);
	check_samples(r, CHANNELS, TRIALS * SAMPLES, 1, 0);
	ck_assert_uint_eq(clpac_recording_n_stretches(r), TRIALS);
	clpac_recording_destroy(r);
	free(samples);
}

TEST(rows_and_columns_of_one_are_a_channel)
{
	const hdf5_type type = {'f', 8, false};
	unsigned char *samples = samples_of(type, 1, SAMPLES);
	for (int is_row = 0; is_row < 2; is_row++) {
		const hdf5_array array =
			hdf5_variable(type, "double", is_row ? 1 : SAMPLES, is_row ? SAMPLES : 1, samples);
		clpac_recording *r = files_read(write_matlab(array, NULL, 0), NULL);
		check_samples(r, 1, SAMPLES, 1, 0);
		clpac_recording_destroy(r);
	}
	free(samples);
}

/* --- Neurodata Without Borders ------------------------------------------------------------------ */

typedef struct nwb {
	hdf5_array data;  /* of int16 or what it says, sample x channel */
	const char *type; /* of the series; NULL: ElectricalSeries */
	bool has_rate, has_times, has_factors, has_names;
	double rate, jitter; /* of one timestamp */
	size_t n_series, n_times;
	const char *folder; /* NULL: acquisition */
	double conversion, offset;
} nwb;

static nwb good(void)
{
	return (nwb){.data = {.type = {'i', 2, false}, .n_dimensions = 2, .dimensions = {SAMPLES, CHANNELS}},
		     .has_rate = true,
		     .rate = 1000,
		     .n_series = 1,
		     .n_times = SAMPLES,
		     .conversion = 0.5,
		     .offset = 3};
}

static uint64_t write_numbers(hdf5_file *to, hdf5_type type, size_t n, const double *numbers,
			      const hdf5_attribute *with)
{
	unsigned char *elements = malloc(8 * n + 1);
	ck_assert_ptr_nonnull(elements);
	for (size_t i = 0; i < n; i++)
		put(elements + type.bytes * i, type, numbers[i]);
	hdf5_array array = {.type = type, .n_dimensions = 1, .dimensions = {n}, .elements = elements};
	if (with)
		array.attributes[0] = *with;
	const uint64_t address = hdf5_write_array(to, &array);
	free(elements);
	return address;
}

static uint64_t write_series(hdf5_file *to, const nwb *from)
{
	const char *names[6];
	uint64_t members[6];
	size_t n = 0;
	const hdf5_type real = {'f', 8, false};
	unsigned char *samples = samples_of(from->data.type, CHANNELS, 2 * SAMPLES);
	hdf5_array data = from->data;
	data.elements = samples;
	data.attributes[0] = (hdf5_attribute){"unit", "volts", 0};
	data.attributes[1] = (hdf5_attribute){"conversion", NULL, from->conversion};
	data.attributes[2] = (hdf5_attribute){"offset", NULL, from->offset};
	names[n] = "data", members[n++] = hdf5_write_array(to, &data);
	if (from->has_rate) {
		const hdf5_attribute rate = {"rate", NULL, from->rate};
		names[n] = "starting_time", members[n++] = write_numbers(to, real, 1, (const double[]){2.5}, &rate);
	}
	if (from->has_times) {
		double times[SAMPLES];
		for (size_t i = 0; i < SAMPLES; i++)
			times[i] = 7 + (double)i / 250 + (i == 20 ? from->jitter : 0);
		names[n] = "timestamps", members[n++] = write_numbers(to, real, from->n_times, times, NULL);
	}
	if (from->has_factors)
		names[n] = "channel_conversion",
		members[n++] = write_numbers(to, real, CHANNELS, (const double[]){1, 2, 4}, NULL);
	if (from->has_names)
		names[n] = "electrodes",
		members[n++] = write_numbers(to, (hdf5_type){'i', 8, false}, CHANNELS, (const double[]){2, 0, 1}, NULL);
	free(samples);
	const hdf5_attribute type = {"neurodata_type", from->type ? from->type : "ElectricalSeries", 0};
	return hdf5_write_group(to, n, names, members, &type, 1);
}

static const char *write_nwb(const nwb *from)
{
	static const char *const labels[] = {"A1", "A2", "A3"}, *const series[] = {"ES", "LFP"};
	const char *names[2] = {from->folder ? from->folder : "acquisition", "general"};
	uint64_t members[2];
	hdf5_file file;
	unsigned char texts[16 * CHANNELS];
	hdf5_begin(&file, false);
	const uint64_t each = write_series(&file, from);
	members[0] = hdf5_write_group(&file, from->n_series, series, (const uint64_t[]){each, each}, NULL, 0);
	hdf5_write_texts(&file, CHANNELS, labels, texts);
	const hdf5_array column = {
		.type = {'v', 16, false}, .n_dimensions = 1, .dimensions = {CHANNELS}, .elements = texts};
	uint64_t below = hdf5_write_array(&file, &column);
	static const char *const path[] = {"label", "electrodes", "extracellular_ephys"};
	for (size_t i = 0; i < COUNT(path); i++)
		below = hdf5_write_group(&file, 1, &path[i], &below, NULL, 0);
	members[1] = below;
	const hdf5_attribute version = {"nwb_version", "2.7.0", 0};
	return finish(&file, hdf5_write_group(&file, 2, names, members, &version, 1), "made.nwb");
}

TEST_EACH(a_series_has_its_scale_unit_rate_and_names, 2)
{
	static const char *const names[] = {"A3", "A1", "A2"};
	nwb from = good();
	from.has_names = true;
	if (_i) {
		from.data.chunk[0] = 16;
		from.data.chunk[1] = 2;
		from.data.is_packed = true;
	}
	clpac_recording *r = files_read(write_nwb(&from), NULL);
	check_samples(r, CHANNELS, SAMPLES, 0.5, 3);
	for (size_t c = 0; c < CHANNELS; c++) {
		ck_assert_str_eq(clpac_recording_channel(r, c)->name, names[c]);
		ck_assert_str_eq(clpac_recording_channel(r, c)->unit, "V");
		ck_assert_double_eq(clpac_recording_channel(r, c)->rate_hz, 1000);
	}
	clpac_recording_destroy(r);
}

TEST(channels_have_factors_of_their_own)
{
	nwb from = good();
	from.has_factors = true;
	clpac_recording *r = files_read(write_nwb(&from), NULL);
	for (size_t c = 0; c < CHANNELS; c++)
		ck_assert_double_eq(files_sample(r, c, 9), value_of(c, 9) * 0.5 * (double)(1u << c) + 3);
	clpac_recording_destroy(r);
}

TEST(even_times_are_a_rate)
{
	nwb from = good();
	from.has_rate = false;
	from.has_times = true;
	clpac_recording *r = files_read(write_nwb(&from), NULL);
	ck_assert_double_eq(clpac_recording_channel(r, 0)->rate_hz, 250);
	clpac_recording_destroy(r);
}

TEST(a_series_is_named_by_its_name_or_path)
{
	nwb from = good();
	from.n_series = 2;
	const char *path = write_nwb(&from);
	clpac_recording_destroy(files_read(path, &(clpac_read_options){.array = "LFP"}));
	from.folder = "processing";
	path = write_nwb(&from);
	clpac_recording_destroy(files_read(path, &(clpac_read_options){.array = "/processing/ES"}));
	files_refuse(path, &(clpac_read_options){.array = "processing/none"}, CLPAC_ERROR_ARGUMENT,
		     "holds nothing at \"processing/none\"");
	files_refuse(path, NULL, CLPAC_ERROR_FORMAT, "holds no ElectricalSeries in /acquisition");
}

/* --- Refusals ----------------------------------------------------------------------------------- */

TEST(series_that_cannot_be_read_are_refused_by_name)
{
	nwb from = good();
	from.n_series = 2;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_ARGUMENT,
		     "2 ElectricalSeries in /acquisition: give one as the array, ES, LFP");
	files_refuse(write_nwb(&from), &(clpac_read_options){.array = "MUA"}, CLPAC_ERROR_ARGUMENT,
		     "no ElectricalSeries \"MUA\" in /acquisition: it has ES, LFP");
	from = good();
	from.type = "TimeSeries";
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "holds no ElectricalSeries in /acquisition");
	from = good();
	from.rate = 0;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "the rate of its series is 0 Hz");
	from = good();
	from.has_rate = false;
	from.has_times = true;
	from.jitter = 0.001;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "samples at uneven times are not read");
	from.jitter = 0;
	from.n_times = SAMPLES - 1;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "49 timestamps are no times of 50 samples");
	from = good();
	from.conversion = INFINITY;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "they must be finite");
	from = good();
	from.has_factors = true;
	from.data.dimensions[1] = CHANNELS - 1;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "channel_conversion has 3 numbers for 2 channels");
	from = good();
	from.data.n_dimensions = 3;
	from.data.dimensions[0] = 2;
	from.data.dimensions[1] = 5;
	from.data.dimensions[2] = 2;
	files_refuse(write_nwb(&from), NULL, CLPAC_ERROR_FORMAT, "no data of real numbers, sample x channel");
}

TEST(arrays_that_cannot_be_read_are_refused_by_name)
{
	const hdf5_type type = {'f', 8, false};
	unsigned char *samples = samples_of(type, CHANNELS, SAMPLES);
	const hdf5_array whole = hdf5_variable(type, "double", CHANNELS, SAMPLES, samples);
	hdf5_array array = whole;
	array.chunk[0] = array.chunk[1] = 8;
	array.filter = 32001;
	files_refuse(write_matlab(array, NULL, 0), NULL, CLPAC_ERROR_FORMAT, "has an array packed by filter 32001");
	array = whole;
	array.n_dimensions = 4;
	array.dimensions[2] = array.dimensions[3] = 1;
	files_refuse(write_matlab(array, NULL, 0), NULL, CLPAC_ERROR_FORMAT,
		     "no real numbers of two or three dimensions");
	array = whole;
	array.n_dimensions = 1;
	files_refuse(write_matlab(array, NULL, 0), NULL, CLPAC_ERROR_FORMAT,
		     "no real numbers of two or three dimensions");
	array = whole;
	array.attributes[0].text = "cell";
	files_refuse(write_matlab(array, NULL, 0), NULL, CLPAC_ERROR_FORMAT, "holds no array of numbers");
	free(samples);
}

/* What a file claims is checked against its bytes: each field is changed to what it must not be. */
TEST(damage_is_named)
{
	const hdf5_type type = {'f', 8, false};
	unsigned char *samples = samples_of(type, CHANNELS, SAMPLES);
	hdf5_array array = hdf5_variable(type, "double", CHANNELS, SAMPLES, samples);
	array.chunk[0] = 16;
	array.chunk[1] = 2;
	array.is_packed = array.is_summed = true;
	bytes file = files_content(write_matlab(array, NULL, 0));
	static const struct {
		const char *of; /* letters before the field */
		size_t at;	/* behind their beginning */
		size_t n;
		uint64_t value;
		const char *text;
	} damages[] = {
		{"\x89HDF\r\n", 8, 1, 9, "is of version 9 of HDF5's files"},
		{"\x89HDF\r\n", 9, 1, 4, "has addresses of 4 bytes"},
		{"\x89HDF\r\n", 36, 8, 1u << 30, "it is damaged or cut short"},
		{"\x89HDF\r\n", 36, 8, 0, "no object stands at byte 0"},
		{"TREE", 4, 1, 0, "the tree of an array's chunks cannot be read"},
		{"TREE", 5, 1, 1, "it is damaged"},
		{"TREE", 6, 2, 1, "a part of an array was never written"},
		{"TREE", 6, 2, 65535, "it is damaged"},
		{"TREE", 24, 4, 0x7fffffff, "a chunk of an array claims"},
		{"TREE", 24, 4, 1, "it is damaged"},
		{"TREE", 32, 8, 5, "the tree of an array's chunks cannot be read"},
		{"TREE", 56, 8, 600, "it is damaged"},
		{"TREE", 56, 8, UINT64_MAX, "it is"},
		/* Chunks of one dimension, of an array of two. */
		{"\3\2\3", 2, 1, 2, "the tree of an array's chunks cannot be read"},
	};
	for (size_t i = 0; i < COUNT(damages); i++) {
		const size_t n_letters = strlen(damages[i].of);
		size_t at = 0;
		while (memcmp(file.data + at, damages[i].of, n_letters) != 0)
			ck_assert_uint_lt(++at, file.n - n_letters);
		unsigned char before[8];
		at += damages[i].at;
		memcpy(before, file.data + at, damages[i].n);
		for (size_t k = 0; k < damages[i].n; k++)
			file.data[at + k] = (unsigned char)(damages[i].value >> 8 * k);
		files_refuse(files_write("damaged.mat", file.data, file.n), NULL, CLPAC_ERROR_FORMAT, damages[i].text);
		memcpy(file.data + at, before, damages[i].n);
	}
	clpac_recording_destroy(files_read(files_write("damaged.mat", file.data, file.n), NULL));
	/* The first chunk begins behind the head: its checksum, and, without one, what deflate makes of it. */
	file.data[512 + 48 + 20] ^= 1;
	files_refuse(files_write("damaged.mat", file.data, file.n), NULL, CLPAC_ERROR_FORMAT,
		     "the checksum of a chunk of an array is wrong");
	bytes_free(&file);
	array.is_summed = false;
	file = files_content(write_matlab(array, NULL, 0));
	memset(file.data + 512 + 48, 0xff, 20);
	files_refuse(files_write("damaged.mat", file.data, file.n), NULL, CLPAC_ERROR_FORMAT,
		     "a chunk of an array cannot be unpacked");
	bytes_free(&file);
	free(samples);
}

/* A group that is a member of itself, and a header that goes on in itself, end with an error or are not followed. */
TEST(circles_end)
{
	hdf5_file file;
	static const char *const names[] = {"acquisition"};
	const hdf5_attribute version = {"nwb_version", "2.7.0", 0};
	hdf5_begin(&file, false);
	const uint64_t own = file.all.n;
	const uint64_t root = hdf5_write_group(&file, 1, names, &own, &version, 1);
	ck_assert_uint_eq(root, own);
	files_refuse(finish(&file, root, "made.nwb"), NULL, CLPAC_ERROR_FORMAT, "holds no ElectricalSeries");

	hdf5_begin(&file, false);
	const uint64_t at = file.all.n;
	/* OCHK: a message that names the part in which it stands. */
	bytes_add(&file.all, "OCHK\x10\x10\0\0", 8);
	bytes_add_number(&file.all, at, 8, 0);
	bytes_add_number(&file.all, 28, 8, 0);
	bytes_add_number(&file.all, 0, 4, 0);
	const uint64_t head = file.all.n;
	bytes_add(&file.all, "OHDR\2\0\x14\x10\x10\0\0", 11);
	bytes_add_number(&file.all, at, 8, 0);
	bytes_add_number(&file.all, 28, 8, 0);
	bytes_add_number(&file.all, 0, 4, 0);
	files_refuse(finish(&file, head, "made.nwb"), NULL, CLPAC_ERROR_FORMAT, "has more than 256 parts");
}

static void add_zeros(bytes *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes_add_number(to, 0, 1, 0);
}

/* Appends a tree of five levels, each with one node, whose children are all the node below.  A key is of zeros. */
static uint64_t add_tree(bytes *to, unsigned kind, size_t key_bytes, size_t n_lowest, uint64_t child)
{
	enum { LEVELS = 5, CHILDREN = 100 };
	for (unsigned level = 0; level < LEVELS; level++) {
		const size_t n = level ? CHILDREN : n_lowest, address = to->n;
		bytes_add(to, "TREE", 4);
		bytes_add_number(to, kind, 1, 0);
		bytes_add_number(to, level, 1, 0);
		bytes_add_number(to, n, 2, 0);
		add_zeros(to, 16);
		for (size_t i = 0; i < n; i++) {
			add_zeros(to, key_bytes);
			bytes_add_number(to, child, 8, 0);
		}
		child = address;
	}
	return child;
}

/* Appends a group whose tree leads to one table of n members again and again, all of one name. */
static uint64_t add_group(bytes *to, size_t n, size_t n_letters)
{
	const uint64_t name = to->n;
	for (size_t i = 0; i < n_letters; i++)
		bytes_add(to, "a", 1);
	add_zeros(to, 8);
	const uint64_t heap = to->n;
	bytes_add(to, "HEAP\0\0\0\0", 8);
	bytes_add_number(to, heap - name, 8, 0);
	bytes_add_number(to, 0, 8, 0);
	bytes_add_number(to, name, 8, 0);
	const uint64_t table = to->n;
	bytes_add(to, "SNOD\1\0", 6);
	bytes_add_number(to, n, 2, 0);
	add_zeros(to, 40 * n);
	const uint64_t tree = add_tree(to, 0, 8, 100, table), root = to->n;
	bytes_add(to, "\1\0\1\0\1\0\0\0\x18\0\0\0\0\0\0\0\x11\0\x10\0\0\0\0\0", 24);
	bytes_add_number(to, tree, 8, 0);
	bytes_add_number(to, heap, 8, 0);
	return root;
}

/* Cuts a file to 64 MiB, nearly all of them a hole, and opens it. */
static void open_long(hdf5_file *file, uint64_t root, clpac__source *source, clpac__hdf5 **out)
{
	clpac_error err = {0};
	const char *path = finish(file, root, "circles.h5");
	ck_assert_int_eq(truncate(path, 1 << 26), 0);
	OK(clpac__source_open(path, source, &err));
	OK(clpac__hdf5_open(source, out, &err));
}

/* A tree in circles is damaged, and was found to be so at once, however long the file is. */
static void check_circle(clpac_status st, const clpac_error *err, const char *text, clpac__hdf5 *h5,
			 clpac__source *source)
{
	enum { MOST_LOOKS = 300000 };
	ck_assert_int_eq(st, CLPAC_ERROR_FORMAT);
	ck_assert_uint_lt(h5->n_spent, MOST_LOOKS);
	ck_assert_ptr_nonnull(strstr(err->text, text));
	clpac__free(h5);
	clpac__source_close(source);
}

static clpac_status take_nothing(void *user, clpac__hdf5 *h5, const char *name, uint64_t address, clpac_error *err)
{
	(void)user, (void)h5, (void)name, (void)address, (void)err;
	return CLPAC_OK;
}

static const struct {
	size_t n_members, n_letters;
} circles[] = {{100, 1}, {0, 1}, {100, CLPAC__HDF5_NAME_SIZE}};

TEST_EACH(a_group_in_circles_is_refused_at_once, COUNT(circles))
{
	hdf5_file file;
	clpac__source source;
	clpac__hdf5 *h5;
	clpac__hdf5_object group;
	clpac_error err = {0};
	hdf5_begin(&file, false);
	const uint64_t root = add_group(&file.all, circles[_i].n_members, circles[_i].n_letters);
	open_long(&file, root, &source, &h5);
	OK(clpac__hdf5_object_read(h5, root, &group, &err));
	const clpac_status st = clpac__hdf5_each(h5, &group, take_nothing, NULL, &err);
	check_circle(st, &err, "the tree of a group cannot be read", h5, &source);
}

/* 100 chunks in the lowest node, all of one place, or none. */
TEST_EACH(chunks_in_circles_are_refused_at_once, 2)
{
	hdf5_file file;
	clpac__source source;
	clpac__hdf5 *h5;
	clpac__hdf5_object array = {.type = {CLPAC__HDF5_NUMBERS, 1, clpac__encoding_find("i1"), false},
				    .space = {2, true, {1000, 1000}, 1000000},
				    .is_chunked = true,
				    .chunk = {10, 10}};
	clpac_error err = {0};
	double *numbers = NULL;
	hdf5_begin(&file, false);
	array.at = add_tree(&file.all, 1, 8 + 8 * 3, _i ? 0 : 100, 48);
	open_long(&file, 0, &source, &h5);
	const clpac_status st = clpac__hdf5_numbers_read(h5, &array, &numbers, &err);
	check_circle(st, &err, "the tree of an array's chunks cannot be read", h5, &source);
}

/* A header of 15 MB of zeros, which are messages of nothing. */
TEST(a_header_without_end_is_refused)
{
	hdf5_file file;
	clpac__source source;
	clpac__hdf5 *h5;
	clpac__hdf5_object object;
	clpac_error err = {0};
	hdf5_begin(&file, false);
	const uint64_t root = file.all.n;
	bytes_add(&file.all, "OHDR\2\2\0\0\xf0\0", 10);
	open_long(&file, root, &source, &h5);
	const clpac_status st = clpac__hdf5_object_read(h5, root, &object, &err);
	check_circle(st, &err, "the header of an object has more than", h5, &source);
}

/* An object that a file names again and again, each time as it should be, ends as well: here 190 000 messages. */
TEST(parts_are_not_looked_at_without_end)
{
	enum { LOOKS = 17000000 };
	hdf5_file file;
	clpac__source source;
	clpac__hdf5 *h5;
	clpac__hdf5_object object;
	clpac_error err = {0};
	clpac_status st = CLPAC_OK;
	hdf5_begin(&file, false);
	const uint64_t root = file.all.n;
	bytes_add(&file.all, "OHDR\2\2", 6);
	bytes_add_number(&file.all, 4 * 190000, 4, 0);
	open_long(&file, root, &source, &h5);
	while (st == CLPAC_OK && h5->n_spent < LOOKS)
		st = clpac__hdf5_object_read(h5, root, &object, &err);
	ck_assert_int_eq(st, CLPAC_ERROR_FORMAT);
	ck_assert_ptr_nonnull(strstr(err.text, "more than any file"));
	clpac__free(h5);
	clpac__source_close(&source);
}

TEST(hdf5_of_other_programs_is_told_apart)
{
	hdf5_file file;
	static const char *const names[] = {"x"};
	hdf5_begin(&file, false);
	const hdf5_attribute octave = {"OCTAVE_NEW_FORMAT", NULL, 1};
	const uint64_t member = hdf5_write_group(&file, 0, NULL, NULL, &octave, 1);
	files_refuse(finish(&file, hdf5_write_group(&file, 1, names, &member, NULL, 0), "made.mat"), NULL,
		     CLPAC_ERROR_FORMAT, "GNU Octave's save -hdf5");
	hdf5_begin(&file, false);
	const uint64_t other = hdf5_write_group(&file, 0, NULL, NULL, NULL, 0);
	files_refuse(finish(&file, hdf5_write_group(&file, 1, names, &other, NULL, 0), "made.h5"), NULL,
		     CLPAC_ERROR_FORMAT, "is HDF5, which is not read as a recording");
}
