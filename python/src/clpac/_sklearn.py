"""Coupling as features of scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._errors import ArgumentError, ClpacWarning
from ._optional import need
from ._pac import PAC
from ._plan import Plan

need("sklearn", "PACTransformer", "sklearn")

from sklearn.base import BaseEstimator, TransformerMixin  # noqa: E402
from sklearn.utils.validation import check_array, check_is_fitted  # noqa: E402

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
        return estimator._validate_data(X, **options)


_AMPLE = 1 << 14  # samples: longer than every filter of a plausible band


class PACTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns epochs into the coupling of their bands.

    Parameters
    ----------
    sfreq : float
        Sampling rate in Hz.
    f_pha, f_amp : str or array-like of shape (n, 2), optional
        Bands in Hz; those of a range that do not fit the rate are left out.
    measure : str
        The index.
    output : str
        Which array of a result is the features: "index", "z", "p", "preferred_phase", ...
    n_perm : int
        Surrogates, which "z" and "p" need.
    random_state : int
        Seed.  Surrogates of an epoch depend on its place among the others.
    device : str, optional
        As for :func:`pac`.
    n_jobs : int, optional
        Threads of the native device.

    Attributes
    ----------
    f_pha_, f_amp_ : ndarray of shape (n, 2)
        Bands in Hz.
    n_features_in_ : int
        Samples of an epoch.
    """

    def __init__(
        self,
        sfreq: float = 512.0,
        *,
        f_pha: Any = None,
        f_amp: Any = None,
        measure: str = "mi",
        output: str = "index",
        n_perm: int = 0,
        random_state: int = 42,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sfreq = sfreq
        self.f_pha = f_pha
        self.f_amp = f_amp
        self.measure = measure
        self.output = output
        self.n_perm = n_perm
        self.random_state = random_state
        self.device = device
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # features are float32
        return tags

    def _validated(self, X: Any, is_first: bool) -> np.ndarray[Any, Any]:
        """Epochs as (n_epochs, n_channels, n_times) of finite numbers."""
        if (np.ndim(X) if isinstance(X, (list, tuple)) else getattr(X, "ndim", 2)) == 3:
            x = check_array(X, dtype=[np.float32, np.float64], allow_nd=True)
            if is_first:
                self.n_features_in_ = x.shape[2]
            elif x.shape[2] != self.n_features_in_:
                raise ValueError(f"epochs have {x.shape[2]} samples, and {self.n_features_in_} when it was fitted")
            return x
        x = validate_data(self, X, dtype=[np.float32, np.float64], reset=is_first)
        return x[:, np.newaxis]

    def _plan(self, shape: tuple[int, ...]) -> Plan:
        return Plan(
            shape=shape,
            sfreq=self.sfreq,
            f_pha=self.f_pha,
            f_amp=self.f_amp,
            n_perm=self.n_perm,
            random_state=self.random_state,
            measures=self.measure,
            device=self.device,
            n_jobs=self.n_jobs,
        )

    def _run(self, x: np.ndarray[Any, Any]) -> PAC:
        with self._plan(x.shape) as plan:
            return plan.run(x)

    def _taught_by(self, x: np.ndarray[Any, Any]) -> PAC:
        """A result of one epoch, or where epochs are too short for any filter, one of noise."""
        self.is_too_short_ = False
        try:
            return self._run(x[:1])
        except ArgumentError as problem:
            ample = np.random.default_rng(0).normal(size=(1, x.shape[1], _AMPLE)).astype(np.float32)
            made = self._run(ample)  # what is wrong at any length is raised once more
            self.is_too_short_ = True
            warnings.warn(f"epochs of {x.shape[2]} samples have no index: {problem}", ClpacWarning, stacklevel=3)
            return made

    def fit(self, X: Any, y: Any = None) -> PACTransformer:
        """Checks the parameters.

        Parameters
        ----------
        X : ndarray of shape (n_epochs, n_times) or (n_epochs, n_channels, n_times)
            Epochs.
        y : ignored
        """
        x = self._validated(X, is_first=True)
        made = self._taught_by(x)
        if self.output != "index" and self.output not in (*made.arrays, "preferred_phase"):
            raise ArgumentError(f"output: {self.output!r} is none of index, {', '.join(made.arrays)}")
        self.f_pha_, self.f_amp_ = made.f_pha.copy(), made.f_amp.copy()
        self.n_channels_ = x.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray[Any, Any]:
        """Computes.

        Parameters
        ----------
        X : ndarray of shape (n_epochs, n_times) or (n_epochs, n_channels, n_times)
            Epochs of the length that it was fitted with.

        Returns
        -------
        ndarray of shape (n_epochs, n_channels * n_pha * n_amp)
                float32; NaN where an index is not defined, as of constant epochs, and of epochs that are too short for
            filters, of which fit warns.
        """
        check_is_fitted(self)
        x = self._validated(X, is_first=False)
        if self.is_too_short_:
            return np.full((len(x), self.n_channels_ * len(self.f_pha_) * len(self.f_amp_)), np.nan, np.float32)
        values = self._run(x).get_data(self.output)
        return np.moveaxis(values, 1, 0).reshape(len(x), -1).copy()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """Names as "0 5-7/40-60 Hz": channel, phase band, amplitude band."""
        check_is_fitted(self)
        return np.array(
            [
                f"{channel} {p[0]:g}-{p[1]:g}/{a[0]:g}-{a[1]:g} Hz"
                for channel in range(self.n_channels_)
                for p in self.f_pha_
                for a in self.f_amp_
            ],
            dtype=object,
        )
