"""Any public object from any thread: exact accumulation, results as in a serial run, kernels without the GIL."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tenferro as tf
from support import leaf

WORKERS, ROUNDS = 16, 100


def run(work, workers=WORKERS):
    """The results of `work(i)` for each worker, all started together."""
    barrier = threading.Barrier(workers, timeout=30)

    def start(i):
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(workers) as pool:
        return [f.result(timeout=120) for f in [pool.submit(start, i) for i in range(workers)]]


def test_accumulation_into_a_shared_leaf_is_exact():
    x = leaf(np.ones(7))

    def work(i):
        for _ in range(ROUNDS):
            (x * float(i + 1)).sum().backward()

    run(work)
    expected = ROUNDS * sum(range(1, WORKERS + 1))
    assert x.grad.numpy().tolist() == [float(expected)] * 7


def test_one_loss_may_be_differentiated_by_many_threads():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    run(lambda i: [loss.backward() for _ in range(ROUNDS)])
    assert x.grad.numpy().tolist() == [2.0 * WORKERS * ROUNDS, 4.0 * WORKERS * ROUNDS]


def test_results_equal_the_serial_ones():
    a = np.random.default_rng(0).standard_normal((30, 30))

    def work(_):
        x = leaf(a)
        loss = ((x @ x).tanh() * x.exp()).sum()
        loss.backward()
        return loss.item(), x.grad.numpy().tobytes()

    serial = work(0)
    assert set(run(work)) == {serial}


def test_clearing_while_others_accumulate_loses_nothing_else():
    x, y = leaf([1.0]), leaf([1.0])

    def work(i):
        for _ in range(ROUNDS):
            if i % 2:
                x.clear_grad()
            else:
                (x * 0.0 + y).sum().backward()

    run(work)
    assert y.grad.numpy().tolist() == [float(ROUNDS * WORKERS // 2)]
    assert x.grad is None or x.grad.numpy().tolist() == [0.0]


def test_functional_transforms_in_threads(ctx):
    x = leaf(2.0, runtime=ctx)
    f = x**4

    def work(_):
        return [ctx.grad(ctx.grad(f, x), x).item() for _ in range(ROUNDS)]

    assert {v for row in run(work) for v in row} == {48.0}
    assert x.grad is None


def test_no_grad_in_some_threads_only():
    x = leaf([1.0])

    def work(i):
        if i % 2:
            with tf.no_grad():
                return [(x * x).tracks_grad for _ in range(ROUNDS)]
        return [(x * x).tracks_grad for _ in range(ROUNDS)]

    for i, tracked in enumerate(run(work)):
        assert set(tracked) == {i % 2 == 0}


def test_tensors_die_on_other_threads():
    baseline = tf.live_tensors()
    boxes = [[leaf(np.ones(100))] for _ in range(WORKERS)]
    for box in boxes:
        box.append((box[0] * box[0]).sum())
    run(lambda i: boxes[i].clear())
    assert tf.live_tensors() == baseline


def test_the_default_runtime_of_a_block_is_of_its_thread(ctx):
    def work(i):
        if i == 0:
            with tf.use_runtime(ctx):
                time.sleep(0.05)
                return tf.tensor(1.0).ctx_id == ctx.id
        time.sleep(0.02)
        return tf.tensor(1.0).ctx_id != ctx.id

    assert all(run(work, workers=4))


def test_a_long_kernel_leaves_the_interpreter_to_others():
    a = tf.tensor(np.ones((2500, 2500)))
    running = threading.Event()
    done = threading.Event()

    def multiply():
        running.set()
        a @ a
        done.set()

    thread = threading.Thread(target=multiply)
    thread.start()
    running.wait()
    count = 0
    while not done.is_set():
        count += 1
        time.sleep(0)
    thread.join()
    assert count > 200


def test_concurrent_large_products_are_right():
    a = np.random.default_rng(3).integers(-5, 6, (300, 300)).astype(float)
    expected = a @ a
    results = run(lambda i: (tf.tensor(a) @ tf.tensor(a)).numpy(), workers=4)
    assert all(np.array_equal(r, expected) for r in results)


def test_errors_in_one_thread_do_not_disturb_another(ctx):
    x = leaf([1.0, 2.0], runtime=ctx)

    def work(i):
        good = 0
        for _ in range(ROUNDS):
            if i % 2:
                with pytest.raises(tf.ShapeMismatchError):
                    x + np.ones(3)
            else:
                good += (x + np.ones(2)).numpy().tolist() == [2.0, 3.0]
        return good

    assert sum(run(work)) == ROUNDS * WORKERS // 2
