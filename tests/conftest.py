"""Fixtures of every test, and the place from which tests import `support`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import tenferro as tf

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

NEEDS_POSIX = ["test_fork.py", "test_interrupt.py"]
NEEDS_LINUX = ["test_growth.py", "test_out_of_memory.py"]
collect_ignore = [
    *(NEEDS_POSIX if sys.platform == "win32" else []),
    *(NEEDS_LINUX if sys.platform != "linux" else []),
]


@pytest.fixture(autouse=True)
def same_number_of_threads() -> Iterator[None]:
    """A test that sets the number of threads does not change it for the next."""
    before = tf.num_threads()
    yield
    if tf.num_threads() != before:
        tf.set_num_threads(before)


@pytest.fixture
def ctx() -> tf.EagerRuntime:
    """A runtime of the test's own."""
    return tf.EagerRuntime()


@pytest.fixture
def other() -> tf.EagerRuntime:
    """A second runtime, foreign to `ctx`."""
    return tf.EagerRuntime()
