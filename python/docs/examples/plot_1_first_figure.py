"""
From a recording to a figure
============================

A made recording, in which the phase of 6 Hz drives the amplitude of 80 Hz, and what :func:`clpac.pac` finds in it.
"""

import clpac

# %%
# A minute of one channel at 512 Hz. ``get_data`` gives its samples as an array; :func:`clpac.pac` takes either.

recording = clpac.synth(phase=6, amplitude=80, strength=0.8, seconds=60, seed=3)
print(recording)

# %%
# Ten bands for the phase and nine for the amplitude, 200 surrogates for each pair of them. ``p_max`` is corrected over all
# cells of the map: it tells how often noise has so high a peak anywhere.

made = clpac.pac(recording, f_pha="2:20:10", f_amp="60:140:9", n_perm=200)
print(made)

# %%
# The peak as a tuple, and the arrays behind it: channel, epoch, phase, amplitude.

peak = made.peak()
print(f"phase {peak.phase} Hz, amplitude {peak.amplitude} Hz")
print(f"MI {peak.value:.4f}, z {peak.z:.1f}, p_max {peak.p_max:.3f}")
print(made.mi.shape, made.mi.dtype)
print("significant cells:", int((made.p_max < 0.05).sum()))

# %%
# The comodulogram, the map of z with significant cells outlined, and the amplitude over the phase at the peak.

figure = made.plot()

# %%
# The same on axes of one's own.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
made.plot(axes[0], what="index", cmap="grey")
axes[1].plot(made.f_pha.mean(axis=1), made.z[0, 0].max(axis=1), "o-")
axes[1].set(xlabel="phase frequency (Hz)", ylabel="highest z")
plt.show()

# %%
# Warnings of a run are reasons not to believe it, such as harmonics of sharp waves. They are shown once when they arise, and
# kept with the result, which ends as a table in notebooks.

print(made.cautions)
made
