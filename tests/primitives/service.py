"""Backends that count, and a service that misbehaves as told."""

from __future__ import annotations

import warnings

import numpy as np
from qiskit.primitives import (
    BaseEstimatorV2,
    BaseSamplerV2,
    DataBin,
    PrimitiveResult,
    PubResult,
    StatevectorEstimator,
    StatevectorSampler,
)
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.transpiler import CouplingMap
from qiskit_aer import AerSimulator


class Tally(dict):
    """Stays the same object when a backend is copied."""

    def __deepcopy__(self, memo):
        return self


class SpyingSimulator(AerSimulator):
    """Counts every shot that it runs."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._spied = Tally(jobs=0, circuits=0, shots=0)

    @property
    def spied(self):
        return self._spied

    def run(self, circuits, parameter_binds=None, **options):
        job = super().run(circuits, parameter_binds=parameter_binds, **options)
        entries = job.result().results
        self._spied["jobs"] += 1
        self._spied["circuits"] += len(entries)
        self._spied["shots"] += sum(entry.shots for entry in entries)
        return job


def line_device(simulator=AerSimulator, **options):
    """Five qubits on a line with a device's gates; without noise unless it is given."""
    device = GenericBackendV2(
        5, ["cx", "rz", "sx", "x", "id"], coupling_map=CouplingMap.from_line(5), noise_info=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no qubit properties, no noise from them
        return simulator.from_backend(device, **options)


class ServiceJob:
    """A job with a timeout, as those of a service have."""

    def __init__(self, result, error=None):
        self._result, self._error = result, error
        self.cancelled = False
        self.waited = None

    def result(self, timeout=None):
        self.waited = timeout
        if self._error is not None:
            raise self._error
        return self._result

    def cancel(self):
        self.cancelled = True


class Misbehaving:
    """Does what the script says, one word for each job; then works.

    "refuse" fails on submission, "fail" on the result, "hang" times out, "nan" returns NaN,
    "all nan" nothing else, "lose a pub" and "lose a point" return less than was asked, "nothing"
    returns None, "empty" a result without data.
    """

    def misbehave(self, *script):
        self.script = list(script)
        self.jobs = []
        self.points = []
        return self

    def _answer(self, pubs, results):
        word = self.script.pop(0) if self.script else "work"
        if word == "refuse":
            raise ConnectionError("the service is away")
        error = {"fail": RuntimeError("job failed"), "hang": TimeoutError("no result")}.get(word)
        if word == "lose a pub":
            results = results[:-1]
        if word == "lose a point":
            results = [PubResult(_shorter(results[0].data)), *results[1:]]
        if word == "nan":
            results[0].data.evs[0] = np.nan
        if word == "all nan":
            results[0].data.evs[...] = np.nan
        result = PrimitiveResult(results)
        result = {"nothing": None, "empty": [None] * len(pubs)}.get(word, result)
        self.points.append(sum(pub.parameter_values.size for pub in pubs))
        self.jobs.append(ServiceJob(result, error))
        return self.jobs[-1]


class EstimatorService(Misbehaving, BaseEstimatorV2):
    """An estimator on that service."""

    def __init__(self, seed=0):
        self._inner = StatevectorEstimator(seed=np.random.default_rng(seed))

    def run(self, pubs, *, precision=None):
        return self._answer(pubs, list(self._inner.run(pubs, precision=precision).result()))


class SamplerService(Misbehaving, BaseSamplerV2):
    """A sampler on that service."""

    def __init__(self, seed=0):
        self._inner = StatevectorSampler(seed=np.random.default_rng(seed))

    def run(self, pubs, *, shots=None):
        return self._answer(pubs, list(self._inner.run(pubs, shots=shots).result()))


def _shorter(data):
    return DataBin(**{name: array[:-1] for name, array in data.items()})
