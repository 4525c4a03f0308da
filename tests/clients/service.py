"""A service with sessions, batches, a queue and limits, as far as jobs notice them."""

import numpy as np
from qiskit.primitives import (
    BaseEstimatorV2,
    BaseSamplerV2,
    StatevectorEstimator,
    StatevectorSampler,
)


class SessionClosedError(RuntimeError):
    pass


class JobRefusedError(RuntimeError):
    pass


class Service:
    """Counts its jobs; time is that of a clock that only jobs move.

    Args:
        queue: Seconds that a job waits.
        most_points: Points that a job may hold.
        most_shots: Shots that a circuit may have.
    """

    def __init__(self, queue=0.0, most_points=None, most_shots=None):
        self.queue, self.most_points, self.most_shots = queue, most_points, most_shots
        self.now = 0.0
        self.jobs = []


class Session:
    """Closes after some jobs; a batch queues only once."""

    def __init__(self, service, jobs=10**9, batch=False):
        self.service, self.left, self.batch, self.queued = service, jobs, batch, False

    def submit(self, pubs, shots, results):
        service = self.service
        if self.left <= 0:
            raise SessionClosedError("the session is closed")
        self.left -= 1
        points = sum(pub.parameter_values.size for pub in pubs)
        if service.most_points is not None and points > service.most_points:
            raise JobRefusedError(f"{points} points are too many")
        if service.most_shots is not None and max(shots) > service.most_shots:
            raise JobRefusedError(f"{max(shots)} shots are too many")
        service.now += 0.0 if self.batch and self.queued else service.queue
        self.queued = True
        service.jobs.append((points, max(shots)))
        return Job(results)


class Job:
    def __init__(self, results):
        self._results = results

    def result(self, timeout=None):
        return self._results

    def cancel(self):
        pass


class Estimator(BaseEstimatorV2):
    """Like that of a runtime: made with a session."""

    def __init__(self, mode, seed=0):
        self.mode = mode
        self._inner = StatevectorEstimator(seed=np.random.default_rng(seed))

    def run(self, pubs, *, precision=None):
        pubs = list(pubs)
        shots = [int(np.ceil(pub.precision**-2 * (1 - 1e-12))) for pub in pubs]
        return self.mode.submit(pubs, shots, self._inner.run(pubs).result())


class Sampler(BaseSamplerV2):
    def __init__(self, mode, seed=0):
        self.mode = mode
        self._inner = StatevectorSampler(seed=np.random.default_rng(seed))

    def run(self, pubs, *, shots=None):
        pubs = list(pubs)
        return self.mode.submit(pubs, [pub.shots for pub in pubs], self._inner.run(pubs).result())
