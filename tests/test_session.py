"""`EagerSession` in both forms, its end, and entry rules."""

import threading

import numpy as np
import pytest

import tenferro as tf
from support import leaf


def test_with_eager_session_returns_what_the_callback_returns(ctx):
    token = object()
    assert ctx.with_eager_session(lambda s: token) is token
    assert ctx.with_eager_session(lambda s: None) is None


def test_with_block_and_callback_agree(ctx):
    x = leaf([[1.0, 2.0], [3.0, 4.0]], runtime=ctx)
    with ctx.session() as s:
        y = s.reduce_sum(s.mul(x, x), axes=[0, 1])
    z = ctx.with_eager_session(lambda s: s.reduce_sum(s.mul(x, x)))
    assert isinstance(s, tf.EagerSession)
    assert y.item() == z.item() == 30.0
    assert y.tracks_grad
    y.backward()
    assert x.grad.numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_an_exception_of_the_callback_comes_out_as_it_is(ctx):
    error = KeyError("mine")

    def callback(s):
        raise error

    with pytest.raises(KeyError) as caught:
        ctx.with_eager_session(callback)
    assert caught.value is error
    assert ctx.with_eager_session(lambda s: 1) == 1


def test_an_exception_ends_the_with_block(ctx):
    with pytest.raises(ZeroDivisionError), ctx.session():
        1 / 0
    with ctx.session() as s:
        assert s.add(tf.tensor(1.0, runtime=ctx), 1.0).item() == 2.0


def test_a_session_ends_with_its_block(ctx):
    x = leaf([1.0], runtime=ctx)
    with ctx.session() as s:
        s.mul(x, x)
    for use in (lambda: s.mul(x, x), lambda: s.constant_from(x.to_tensor()), lambda: s.constant_from_host([1.0])):
        with pytest.raises(tf.RuntimeStateError):
            use()


def test_a_session_ends_with_its_callback(ctx):
    kept = []
    ctx.with_eager_session(kept.append)
    with pytest.raises(tf.RuntimeStateError, match="session"):
        kept[0].mul(leaf([1.0], runtime=ctx), 2.0)


def nested_forms(ctx):
    def with_block():
        with ctx.session():
            pass

    return {"with": with_block, "callback": lambda: ctx.with_eager_session(lambda s: None)}


@pytest.mark.parametrize("outer", ["with", "callback"])
@pytest.mark.parametrize("inner", ["with", "callback"])
def test_entering_a_second_session_of_the_runtime_is_refused(ctx, outer, inner):
    enter = nested_forms(ctx)[inner]

    def attempt():
        with pytest.raises(tf.SessionEntryError) as caught:
            enter()
        assert isinstance(caught.value, tf.RuntimeStateError)

    if outer == "with":
        with ctx.session():
            attempt()
    else:
        ctx.with_eager_session(lambda s: attempt())
    enter()


def test_the_session_goes_on_after_a_refused_entry(ctx):
    x = leaf([2.0], runtime=ctx)
    with ctx.session() as s:
        with pytest.raises(tf.SessionEntryError):
            ctx.with_eager_session(lambda inner: None)
        assert s.mul(x, x).numpy().tolist() == [4.0]


def test_sessions_of_two_runtimes_nest(ctx, other):
    with ctx.session() as a, other.session() as b:
        assert a.add(tf.tensor(1.0, runtime=ctx), 1.0).item() == 2.0
        assert b.add(tf.tensor(1.0, runtime=other), 2.0).item() == 3.0


def test_methods_and_backward_work_inside_a_session(ctx):
    x = leaf([2.0, 3.0], runtime=ctx)
    with ctx.session() as s:
        loss = (s.mul(x, x) + x).sum()
        loss.backward()
        assert ctx.grad(loss, x).numpy().tolist() == [5.0, 7.0]
        assert x.to_tensor().as_slice().tolist() == [2.0, 3.0]
    assert x.grad.numpy().tolist() == [5.0, 7.0]


def test_two_threads_are_in_sessions_of_one_runtime_at_once(ctx):
    x = leaf([2.0], runtime=ctx)
    barrier = threading.Barrier(2, timeout=20)
    values = []

    def work(s):
        barrier.wait()
        value = s.mul(x, x).item()
        barrier.wait()
        values.append(value)

    threads = [threading.Thread(target=ctx.with_eager_session, args=(work,)) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(timeout=30)
    assert values == [4.0, 4.0]


def test_leaves_from_a_session(ctx):
    t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    with ctx.session() as s:
        constant, variable = s.constant_from(t), s.variable_from(t)
        host = s.constant_from_host(np.array([[1, 2], [3, 4]]))
    assert not constant.tracks_grad
    assert variable.tracks_grad
    assert host.numpy().tolist() == [[1, 2], [3, 4]]
    assert {constant.ctx_id, variable.ctx_id, host.ctx_id} == {ctx.id}


def test_a_session_refuses_tensors_of_another_runtime(ctx, other):
    x = leaf([2.0], runtime=other)
    with ctx.session() as s, pytest.raises(tf.ContextMismatchError):
        s.exp(x)


def test_a_session_takes_arrays_and_scalars_as_constants(ctx):
    x = leaf([2.0, 3.0], runtime=ctx)
    with ctx.session() as s:
        assert s.add(np.array([1.0, 2.0]), x).numpy().tolist() == [3.0, 5.0]
        assert s.mul(2, x).numpy().tolist() == [4.0, 6.0]
        assert s.exp(np.zeros(2)).ctx_id == ctx.id
