"""Failed allocations: `OutOfMemoryError` and `MemoryLimitError`, never the end of the process."""

import pytest

from support import run_child

LIMIT = 4 * 10**9
SMALL = 10**9

TOO_LARGE = {
    "zeros": "tf.zeros((2**30,))",
    "ones": "tf.ones((2**30,))",
    "full": "tf.full((2**30,), 2.5)",
    "eye": "tf.eye(2**15)",
    "arange": "tf.arange(2**30)",
    "linspace": "tf.linspace(0.0, 1.0, 2**30)",
    "zeros_like": "tf.zeros_like(tf.tensor(1.0).broadcast_in_dim((2**30,), []))",
    "normal": "tf.random.normal(tf.random.key(0), (2**30,))",
    "randint": "tf.random.randint(tf.random.key(0), (2**30,), 0, 5)",
    "permutation": "tf.random.permutation(tf.random.key(0), 2**30)",
    "add": "b + b",
    "exp": "b.exp()",
    "where": "tf.where(b > 0, b, b)",
    "clamp": "b.clamp(0.0, 1.0)",
    "cast": "b.cast(tf.complex128)",
    "compare": "tf.tensor(1.0).broadcast_in_dim((2**33,), []) > 0",
    "sum": "tf.tensor(1.0).broadcast_in_dim((2, 2**30), []).sum(0)",
    "matmul": "v.reshape((40_000, 1)) @ v.reshape((1, 40_000))",
    "dot_general": "tf.dot_general(v, v, lhs_contracting=[], rhs_contracting=[])",
    "reshape": "b.reshape((2, 2**29)) + 1.0",
    "copy": "b.to_tensor()",
    "pad": "v.pad([0], [2**30])",
    "concatenate": "tf.concatenate([b, b], 0)",
    "stack": "tf.stack([b, b], 0)",
    "take": "tf.tensor([1.0]).take(tf.tensor(0).broadcast_in_dim((2**30,), []))",
    "index": "v[:, None].broadcast_in_dim((40_000, 40_000), [0, 1])[::2].exp()",
    "at": "b.at[0].set(1.0)",
    "from_numpy": "tf.Tensor.from_numpy(np.broadcast_to(np.ones(1), (2**30,)))",
    "tensor": "tf.tensor(np.broadcast_to(np.ones(1), (2**30,)))",
    "numpy copy": "b.duplicate_value()",
    "tracked": "leaf.broadcast_in_dim((2**30,), []).exp().sum().backward()",
}

PROGRAM = """
import gc
import numpy as np
import tenferro as tf

b = tf.tensor(1.0).broadcast_in_dim((2**30,), [])
v = tf.ones((40_000,))
leaf = tf.tensor(1.0, requires_grad=True)
calls = {calls}
for name, call in calls.items():
    baseline = tf.live_tensors()
    try:
        eval(call)
        print(name, "succeeded")
    except tf.OutOfMemoryError as error:
        message = str(error)
        fields = error.bytes, error.shape, error.dtype
        if not (isinstance(error, MemoryError) and error.bytes and error.bytes >= 2**30 and str(error.bytes) in message):
            print(name, "says", message, fields)
    except MemoryError as error:
        print(name, "plain MemoryError", error)
    except Exception as error:
        print(name, type(error).__name__, error)
    gc.collect()
    if tf.live_tensors() != baseline:
        print(name, "leaves", tf.live_tensors() - baseline, "tensors")
assert (tf.ones((3,)) + 1.0).sum().item() == 6.0
leaf.backward()
print("done")
"""


def test_under_a_limit_of_address_space_every_op_raises():
    out = run_child(PROGRAM.replace("{calls}", repr(TOO_LARGE)), timeout=120, address_space=LIMIT)
    assert out == "done\n"


def test_fields_of_the_error():
    code = """
    import tenferro as tf

    try:
        tf.zeros((2**28, 3), dtype=tf.float64)
    except tf.OutOfMemoryError as error:
        print(error.bytes, error.shape, error.dtype == tf.float64, error.op)
        print("float64" in str(error), "(268435456, 3)" in str(error))
    """
    assert run_child(code, address_space=LIMIT) == "6442450944 (268435456, 3) True zeros\nTrue True\n"


def test_many_allocations_until_nothing_is_left():
    code = """
    import tenferro as tf

    held = []
    try:
        for _ in range(10_000):
            held.append(tf.ones((2**22,)))
    except MemoryError as error:
        kept = len(held)
        print(isinstance(error, tf.OutOfMemoryError), 10 < kept < 200)
        held.clear()
        print(tf.ones((2**22,)).sum().item())
    """
    assert run_child(code, address_space=LIMIT) == "True True\n4194304.0\n"


def test_the_limit_of_the_library():
    code = """
    import tenferro as tf

    tf.set_memory_limit(50_000_000)
    small = tf.ones((1000,))
    for call in (lambda: tf.zeros((10_000_000,)), lambda: small.broadcast_in_dim((10_000, 1000), [1]) + 1.0):
        try:
            call()
            print("no error")
        except tf.MemoryLimitError as error:
            print(isinstance(error, tf.BackendError), "50000000" in str(error).replace("_", "").replace(",", ""))
    held = [tf.ones((1_000_000,)) for _ in range(4)]
    try:
        held += [tf.ones((1_000_000,)) for _ in range(4)]
        print("no error")
    except tf.MemoryLimitError:
        held.clear()
    print(tf.ones((1_000_000,)).sum().item())
    tf.set_memory_limit(None)
    print(tf.zeros((10_000_000,)).shape)
    """
    assert run_child(code) == "True True\nTrue True\n1000000.0\n(10000000,)\n"


@pytest.mark.parametrize("shape", ["(2**46,)", "(2**20, 2**20, 2)", "(2**59,)"])
def test_no_limit_is_needed_for_what_no_machine_has(shape):
    code = f"""
    import tenferro as tf

    for make in (tf.zeros, tf.ones, lambda s: tf.random.normal(tf.random.key(0), s)):
        try:
            make({shape})
            print("no error")
        except tf.OutOfMemoryError:
            pass
    print("done")
    """
    assert run_child(code) == "done\n"


LITTLE_LEFT = """
import numpy as np
import tenferro as tf

tf.set_num_threads({threads})
a = tf.tensor(np.ones((400, 700)), dtype={dtype})
b = tf.tensor(np.ones((700, 400)), dtype={dtype})
expected = (a @ b).sum().item()
tf.ones((1000,)).exp()
held, finished, refused = [], 0, 0
for size in (2**22, 2**19, 2**16, 2**13, 2**10):
    try:
        while True:
            held.append(tf.ones((size,)))
    except tf.OutOfMemoryError:
        pass
for free in range(60):
    try:
        value = (a.T.clone() @ b.T).sum().item() if free % 2 else (a @ b).sum().item()
        finished += value == expected or free % 2
    except tf.OutOfMemoryError:
        refused += 1
    del held[-2:]
    if free == 30:
        del held[: len(held) // 2]
print(finished + refused, finished > 0, refused > 0)
held.clear()
print((a @ b).sum().item() == expected)
"""


@pytest.mark.parametrize("dtype", ["tf.float32", "tf.float64", "tf.complex128", "tf.int64"])
@pytest.mark.parametrize("threads", [1, 2, 6])
def test_products_with_little_memory_left(dtype, threads):
    code = LITTLE_LEFT.replace("{dtype}", dtype).replace("{threads}", str(threads))
    assert run_child(code, timeout=120, address_space=SMALL) == "60 True True\nTrue\n"


def test_records_and_lists_with_nothing_left():
    code = """
    import tenferro as tf

    x = tf.tensor([1.0], requires_grad=True)
    held, steps = [], 0
    for size in (2**22, 2**18, 2**14, 2**10, 2**6):
        try:
            while True:
                held.append(tf.ones((size,)))
        except MemoryError as error:
            steps += isinstance(error, tf.OutOfMemoryError)
    y = x
    try:
        while True:
            y = y * x
    except MemoryError:
        pass
    held.clear()
    y.sum().backward()
    print(steps > 3, x.grad.numpy()[0] > 0)
    """
    assert run_child(code, timeout=120, address_space=SMALL) == "True True\n"
