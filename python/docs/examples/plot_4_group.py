"""
A group of subjects
===================

Each subject has a result with epochs of two conditions, or two results; statistics over subjects take those.
"""

import warnings

import clpac

# %%
# Eight made subjects, each recorded twice: with coupling of some strength, and without.

warnings.simplefilter("ignore", clpac.ClpacWarning)  # short recordings, and many of them
bands = {"f_pha": "4:10:4", "f_amp": "60:100:5", "n_perm": 50, "device": "native"}
task, rest = [], []
for subject in range(8):
    task.append(clpac.pac(clpac.synth(seconds=20, strength=0.5, seed=subject), **bands))
    rest.append(clpac.pac(clpac.synth(seconds=20, strength=0, seed=100 + subject), **bands))

# %%
# Pairs of results: the signs of differences are permuted, here all 2\ :sup:`8` of them. ``p_max`` is corrected over cells.

contrast = clpac.group(task, rest, paired=True)
print(contrast)
print("largest t:", float(contrast.t.max()), "lowest p_max:", float(contrast.p_max.min()))

# %%
# A map of t.

import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(5, 3.6), layout="constrained")
phase, amplitude = contrast.f_pha.mean(axis=1), contrast.f_amp.mean(axis=1)
mesh = axis.pcolormesh(phase, amplitude, contrast.t[0, 0].T)
axis.set(xlabel="phase frequency (Hz)", ylabel="amplitude frequency (Hz)")
figure.colorbar(mesh, label="t over 8 subjects")
plt.show()
