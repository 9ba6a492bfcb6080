"""
Epochs, and two conditions
==========================

Epochs around events are cut from the continuous recording after it was filtered, so that no filter rings at the ends of an
epoch. Events are annotations, or MNE's array of events.
"""

import matplotlib.pyplot as plt
import mne
import numpy as np

import clpac

mne.set_log_level("error")

# %%
# Forty events, two in turn: after "go" the phase of 6 Hz drives the amplitude of 80 Hz, after "rest" nothing does.

rate, n_events, length = 256, 40, 4
draw = np.random.default_rng(7)
t = np.arange(n_events * length * rate) / rate
slow = 2 * np.pi * 6 * t + np.cumsum(draw.normal(0, 0.02, t.size))
depth = np.repeat(np.tile([0.8, 0.0], n_events // 2), length * rate)
fast = (1 + depth * np.cos(slow)) * np.sin(2 * np.pi * 80 * t)
x = np.cos(slow) + 0.4 * fast + draw.normal(0, 0.3, t.size)
raw = mne.io.RawArray(x[None] * 1e-6, mne.create_info(["Cz"], rate, "eeg"))
onsets = np.arange(n_events) * length
texts = np.tile(["go", "rest"], n_events // 2)
raw = raw.set_annotations(mne.Annotations(onsets, np.zeros(n_events), texts))

# %%
# One index for each epoch.

bands = {"f_pha": "5-7", "f_amp": "65-95", "device": "native"}
each = clpac.pac(raw, **bands, events="go,rest", tmin=0, tmax=4, n_perm=0)
print(each.shape, each.conditions[:4], each.onsets[:4])

figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
for condition in ("go", "rest"):
    chosen = np.array(each.conditions) == condition
    axis.plot(each.onsets[chosen], each.mi[0, chosen, 0, 0], "o", label=condition)
axis.set(xlabel="onset (s)", ylabel="modulation index")
axis.legend()
plt.show()

# %%
# One index for each condition, of the sums over its epochs: less noise, and less bias, since bins hold more samples.

pooled = clpac.pac(raw, **bands, events="go,rest", tmin=0, tmax=4, pool=True, n_perm=200)
for condition, mi, p in zip(pooled.conditions, pooled.mi.ravel(), pooled.p.ravel()):
    print(f"{condition}: MI {mi:.5f}, p {p:.3f}")

# %%
# The difference of the two, with the labels of epochs permuted.

contrast = clpac.compare(each, conditions=["go", "rest"], permutations=2000)
print(contrast)

# %%
# MNE's Epochs work as well; each of them is a stretch of its own, and filters see no further than its ends.

events, names = mne.events_from_annotations(raw)
span = {"tmin": 0, "tmax": 4 - 1 / rate, "baseline": None}
epochs = mne.Epochs(raw, events, names, **span, preload=True)
cut = clpac.pac(epochs, **bands, n_perm=0)
print(cut.shape)
