"""What stands for sessions in `tf.test.TestCase`."""

import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

from tapefacade._core.tensor import hinted
from tapefacade._state.value_assertions import ValueAssertions

MESSAGE_SESSION = (
    "Trying to access properties or call methods on the result of self.session(), "
    "self.cached_session(), etc while eager execution is enabled. If you're porting this test case "
    "to TF 2.0, either adapt the test to work with eager execution or insert a call to "
    "tf.disable_eager_execution() in the main() function of this test file."
)


class Sessions(ValueAssertions):
    """The part of a test case that opens sessions."""

    @contextlib.contextmanager
    def session(
        self, graph: None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator["_NoSession"]:
        """Opens a block for tests that were written for sessions; there is none to use.

        Args:
            graph: ignored.
            config: ignored.
            use_gpu: ignored.
            force_gpu: ignored.
        """
        yield _NoSession()

    @contextlib.contextmanager
    def cached_session(
        self, graph: None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator["FakeEagerSession"]:
        """Opens a block whose session has a method `run` that does what `evaluate` does.

        Args:
            graph: ignored.
            config: ignored.
            use_gpu: ignored.
            force_gpu: ignored.

        >>> with tf.test.TestCase().cached_session() as session:
        ...     session.run([tf.constant(1), tf.constant(2)])
        [np.int32(1), np.int32(2)]
        """
        yield FakeEagerSession(self)


class _NoSession:
    """What a block is given in the place of a session."""

    def __getattr__(self, name: str) -> NoReturn:
        raise hinted(AttributeError(MESSAGE_SESSION), "Write `self.evaluate(tensors)`.")


class FakeEagerSession:  # TensorFlow's name
    """What stands for a session that runs tensors."""

    def __init__(self, case: Sessions) -> None:
        self._case = case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns a structure with NumPy values in the place of its tensors.

        Raises:
            RuntimeError: if there are more arguments.
        """
        for given, what in ((kwargs.pop("feed_dict", None), "feed_dict is"), (args or kwargs, "")):
            if given:
                raise RuntimeError(
                    f"{what or 'Optional args are'} not supported when eager execution is enabled "
                    "(in this case, sess.run(t) is shorthand for t.numpy()"
                )
        return self._case.evaluate(fetches)
