//! Independent values of the ops that work along an axis, lane by lane.

use crate::arrays::{Array, flat};
use std::cmp::Ordering;
use tenferro_ad::ops::cpu::ScanOp;
use tenferro_ad::ops::{Op, OutMeta};
use tenferro_ad::tensor_core::C128;

/// The value by its definition, if the op is one of these.
pub fn reference(op: &Op, ins: &[Array], out: &OutMeta) -> Option<Array> {
    let x = &ins[0];
    let lane = |index: &[usize], axis: usize| -> Vec<C128> {
        let place = |k| {
            let mut place = index.to_vec();
            place[axis] = k;
            x.at(&place)
        };
        (0..x.shape[axis]).map(place).collect()
    };
    let whole = |value: usize| C128::new(value as f64, 0.0);
    let generate = |f: &dyn Fn(&[usize]) -> C128| Some(Array::generate(out.dtype, &out.shape, f));
    match op {
        Op::Scan(scan) => generate(&|index| {
            let (lane, here) = (lane(index, scan.axis), index[scan.axis]);
            accumulated(scan.op, if scan.reverse { &lane[here..] } else { &lane[..=here] })
        }),
        Op::ArgSort(sort) => generate(&|index| {
            let lane = lane(index, sort.axis);
            let mut order: Vec<usize> = (0..lane.len()).collect();
            order.sort_by(|&a, &b| {
                let up = lane[a].re.partial_cmp(&lane[b].re).expect("no NaN");
                if sort.descending { up.reverse() } else { up }
            });
            whole(order[index[sort.axis]])
        }),
        Op::ArgReduce(reduce) => generate(&|index| {
            let mut index = index.to_vec();
            index.insert(reduce.axis, 0);
            whole(extremum(&lane(&index, reduce.axis), reduce.greatest))
        }),
        Op::ArgScan(scan) => {
            generate(&|index| whole(extremum(&lane(index, scan.axis)[..=index[scan.axis]], scan.greatest)))
        }
        Op::SearchSorted(search) => generate(&|index| {
            let value = ins[1].at(index).re;
            whole(x.data.iter().filter(|z| z.re < value || search.right && z.re == value).count())
        }),
        Op::TakeAlong(take) => generate(&|index| {
            let mut place = index.to_vec();
            place[take.axis] = position(&ins[1], index, x.shape[take.axis]);
            x.at(&place)
        }),
        Op::AddAlong(add) => {
            let mut data = vec![C128::default(); out.shape.iter().product()];
            for (index, &value) in crate::arrays::indices(&x.shape).iter().zip(&x.data) {
                let mut place = index.clone();
                place[add.axis] = position(&ins[1], index, add.extent);
                data[flat(&out.shape, &place)] += value;
            }
            Some(Array { dtype: out.dtype, shape: out.shape.to_vec(), data })
        }
        _ => None,
    }
}

fn position(indices: &Array, index: &[usize], extent: usize) -> usize {
    (indices.at(index).re as i64).rem_euclid(extent as i64) as usize
}

fn accumulated(op: ScanOp, values: &[C128]) -> C128 {
    match op {
        ScanOp::Sum => values.iter().sum(),
        ScanOp::Prod => values.iter().product(),
        ScanOp::LogSumExp => values.iter().map(|z| z.exp()).sum::<C128>().ln(),
    }
}

/// The first of the greatest or least.
fn extremum(lane: &[C128], greatest: bool) -> usize {
    let better = |a: C128, b: C128| {
        let order = a.re.partial_cmp(&b.re).expect("no NaN");
        order == if greatest { Ordering::Greater } else { Ordering::Less }
    };
    (0..lane.len()).fold(0, |best, k| if better(lane[k], lane[best]) { k } else { best })
}
