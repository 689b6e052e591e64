"""The process does not grow: resident memory over many iterations, and the peak of a long chain."""

from support import run_child

MEASURE = """
import ctypes, gc, sys
import numpy as np
import tenferro as tf

trim = getattr(ctypes.CDLL(None), "malloc_trim", None)

def resident():
    gc.collect()
    if trim is not None:
        trim(0)
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096

"""


def growth(body: str, warm: int = 2000, rounds: int = 20_000) -> int:
    """Bytes that the process gains by the rounds after the warm-up."""
    code = f"{MEASURE}{body}\nfor _ in range({warm}):\n    work()\nstart = resident()\n"
    code += f"for _ in range({rounds}):\n    work()\nprint(resident() - start)\n"
    return int(run_child(code, timeout=180))


def test_forward_and_backward():
    body = """
x = tf.tensor(np.ones(50), requires_grad=True)
def work():
    ((x * x).sin().sum() + x[3]).backward()
    x.clear_grad()
"""
    assert growth(body) < 2**20


def test_b80_forward_without_backward():
    body = """
w = tf.tensor(np.ones((10, 10)), requires_grad=True)
def work():
    (w @ w).tanh().sum()
"""
    assert growth(body) < 2**20


def test_new_leaves_runtimes_and_sessions():
    body = """
def work():
    ctx = tf.EagerRuntime()
    x = tf.tensor([1.0, 2.0], requires_grad=True, runtime=ctx)
    with ctx.session() as s:
        g = ctx.grad(s.reduce_sum(s.mul(x, x)), x)
    ctx.jvp(g, x, x.detach())
"""
    assert growth(body) < 2**20


def test_errors():
    body = """
x = tf.ones((3,))
y = tf.ones((4,))
def work():
    try:
        x + y
    except tf.ShapeMismatchError:
        pass
"""
    assert growth(body) < 2**20


def test_arrays_in_and_out():
    body = """
a = np.ones((20, 20))
def work():
    x = tf.tensor(a)
    np.from_dlpack(x.T)
    memoryview(x.to_tensor()).release()
    x.numpy()[0]
"""
    assert growth(body) < 2**20


def test_peak_of_an_untracked_chain():
    """A hundred steps on 80 MB need few buffers at a time."""
    code = """
    import resource
    import numpy as np
    import tenferro as tf

    x = tf.tensor(np.ones(10_000_000))
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        x = (x * 1.0001) + 0.5
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start)
    """
    assert int(run_child(code, timeout=120)) * 1024 < 2.5 * 80e6 + 100 * 2**20


def test_memory_per_node_is_small():
    code = """
    import gc, resource
    import tenferro as tf

    x = tf.tensor(1.0, requires_grad=True)
    y = x
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(500_000):
        y = y * x
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) * 1024 // 500_000)
    """
    assert int(run_child(code)) < 600
