# bids.sh - sourced behind tool.sh by the tests of clpac bids: makes a dataset `ds` of three subjects with two runs each, EDF and
# BrainVision, where bad channels, events and sampling rates are told at several levels.
# shellcheck shell=sh disable=SC2154
python3 -c '' 2>/dev/null || skip_all 'python3 is missing'

# recording FILE SEED - an EDF recording of three channels, Fz, Pz and Oz, at 256 Hz.
field() {
	printf "%-$1s" "$2"
}
recording() {
	mkdir -p "$(dirname "$1")"
	clpac synth raw.npy --rate 256 --seconds 20 --channels 3 --seed "$2" --quiet -f
	{
		field 8 0
		field 80 X
		field 80 X
		printf '01.01.0100.00.00'
		field 8 1024
		field 44 ''
		field 8 20
		field 8 1
		field 4 3
		for name in Fz Pz Oz; do field 16 $name; done
		for _ in 1 2 3; do field 80 ''; done
		for _ in 1 2 3; do field 8 uV; done
		for _ in 1 2 3; do field 8 -8; done
		for _ in 1 2 3; do field 8 8; done
		for _ in 1 2 3; do field 8 -32768; done
		for _ in 1 2 3; do field 8 32767; done
		for _ in 1 2 3; do field 80 ''; done
		for _ in 1 2 3; do field 8 256; done
		for _ in 1 2 3; do field 32 ''; done
		python3 - raw.npy <<-'END'
			import array, sys
			values = array.array("f")
			with open(sys.argv[1], "rb") as file:
			    values.frombytes(file.read()[128:])
			n = len(values) // 3
			out = array.array("h")
			for second in range(20):
			    for channel in range(3):
			        start = channel * n + second * 256
			        out.extend(max(-32768, min(32767, round(v * 4095))) for v in values[start:start + 256])
			sys.stdout.buffer.write(out.tobytes())
		END
	} >"$1"
}
# brainvision FILE.vhdr SEED - the same as BrainVision.
brainvision() {
	stem=${1%.vhdr}
	recording "$stem.edf" "$2"
	python3 - "$stem" <<-'END'
		import os, sys
		stem = sys.argv[1]
		data = open(stem + ".edf", "rb").read()[1024:]
		os.remove(stem + ".edf")
		blocks = [data[i:i + 512] for i in range(0, len(data), 512)]
		with open(stem + ".eeg", "wb") as out:
		    for channel in range(3):
		        for block in blocks[channel::3]:
		            out.write(block)
		name = os.path.basename(stem)
		with open(stem + ".vhdr", "w") as out:
		    out.write("Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nCodepage=UTF-8\n"
		              f"DataFile={name}.eeg\nDataFormat=BINARY\nDataOrientation=VECTORIZED\nNumberOfChannels=3\n"
		              "SamplingInterval=3906.25\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\n"
		              "Ch1=Fz,,0.000244,uV\nCh2=Pz,,0.000244,uV\nCh3=Oz,,0.000244,uV\n")
	END
}

for s in 01 02 03; do
	for r in 1 2; do
		stem=ds/sub-$s/ses-a/eeg/sub-${s}_ses-a_task-rest_run-${r}_eeg
		if [ $s = 03 ]; then
			brainvision $stem.vhdr $s$r
		else
			recording $stem.edf $s$r
		fi
	done
done
recording ds/derivatives/other/sub-01/ses-a/eeg/sub-01_ses-a_task-rest_run-1_desc-x_eeg.edf 1
recording ds/sourcedata/sub-09/eeg/sub-09_task-rest_eeg.edf 1
printf '{"Name": "made", "BIDSVersion": "1.9.0", "Authors": ["A", "B"], "License": "CC0"}\n' >ds/dataset_description.json
printf 'participant_id\tage\nsub-01\t30\nsub-02\tn/a\n' >ds/participants.tsv
printf '{"TaskName": "rest", "PowerLineFrequency": 50, "SamplingFrequency": 256}\n' >ds/task-rest_eeg.json
printf 'name\ttype\tstatus\tstatus_description\nFz\tEEG\tgood\tn/a\nPz\tEEG\tbad\tnoise\nOz\tEEG\tgood\tn/a\n' >ds/task-rest_channels.tsv
printf 'name\ttype\tstatus\nFz\tEEG\tgood\nPz\tEEG\tgood\nOz\tEEG\tbad\n' >ds/sub-02/ses-a/eeg/sub-02_ses-a_task-rest_run-1_channels.tsv
printf 'onset\tduration\ttrial_type\n5\t2\tBAD_jump\n' >ds/sub-01/ses-a/sub-01_ses-a_events.tsv
printf '{"SamplingFrequency": 500}\n' >ds/sub-02/ses-a/eeg/sub-02_ses-a_task-rest_run-2_eeg.json
: >ds/sub-02/ses-a/eeg/sub-02_ses-a_task-rest_run-3_eeg.cnt
