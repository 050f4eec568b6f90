"""The addresses of the processes of a cluster, by their jobs: `tf.train.ClusterSpec`."""

from collections.abc import Mapping, Sequence
from typing import Any

from tapefacade._definition.op import function
from tapefacade._distribute.cluster_messages import CLUSTERS

MESSAGE_CLUSTER = (
    "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
    "or a `ClusterDef` protocol buffer"
)


@function("train.ClusterSpec")
class ClusterSpec:
    """The addresses of the processes of a cluster.

    Args:
        cluster: for each job a list of addresses, or a dictionary of them by the number of the
            task; or another `ClusterSpec`, or a `tf.train.ClusterDef`.

    Raises:
        TypeError: if it is anything else.

    >>> cluster = tf.train.ClusterSpec({"worker": ["one:2222", "two:2222"]})
    >>> cluster.task_address("worker", 1)
    'two:2222'
    """

    def __init__(self, cluster: Any) -> None:
        given: Any = cluster.as_dict() if isinstance(cluster, ClusterSpec) else cluster
        if hasattr(given, "job"):  # a message, of TensorFlow's own classes as well
            given = {job.name: dict(job.tasks) for job in given.job}
        if not isinstance(given, Mapping):
            raise TypeError(MESSAGE_CLUSTER)
        self._jobs: dict[str, dict[int, str]] = {}
        for job, tasks in given.items():
            if isinstance(tasks, list | tuple):
                numbered = dict(enumerate(tasks))
            elif isinstance(tasks, Mapping):
                numbered = {int(number): address for number, address in tasks.items()}
            else:
                raise TypeError(
                    f"The tasks for job {job!r} must be a list or a dictionary from integers to "
                    "strings."
                )
            self._jobs[_text(job, "Job name")] = {
                number: _text(address, "Task address") for number, address in numbered.items()
            }

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, Any]:
        """Returns the addresses by job: a list, or a dictionary where numbers are left out."""
        return {
            job: (
                [tasks[number] for number in range(len(tasks))]
                if sorted(tasks) == list(range(len(tasks)))
                else dict(tasks)
            )
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Returns the addresses as a message, `tf.train.ClusterDef`."""
        named = sorted(self._jobs.items())
        jobs = [CLUSTERS["JobDef"](name=job, tasks=tasks) for job, tasks in named]
        return CLUSTERS["ClusterDef"](job=jobs)

    def num_tasks(self, job_name: str) -> int:
        """Returns the number of tasks of a job.

        Raises:
            ValueError: if there is no such job.
        """
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the numbers of the tasks of a job.

        Raises:
            ValueError: if there is no such job.
        """
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of a task.

        Raises:
            ValueError: if there is no such job or task.
        """
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Returns the addresses of the tasks of a job, None for numbers that are left out.

        Raises:
            ValueError: if there is no such job.
        """
        tasks = self._tasks(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def _tasks(self, job: str) -> dict[int, str]:
        if job not in self._jobs:
            raise ValueError(f"No such job in cluster: {job!r}")
        return self._jobs[job]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]  # as TensorFlow's

    def __repr__(self) -> str:
        jobs = self.as_dict()
        inner = ", ".join(f"{job!r}: {jobs[job]!r}" for job in sorted(jobs))
        return f"ClusterSpec({{{inner}}})"


def merged(specs: Sequence[ClusterSpec]) -> ClusterSpec:
    """Returns the cluster that several are together.

    Raises:
        KeyError: if two of them number tasks of a job, and have a number in common.
    """
    found: dict[str, Any] = {}
    for spec in specs:
        for job, tasks in spec.as_dict().items():
            before = found.setdefault(job, [] if isinstance(tasks, list) else {})
            if isinstance(tasks, list) and isinstance(before, list):
                before += [address for address in tasks if address not in before]
                continue
            numbered = dict(enumerate(before)) if isinstance(before, list) else before
            more = dict(enumerate(tasks)) if isinstance(tasks, list) else tasks
            twice = set(numbered) & set(more)
            if twice:
                raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice!r}")
            found[job] = {**numbered, **more}
    return ClusterSpec(found)


def _text(value: Any, what: str) -> Any:
    if not isinstance(value, str | bytes):
        raise TypeError(f"{what} {value!r} must be bytes or unicode")
    return value
