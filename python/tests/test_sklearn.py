"""PACTransformer: scikit-learn's own checks, and what it computes."""

import numpy as np
import pytest

import clpac
from conftest import RATE, coupled

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402


@parametrize_with_checks([clpac.PACTransformer(device="native")])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_features_are_those_of_a_plan():
    x = coupled(n_samples=9000).reshape(3, 3, 3000).swapaxes(0, 1)
    made = clpac.PACTransformer(RATE, f_pha="5-7,9-11", f_amp="40-60", device="native")
    features = made.fit_transform(x)
    assert features.shape == (3, 6) and len(made.get_feature_names_out()) == 6
    wanted = clpac.Plan(shape=x.shape, sfreq=RATE, f_pha="5-7,9-11", f_amp="40-60", n_perm=0, device="native").run(x)
    np.testing.assert_array_equal(features[:, :2], wanted.mi[0, :, :, 0])
    assert clone(made).get_params() == made.get_params()
    with pytest.raises(clpac.ArgumentError, match="output"):
        clpac.PACTransformer(RATE, output="nothing", device="native").fit(x)


def test_coupling_tells_epochs_apart():
    with_it = [coupled(1, 2000, seed)[0] for seed in range(10)]
    without = [np.random.default_rng(seed).normal(size=2000).astype("f4") for seed in range(10)]
    x, y = np.stack(with_it + without), np.repeat([1, 0], 10)
    model = make_pipeline(
        clpac.PACTransformer(RATE, f_pha="5-7", f_amp="40-70", device="native"), StandardScaler(), LogisticRegression()
    )
    assert cross_val_score(model, x, y, cv=5).mean() > 0.9
