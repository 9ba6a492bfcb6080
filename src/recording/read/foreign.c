/* Files of other formats, which are named with the line that converts them. */
#include "recording/read/samples.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"

/* How a kind is brought to one that is read.  %s stands for the file. */
#define BY_MNE                                                                                                         \
	"python3 -c \"import mne; mne.io.read_raw('%s').export('x.edf')\" makes x.edf of it (pip install mne edfio)"
#define BY_NEO(reader)                                                                                                 \
	"python3 -c \"import neo, numpy; numpy.save('x.npy', neo.io." reader                                           \
	"('%s').read_segment().analogsignals[0].magnitude.T)\" makes x.npy of it (pip install neo), to be read with "  \
	"--rate"
#define BY_H5PY                                                                                                        \
	"python3 -c \"import h5py, numpy; numpy.save('x.npy', h5py.File('%s')['NAME'])\" makes x.npy of its array "    \
	"NAME, "                                                                                                       \
	"to be read with --rate; h5ls -r lists the names"
#define BY_UNPACKING(program) program " unpacks it"
#define BY_PANDAS(reader)                                                                                              \
	"python3 -c \"import pandas; pandas." reader "('%s').to_csv('x.csv', index=False)\" makes x.csv of it"
#define BY_ICONV(code) "iconv -f " code " -t UTF-8 '%s' >x.csv makes x.csv of it"

/* By the first bytes, which decide, or by the name, where the content is of no kind that is read.  Of two rows that
 * suit the first counts. */
static const struct {
	const char *magic; /* NULL: by name alone */
	size_t n_magic;
	const char *ending; /* NULL: any name */
	const char *kind, *remedy;
} kinds[] = {
#define STARTS(text) text, sizeof(text) - 1
	{NULL, 0, "_events.tsv", "a table of events (BIDS)", "name the recording, beside which it is read"},
	{NULL, 0, "_channels.tsv", "a table of channels (BIDS)", "name the recording, beside which it is read"},
	{STARTS("MATLAB 7.3"), ".set", "EEGLAB's data set", BY_MNE},
	{STARTS("\x89HDF\r\n\x1a\n"), ".set", "EEGLAB's data set", BY_MNE},
	{STARTS("\x89HDF\r\n\x1a\n"), NULL, "HDF5", BY_H5PY},
	{STARTS("\0\0\0\x64\0\0\0\x1f"), NULL, "MNE's and MEGIN's data (FIF)", BY_MNE},
	{STARTS("GDF 1"), NULL, "GDF", BY_MNE},
	{STARTS("GDF 2"), NULL, "GDF", BY_MNE},
	{STARTS("######## Neuralynx"), NULL, "Neuralynx's data",
	 "python3 -c \"import mne; mne.io.read_raw_neuralynx('FOLDER').export('x.edf')\" makes x.edf of the folder "
	 "with it (pip "
	 "install mne neo edfio)"},
	{STARTS("\x02\x27\x91\xc6"), NULL, "Intan's data (RHD)", BY_NEO("IntanIO")},
	{STARTS("\xac\x27\x91\xd6"), NULL, "Intan's data (RHS)", BY_NEO("IntanIO")},
	{STARTS("NEURALSG"), NULL, "Blackrock's data", BY_NEO("BlackrockIO")},
	{STARTS("NEURALCD"), NULL, "Blackrock's data", BY_NEO("BlackrockIO")},
	{STARTS("BRSMPGRP"), NULL, "Blackrock's data", BY_NEO("BlackrockIO")},
	{STARTS("* MICROMED"), NULL, "Micromed's data", BY_NEO("MicromedIO")},
	{STARTS("EEG-"), ".eeg", "Nihon Kohden's data", BY_MNE},
	{STARTS("Version 3.0"), ".cnt", "Neuroscan's data (CNT)", BY_MNE},
	{STARTS("RIFF"), ".cnt", "ANT's data (CNT)", BY_MNE},
	{STARTS("XDF:"), NULL, "Lab Streaming Layer's data (XDF)",
	 "python3 -c \"import pyxdf, numpy; numpy.save('x.npy', pyxdf.load_xdf('%s')[0][0]['time_series'].T)\" makes "
	 "x.npy of its "
	 "first stream, to be read with --rate (pip install pyxdf)"},
	{STARTS("\x1f\x8b\x08"), NULL, "compressed (gzip)", BY_UNPACKING("gunzip -k '%s'")},
	{STARTS("BZh"), ".bz2", "compressed (bzip2)", BY_UNPACKING("bunzip2 -k '%s'")},
	{STARTS("\xfd\x37zXZ"), NULL, "compressed (xz)", BY_UNPACKING("unxz -k '%s'")},
	{STARTS("\x28\xb5\x2f\xfd"), NULL, "compressed (zstd)", BY_UNPACKING("unzstd '%s'")},
	{STARTS("7z\xbc\xaf"), NULL, "an archive (7z)", BY_UNPACKING("7z x '%s'")},
	{STARTS("PK\3\4"), ".xlsx", "a workbook (Excel)", BY_PANDAS("read_excel")},
	{STARTS("PK\3\4"), ".ods", "a workbook (OpenDocument)", BY_PANDAS("read_excel")},
	{STARTS("\xd0\xcf\x11\xe0"), NULL, "a document of Microsoft Office", BY_PANDAS("read_excel")},
	{STARTS("PAR1"), NULL, "Parquet", BY_PANDAS("read_parquet")},
	{STARTS("ARROW1"), NULL, "Feather", BY_PANDAS("read_feather")},
	{STARTS("\xff\xfe"), NULL, "text in UTF-16", BY_ICONV("UTF-16")},
	{STARTS("\xfe\xff"), NULL, "text in UTF-16", BY_ICONV("UTF-16")},
	{STARTS("{"), ".json", "a description (JSON)", "name the file with the samples"},
#undef STARTS
	{NULL, 0, ".fdt", "the samples of an EEGLAB data set", "name the .set beside it"},
	{NULL, 0, ".smr", "Spike2's data", BY_NEO("CedIO")},
	{NULL, 0, ".smrx", "Spike2's data", BY_NEO("CedIO")},
	{NULL, 0, ".cnt", "Neuroscan's or ANT's data (CNT)", BY_MNE},
	{NULL, 0, ".set", "EEGLAB's data set", BY_MNE},
	{NULL, 0, ".mat", "MATLAB's data (4 or unknown)",
	 "in MATLAB, writematrix(NAME', 'x.csv') makes x.csv of its array NAME, channel by sample"},
	{NULL, 0, ".mff", "EGI's recording (MFF)", BY_MNE},
	{NULL, 0, ".egi", "EGI's data (simple binary)",
	 "python3 -c \"import mne; mne.io.read_raw_egi('%s').export('x.edf')\" makes x.edf of it (pip install mne "
	 "edfio)"},
	{NULL, 0, ".ds", "CTF's recording", BY_MNE},
	{NULL, 0, ".lay", "Persyst's data", BY_MNE},
	{NULL, 0, ".plx", "Plexon's data", BY_NEO("PlexonIO")},
};

/* The row of a file; SIZE_MAX: none.  A table of BIDS is told by its name whatever it holds.
 * @param is_unknown the content is of no kind that is read. */
static size_t find(const unsigned char *head, size_t n, const char *path, bool is_unknown)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const bool is_table = !kinds[i].magic && kinds[i].ending[0] == '_';
		/* Samples of BrainVision may be any few bytes. */
		if (kinds[i].n_magic && kinds[i].n_magic < 4 && clpac__ends_with(path, ".eeg"))
			continue;
		if (kinds[i].magic ? n >= kinds[i].n_magic && memcmp(head, kinds[i].magic, kinds[i].n_magic) == 0
				   : is_unknown || is_table)
			if (!kinds[i].ending || clpac__ends_with(path, kinds[i].ending))
				return i;
	}
	return SIZE_MAX;
}

clpac_status clpac__foreign_refuse(const unsigned char *head, size_t n, const char *path, bool is_unknown,
				   clpac_error *err)
{
	const size_t i = find(head, n, path, is_unknown);
	char remedy[700];
	if (i == SIZE_MAX)
		return CLPAC_OK;
	/* A name that a shell would take apart, or a long one, is left to the reader. */
	const char *name = strlen(path) < 300 && !strpbrk(path, "'\"\\$`!") ? path : "FILE",
		   *at = strstr(kinds[i].remedy, "%s");
	if (at)
		snprintf(remedy, sizeof remedy, "%.*s%s%s", (int)(at - kinds[i].remedy), kinds[i].remedy, name, at + 2);
	else
		snprintf(remedy, sizeof remedy, "%s", kinds[i].remedy);
	RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s is %s, which is not read as a recording: %s", path, kinds[i].kind, remedy);
}
