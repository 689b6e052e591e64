"""Forked children after use of the library: `multiprocessing` pools, and a fork while another thread computes."""

import pytest

from support import run_child

POOL = """
import multiprocessing
import numpy as np
import tenferro as tf

def work(seed):
    x = tf.tensor(np.random.default_rng(seed).standard_normal((300, 300)), requires_grad=True)
    loss = ((x @ x) * x).sum()
    loss.backward()
    return x.grad.numpy().sum()

if __name__ == "__main__":
    tf.set_num_threads(2)
    parent = [work(s) for s in range(6)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        child = pool.map_async(work, range(6)).get(timeout=40)
    print(child == parent, [work(s) for s in range(6)] == parent)
"""

STORM = """
import os, signal, threading, time
import numpy as np
import tenferro as tf

tf.set_num_threads(2)
a = tf.tensor(np.random.default_rng(0).standard_normal((400, 400)))
stop = threading.Event()

def compute():
    while not stop.is_set():
        (a @ a).tanh().sum().item()

threads = [threading.Thread(target=compute) for _ in range(2)]
for t in threads:
    t.start()
bad = []
for round in range({rounds}):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        x = tf.tensor(np.ones((300, 300)), requires_grad=True)
        ((x @ x) + x).sum().backward()
        os._exit(0 if x.grad.numpy()[0, 0] == 601.0 else 1)
    status = os.waitpid(pid, 0)[1]
    if status:
        bad.append((round, status))
stop.set()
for t in threads:
    t.join()
print(bad)
"""

LOCKS = """
import os, signal, sys, threading
import numpy as np
import tenferro as tf

sys.setswitchinterval(1e-5)
ctx = tf.default_runtime()
leaf = tf.tensor(np.ones(2000), requires_grad=True)
stop = threading.Event()

def backward():
    while not stop.is_set():
        (leaf * 2.0).sum().backward()

def leaves():
    while not stop.is_set():
        tf.ones((1000,)).as_leaf()
        tf.CpuBackend().buffer_pool_stats()
        ctx.clear_grads()

threads = [threading.Thread(target=work) for work in (backward, backward, leaves)]
for t in threads:
    t.start()
bad = []
for round in range({rounds}):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        leaf.clear_grad()
        (leaf * 3.0).sum().backward()
        ok = leaf.grad.numpy()[0] == 3.0 and tf.CpuBackend().buffer_pool_stats() is not None
        tf.EagerRuntime().clear_grads()
        tf.set_default_runtime(tf.EagerRuntime())
        os._exit(0 if ok else 1)
    status = os.waitpid(pid, 0)[1]
    if status:
        bad.append((round, status))
stop.set()
for t in threads:
    t.join()
print(bad)
"""

MODES = """
import os
import tenferro as tf

x = tf.tensor([2.0], requires_grad=True)
ctx = x.runtime
with tf.no_grad():
    pid = os.fork()
    inside = (x * x).tracks_grad
    if pid == 0:
        os._exit(int(inside))
assert os.waitpid(pid, 0)[1] == 0
with ctx.session() as s:
    pid = os.fork()
    if pid == 0:
        value = s.mul(x, x).item()
        os._exit(0 if value == 4.0 else 1)
    assert os.waitpid(pid, 0)[1] == 0
(x * x).sum().backward()
print(x.grad.numpy().tolist())
"""


def test_b82_a_pool_of_forked_workers():
    assert run_child(POOL, timeout=120) == "True True\n"


@pytest.mark.parametrize("rounds", [30])
def test_forks_while_other_threads_compute(rounds):
    assert run_child(STORM.replace("{rounds}", str(rounds)), timeout=200) == "[]\n"


def test_forks_while_other_threads_hold_locks():
    assert run_child(LOCKS.replace("{rounds}", "100"), timeout=200) == "[]\n"


def test_modes_and_sessions_survive_a_fork():
    assert run_child(MODES) == "[4.0]\n"


def test_random_numbers_of_a_key_are_the_same_in_a_child():
    code = """
    import os
    import tenferro as tf

    key = tf.random.key(1)
    here = tf.random.normal(key, (1000,)).numpy().tobytes()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if tf.random.normal(key, (1000,)).numpy().tobytes() == here else 1)
    print(os.waitpid(pid, 0)[1])
    """
    assert run_child(code) == "0\n"
