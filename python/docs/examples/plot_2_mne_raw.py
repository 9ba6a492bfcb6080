"""
A continuous recording of MNE
=============================

Bad channels, the time of BAD annotations and channels that are no signals of the brain are left out, as MNE's users expect.
"""

import mne
import numpy as np

import clpac

mne.set_log_level("error")

# %%
# Four channels at 512 Hz in volts, of which one is marked as bad and one is an electrocardiogram.

samples = clpac.synth(channels=3, seconds=40, strength=0.6, seed=5).get_data() * 1e-6
heart = np.sin(2 * np.pi * 1.2 * np.arange(samples.shape[1]) / 512)[None] * 1e-4
info = mne.create_info(["Fz", "Cz", "Pz", "ECG"], 512, ["eeg", "eeg", "eeg", "ecg"])
raw = mne.io.RawArray(np.vstack([samples, heart]), info)
raw.info["bads"] = ["Pz"]
raw = raw.set_annotations(mne.Annotations(onset=[10], duration=[2.5], description=["BAD movement"]))

# %%
# The rate is MNE's. How many seconds were used is said in the sentence and in ``used_seconds``: a channel falls into two
# stretches, each of which is filtered alone.

made = clpac.pac(raw, f_pha="4:12:5", f_amp="50:110:7", n_perm=100, device="native")
print(made)
print(made.ch_names, made.used_seconds.ravel(), made.n_stretches.ravel())

# %%
# A figure of one channel.

figure = made.plot(channel="Cz")

# %%
# Coupling between channels: the phase of one and the amplitude of the other, with ``indices`` as in MNE-Connectivity.

indices = (["Fz", "Cz"], ["Cz", "Fz"])
pairs = clpac.pac(raw, f_pha="5-7", f_amp="70-90", indices=indices, n_perm=100, device="native")
for name, mi, p in zip(pairs.ch_names, pairs.mi.ravel(), pairs.p.ravel()):
    print(f"{name}: MI {mi:.5f}, p {p:.2f}")

# %%
# A table with a row for each cell.

made.to_dataframe().head()
