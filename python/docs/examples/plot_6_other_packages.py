"""
From tensorpac, pactools and MNE
================================

The same calls side by side. What differs in names and numbers is on the page :doc:`/from_other_packages`.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import clpac

warnings.simplefilter("ignore")  # packages written for an older NumPy

rate = 512
x = clpac.synth(seconds=20, rate=rate, seed=4).get_data().astype(float)
x -= x.mean()
phase = np.array([[4.0, 6.0], [5.0, 7.0], [6.0, 8.0], [8.0, 10.0]])
amplitude = np.array([[50.0, 70.0], [70.0, 90.0], [90.0, 110.0]])

# %%
# tensorpac
# ---------
# It takes epochs of one channel and returns amplitude, phase, epoch; clpac takes channels and returns channel, epoch, phase,
# amplitude.

from tensorpac import Pac

pac = Pac(idpac=(2, 0, 0), f_pha=phase, f_amp=amplitude, verbose="error")
theirs = pac.filterfit(rate, x, n_jobs=1)
ours = clpac.pac(x, rate, phase, amplitude, n_perm=0, device="native")
print(theirs.shape, ours.mi.shape)

# %%
# Its means are divided by the samples that all bands have in a bin, and its Hilbert transform sees the whole epoch. With both
# done as it does them, the numbers are the same.

as_there = {"hilbert": "trimmed", "keep_distributions": True}
same = clpac.pac(x, rate, phase, amplitude, n_perm=0, device="native", **as_there)
counts = same.get_data("bin_counts").astype(float)
share = same.get_data("distribution") * counts[:, :, :, None, :]
share /= counts.sum(axis=(1, 2))[:, None, None, None, :]
share /= share.sum(axis=-1, keepdims=True)
pooled = 1 + (share * np.log(share)).sum(axis=-1) / np.log(share.shape[-1])
theirs_as_ours = theirs.transpose(2, 1, 0)[None]
print("as it is:  ", np.abs(ours.mi / theirs_as_ours - 1).max())
print("by recipe: ", np.abs(pooled / theirs_as_ours - 1).max())

# %%
# pactools
# --------
# It takes centres of bands and one bandwidth each, and returns phase, amplitude. Its filters are others, so that the maps agree in
# where the peak is, and not in digits.

from pactools import Comodulogram

centres = phase.mean(axis=1)
estimator = Comodulogram(
    fs=rate,
    low_fq_range=centres,
    low_fq_width=2.0,
    high_fq_range=amplitude.mean(axis=1),
    high_fq_width=20.0,
    method="tort",
    progress_bar=False,
)
estimator.fit(x[0])
print(estimator.comod_.shape)
for name, values in (("pactools", estimator.comod_), ("clpac", ours.mi[0, 0])):
    row, column = np.unravel_index(values.argmax(), values.shape)
    print(f"highest of {name}: phase {phase[row]} Hz, amplitude {amplitude[column]} Hz")

# %%
# MNE
# ---
# MNE-Python has no phase-amplitude coupling of its own; its objects go in as they are, with the rate, names, bad channels and
# annotations that they hold.

import mne

info = mne.create_info(["Cz"], rate, "eeg")
raw = mne.io.RawArray(x * 1e-6, info, verbose="error")
by_mne = clpac.pac(raw, f_pha=phase, f_amp=amplitude, n_perm=0, device="native")
change = np.abs(by_mne.mi / ours.mi - 1).max()
print("volts in place of microvolts change MI by", change)

# %%
# All maps, the strongest cell in yellow in each.

figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
maps = {
    "tensorpac": theirs[:, :, 0],
    "pactools": estimator.comod_.T,
    "clpac": ours.mi[0, 0].T,
}
for axis, (name, values) in zip(axes, maps.items()):
    axis.pcolormesh(centres, amplitude.mean(axis=1), values)
    axis.set(title=name, xlabel="phase frequency (Hz)")
axes[0].set_ylabel("amplitude frequency (Hz)")
plt.show()
