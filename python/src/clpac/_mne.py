"""Objects of MNE: units, channel types, bads, annotations and events as MNE has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._errors import ArgumentError, UnsupportedError
from ._recording import Recording, add_stretches, annotate, of_array, set_kind

# Types of MNE and what the library calls them; all others are no signals of the brain.
_KINDS = {
    "eeg": "eeg",
    "csd": "eeg",
    "seeg": "seeg",
    "ecog": "ecog",
    "mag": "meg",
    "grad": "meg",
    "dbs": "lfp",
    "eog": "eog",
    "ecg": "ecg",
    "emg": "emg",
    "stim": "trigger",
}
_UNITS = {107: "V", 112: "T", 201: "T/m"}  # of FIFF, which MNE's data are in


def _describe(recording: Recording, info: Any, types: Sequence[str]) -> None:
    bads = set(info["bads"])
    for i, (name, kind) in enumerate(zip(info["ch_names"], types)):
        set_kind(recording, i, _KINDS.get(kind, "misc"), "in info['bads']" if name in bads else None)


def add_events(
    recording: Recording, events: Any, event_id: dict[str, int] | None, sfreq: float, first_sample: int
) -> None:
    """Annotates a recording with an array of MNE's events, (n, 3): sample, value before, value."""
    table = np.asarray(events)
    if table.ndim != 2 or table.shape[1] != 3:
        raise ArgumentError("events: give texts, or MNE's array of shape (n, 3)")
    texts = {code: name for name, code in (event_id or {}).items()}
    for sample, _, code in table.tolist():
        if event_id is None or code in texts:
            annotate(recording, (sample - first_sample) / sfreq, 0.0, texts.get(code, str(code)))
    recording._standard["events"] = list(event_id) if event_id else sorted({str(code) for code in table[:, 2].tolist()})


def of_mne(data: Any, names: Sequence[str] | None, events: Any, event_id: dict[str, int] | None) -> Recording:
    """A recording of a Raw or of Epochs."""
    import mne

    if isinstance(data, mne.Evoked):
        raise UnsupportedError(
            "Evoked: an average over trials keeps only what is locked to the event in phase, and its coupling is not "
            "that of the trials; give the Epochs, or the Raw with events and tmin, tmax"
        )
    if isinstance(data, mne.io.BaseRaw):
        return _of_raw(data, names, events, event_id)
    if isinstance(data, mne.BaseEpochs):
        if isinstance(events, np.ndarray):
            raise ArgumentError("events: Epochs have their own; give the names of some of them")
        return _of_epochs(data, names)
    raise UnsupportedError(f"{type(data).__name__} of MNE: give a Raw or Epochs")


def _units_of(info: Any) -> list[str]:
    return [_UNITS.get(int(channel["unit"]), "") for channel in info["chs"]]


def _of_raw(raw: Any, names: Sequence[str] | None, events: Any, event_id: dict[str, int] | None) -> Recording:
    samples = raw._data if raw.preload else raw.get_data()  # get_data copies what is loaded
    rate = float(raw.info["sfreq"])
    made = of_array(samples, rate, names or raw.ch_names, units=_units_of(raw.info), what="MNE Raw")
    made._keep.append(raw)
    _describe(made, raw.info, raw.get_channel_types())
    for onset, seconds, text in zip(
        raw.annotations.onset, raw.annotations.duration, raw.annotations.description
    ):
        annotate(made, float(onset) - raw.first_time, float(seconds), str(text))
    if isinstance(events, np.ndarray):
        add_events(made, events, event_id, rate, raw.first_samp)
    return made


def _of_epochs(epochs: Any, names: Sequence[str] | None) -> Recording:
    """Epochs as stretches of their own, each with its event."""
    samples = epochs.get_data(copy=False)
    rate = float(epochs.info["sfreq"])
    n_epochs, n_channels, n_times = samples.shape
    if n_epochs == 0:
        raise ArgumentError("Epochs: all of them were dropped")
    joined = np.moveaxis(samples, 0, 1).reshape(n_channels, n_epochs * n_times)
    made = of_array(joined, rate, names or epochs.ch_names, units=_units_of(epochs.info), what="MNE Epochs")
    _describe(made, epochs.info, epochs.get_channel_types())
    # A second lies between two of them, so that no window reaches over an end.
    seconds = n_times / rate
    onsets = [i * (seconds + 1.0) for i in range(n_epochs)]
    add_stretches(made, onsets, seconds)
    texts = {code: name for name, code in epochs.event_id.items()}
    used = []
    for onset, code in zip(onsets, epochs.events[:, 2].tolist()):
        text = texts.get(code, str(code))
        used.append(text)
        annotate(made, onset - epochs.tmin, 0.0, text)
    made._standard["events"] = list(dict.fromkeys(used))
    made._standard["window"] = (epochs.tmin, epochs.tmin + seconds)
    return made
