"""Ctrl-C during long calls: KeyboardInterrupt between blocks, and a library that works afterwards."""

import pytest

from support import run_child

INTERRUPT = """
import os, signal, threading, time
import numpy as np
import tenferro as tf

# A parent may have told its children to ignore the signal, as shells do for background jobs.
signal.signal(signal.SIGINT, signal.default_int_handler)

tf.set_num_threads({threads})
{setup}
sent = []

def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

timer = threading.Timer(0.5, interrupt)
timer.start()
try:
    {call}
    print("finished before the signal" if not sent else "ignored the signal")
except KeyboardInterrupt:
    late = time.monotonic() - sent[0]
    print("interrupted" if late < 1.0 else f"late by {{late:.1f}} s")
x = tf.tensor([2.0], requires_grad=True)
(x * x).sum().backward()
small = tf.tensor(np.eye(300)) @ tf.tensor(np.ones((300, 2)))
print(x.grad.numpy().tolist(), small.sum().item())
"""

LONG_CALLS = {
    "matmul": ("a = tf.tensor(np.ones((7000, 7000)))", "a @ a"),
    "complex matmul": ("a = tf.tensor(np.ones((4000, 4000), dtype=complex))", "a @ a"),
    "batched matmul": ("a = tf.tensor(np.ones((300, 300, 300)))", "[a @ a for _ in range(20)]"),
    "chain of ops": ("a = tf.tensor(np.ones(2_000_000))", "[a.sin().exp() for _ in range(10_000)]"),
    "backward": (
        "a = tf.tensor(np.full((2500, 2500), 1e-4), requires_grad=True)\ny = a\nfor _ in range(2):\n    y = y @ a\n"
        "loss = y.sum()",
        "[loss.backward() for _ in range(50)]",
    ),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", LONG_CALLS)
def test_b84_a_signal_interrupts(name, threads):
    setup, call = LONG_CALLS[name]
    code = INTERRUPT.replace("{threads}", str(threads)).replace("{setup}", setup).replace("{call}", call)
    out = run_child(code.replace("{{", "{").replace("}}", "}"), timeout=120)
    assert out == "interrupted\n[4.0] 600.0\n"


def test_a_signal_during_a_call_that_fails_gives_one_clean_exception():
    code = """
    import os, signal, sys
    import tenferro as tf

    signal.signal(signal.SIGINT, signal.default_int_handler)

    x = tf.ones((3,))
    clean = 0
    for _ in range(200):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            x + tf.ones((4,))
        except KeyboardInterrupt:
            clean += 1
        except tf.ShapeMismatchError:
            try:
                while True:
                    pass
            except KeyboardInterrupt:
                clean += 1
    print(clean, (x + x).sum().item(), sys.stderr is sys.__stderr__)
    """
    assert run_child(code) == "200 6.0 True\n"


def test_an_interrupt_inside_a_session_callback_comes_out():
    code = """
    import tenferro as tf

    ctx = tf.EagerRuntime()

    def callback(s):
        raise KeyboardInterrupt

    try:
        ctx.with_eager_session(callback)
    except KeyboardInterrupt:
        print("out", ctx.with_eager_session(lambda s: s.add(1.0, 1.0)).item())
    """
    assert run_child(code) == "out 2.0\n"
