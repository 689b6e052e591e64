//! Independent values of the structural and indexing ops, by index arithmetic.

use crate::arrays::{Array, flat, indices};
use tenferro_ad::ops::cpu::{GatherConfig, ScatterConfig};
use tenferro_ad::ops::{Op, OutMeta, Pad, Reverse, Slice, Take, TakeAdd};
use tenferro_ad::tensor_core::C128;

const ZERO: C128 = C128::new(0.0, 0.0);

/// The value of a structural op by its definition.
pub fn reference(op: &Op, ins: &[Array], out: &OutMeta) -> Array {
    let x = &ins[0];
    let picked = |source: &dyn Fn(&[usize]) -> Vec<usize>| Array::generate(out.dtype, &out.shape, |i| x.at(&source(i)));
    match op {
        Op::Transpose(perm) => picked(&|i| {
            let mut place = vec![0; i.len()];
            for (to, &from) in perm.0.iter().enumerate() {
                place[from] = i[to];
            }
            place
        }),
        Op::Reshape(_) | Op::Stop(_) => Array { dtype: out.dtype, shape: out.shape.to_vec(), data: x.data.clone() },
        Op::Broadcast(broadcast) => {
            picked(&|i| broadcast.dims.iter().zip(&x.shape).map(|(&to, &n)| if n == 1 { 0 } else { i[to] }).collect())
        }
        Op::Reverse(Reverse(axes)) => {
            picked(&|i| (0..i.len()).map(|a| if axes.contains(&a) { x.shape[a] - 1 - i[a] } else { i[a] }).collect())
        }
        Op::Slice(Slice(dims)) => picked(&|i| (0..i.len()).map(|a| dims.starts[a] + i[a] * dims.strides[a]).collect()),
        Op::Take(Take { axis, indices }) => picked(&|i| {
            let mut place = i.to_vec();
            place[*axis] = indices[i[*axis]];
            place
        }),
        Op::TakeFlat(take) => Array::generate(out.dtype, &out.shape, |i| x.data[take.positions[flat(&take.shape, i)]]),
        Op::Pad(pad) => padded(pad, x, out),
        Op::Concatenate(along) => joined(along.0, ins, out),
        Op::TakeAdd(TakeAdd { axis, indices: list, .. }) => added(out, None, x, |i| {
            let mut place = i.to_vec();
            place[*axis] = list[i[*axis]];
            flat(&out.shape, &place)
        }),
        Op::ScatterFlat(scatter) => added(out, None, x, |i| scatter.positions[flat(&x.shape, i)]),
        Op::PutFlat(put) => {
            let mut data = x.data.clone();
            for (&position, &value) in put.0.iter().zip(&ins[1].data) {
                data[position] = value;
            }
            Array { data, ..x.clone() }
        }
        Op::Gather(gather) => gathered(&gather.0, x, &ins[1], out),
        Op::Scatter(scatter) => {
            added(out, Some(x), &ins[2], |i| flat(&out.shape, &scattered(&scatter.0, x, &ins[1], &ins[2].shape, i)))
        }
        other => panic!("{other:?} has no reference; write one"),
    }
}

/// Each element of `x` added at a position of `base`, or of zeros.
fn added(out: &OutMeta, base: Option<&Array>, x: &Array, position: impl Fn(&[usize]) -> usize) -> Array {
    let count: usize = out.shape.iter().product();
    let mut data = base.map_or(vec![ZERO; count], |b| b.data.clone());
    for (index, &value) in indices(&x.shape).iter().zip(&x.data) {
        data[position(index)] += value;
    }
    Array { dtype: out.dtype, shape: out.shape.to_vec(), data }
}

fn padded(pad: &Pad, x: &Array, out: &OutMeta) -> Array {
    let dims = &*pad.0;
    Array::generate(out.dtype, &out.shape, |index| {
        let mut place = Vec::new();
        for (axis, &i) in index.iter().enumerate() {
            let from_first = i as i64 - dims.low[axis];
            let step = dims.interior[axis] as i64 + 1;
            let inside = from_first >= 0 && from_first % step == 0 && from_first / step < x.shape[axis] as i64;
            if !inside {
                return ZERO;
            }
            place.push((from_first / step) as usize);
        }
        x.at(&place)
    })
}

fn joined(axis: usize, ins: &[Array], out: &OutMeta) -> Array {
    Array::generate(out.dtype, &out.shape, |index| {
        let mut place = index.to_vec();
        for x in ins {
            if place[axis] < x.shape[axis] {
                return x.at(&place);
            }
            place[axis] -= x.shape[axis];
        }
        panic!("an index inside one of the pieces")
    })
}

/// Start of the window that `batch` names, before clamping.
fn start(list: &Array, vector_dim: usize, batch: &[usize], map: &[usize], rank: usize) -> Vec<i64> {
    let mut start = vec![0; rank];
    for (k, &axis) in map.iter().enumerate() {
        let mut place = batch.to_vec();
        if vector_dim < list.shape.len() {
            place.insert(vector_dim, k);
        }
        start[axis] = list.at(&place).re as i64;
    }
    start
}

fn clamped(start: i64, extent: usize, window: usize) -> usize {
    start.clamp(0, (extent - window) as i64) as usize
}

fn gathered(cfg: &GatherConfig, x: &Array, list: &Array, out: &OutMeta) -> Array {
    Array::generate(out.dtype, &out.shape, |index| {
        let split = |inside: bool| -> Vec<usize> {
            (0..index.len()).filter(|d| cfg.offset_dims.contains(d) == inside).map(|d| index[d]).collect()
        };
        let start = start(list, cfg.index_vector_dim, &split(false), &cfg.start_index_map, x.shape.len());
        let mut offsets = split(true).into_iter();
        let place: Vec<usize> = (0..x.shape.len())
            .map(|d| {
                let offset = if cfg.collapsed_slice_dims.contains(&d) { 0 } else { offsets.next().expect("an offset") };
                clamped(start[d], x.shape[d], cfg.slice_sizes[d]) + offset
            })
            .collect();
        x.at(&place)
    })
}

/// Where the update at `index` goes.
fn scattered(cfg: &ScatterConfig, x: &Array, list: &Array, updates: &[usize], index: &[usize]) -> Vec<usize> {
    let split = |inside: bool| -> Vec<usize> {
        (0..index.len()).filter(|d| cfg.update_window_dims.contains(d) == inside).collect()
    };
    let batch: Vec<usize> = split(false).iter().map(|&d| index[d]).collect();
    let start = start(list, cfg.index_vector_dim, &batch, &cfg.scatter_dims_to_operand_dims, x.shape.len());
    let mut window = split(true).into_iter();
    (0..x.shape.len())
        .map(|d| match cfg.inserted_window_dims.contains(&d) {
            true => clamped(start[d], x.shape[d], 1),
            false => {
                let along = window.next().expect("a window axis");
                clamped(start[d], x.shape[d], updates[along]) + index[along]
            }
        })
        .collect()
}
