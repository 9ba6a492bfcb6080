"""
Arrays on a GPU
===============

Samples that lie on an OpenCL device already, as an array of pyopencl, are read there; only the results come to the host.
"""

import clpac

# %%
# The device that clpac takes here unless it is told otherwise.

for device in clpac.devices():
    print(device)

# %%
# A queue of pyopencl. Where these pages are built its device is a CPU under PoCL; on a machine with a card it is that card.

import pyopencl as cl
import pyopencl.array

devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
queue = cl.CommandQueue(cl.Context(devices[:1]))
print(queue.device.platform.name)

# %%
# Eight channels, as another stage of processing may have left them on the device. Coupling is computed on the queue of the
# array; kernels are compiled when a device is used for the first time.

x = clpac.synth(channels=8, seconds=8, seed=2).get_data()
there = cl.array.to_device(queue, x)
bands = {"f_pha": "4:10:4", "f_amp": "60:100:5", "n_perm": 50}
on_device = clpac.pac(there, 512, **bands)
for channel in range(len(x)):
    peak = on_device.peak(channel)
    print(channel, peak.phase, peak.amplitude, f"MI {peak.value:.4f}, p_max {peak.p_max:.2f}")

# %%
# The host's own CPU gives the same phase bins to the bit, and the same indices to the rounding of single precision. A
# plan is made once, and serves any number of recordings of the same shape.

with clpac.Plan(shape=x.shape, sfreq=512, device="native", **bands) as plan:
    on_host = plan.run(x)
print("largest relative difference of MI:", float(abs(on_device.mi / on_host.mi - 1).max()))
