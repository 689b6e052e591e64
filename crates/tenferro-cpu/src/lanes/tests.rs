use super::*;
use crate::test_support::{Noise, any_layout, at, indices};
use std::cmp::Ordering;
use tenferro_tensor::{DType, Dims, Scalar, Tensor};

const SHAPES: &[&[usize]] = &[&[7], &[5, 6], &[3, 70, 2], &[90, 4], &[0, 3], &[3, 0], &[2, 1, 3]];

/// The elements of every lane, and the index of its first element.
fn lanes<T: Scalar>(x: &Tensor, axis: usize) -> Vec<(Dims, Vec<T>)> {
    let starts = indices(x.shape()).into_iter().filter(|index| index[axis] == 0);
    let lane = |start: &Dims| {
        let place = |k| {
            let mut index = start.clone();
            index[axis] = k;
            index
        };
        (0..x.shape()[axis]).map(|k| at::<T>(x, &place(k))).collect()
    };
    starts.map(|start| (start.clone(), lane(&start))).collect()
}

fn for_each_input(dtype: DType, seed: u64, mut check: impl FnMut(&Tensor, usize)) {
    let mut noise = Noise(seed);
    for shape in SHAPES {
        for axis in 0..shape.len() {
            let x = noise.tensor(dtype, shape);
            check(&any_layout(&mut noise, &x), axis);
        }
    }
}

#[test]
fn running_sums_and_products() {
    for_each_input(DType::F64, 1, |x, axis| {
        for reverse in [false, true] {
            for (op, f) in [(ScanOp::Sum, (|a, b| a + b) as fn(f64, f64) -> f64), (ScanOp::Prod, |a, b| a * b)] {
                let y = scan(op, x, axis, reverse).unwrap();
                for ((_, mut from), (_, mut to)) in lanes::<f64>(x, axis).into_iter().zip(lanes::<f64>(&y, axis)) {
                    if reverse {
                        from.reverse();
                        to.reverse();
                    }
                    let expected: Vec<f64> =
                        (0..from.len()).map(|k| from[..=k].iter().copied().reduce(f).unwrap()).collect();
                    assert_eq!(to, expected);
                }
            }
        }
    });
}

#[test]
fn log_sum_exp_neither_overflows_nor_underflows() {
    let x = Tensor::from_slice("test", &[5], &[-2000.0, 1000.0, 1000.0, f64::NEG_INFINITY, f64::INFINITY]).unwrap();
    let y = scan(ScanOp::LogSumExp, &x, 0, false).unwrap();
    let two = 1000.0 + 2f64.ln();
    assert_eq!(y.as_slice::<f64>().unwrap(), [-2000.0, 1000.0, two, two, f64::INFINITY]);
    let x = Tensor::from_slice("test", &[4], &[f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0]).unwrap();
    let y = scan(ScanOp::LogSumExp, &x, 0, false).unwrap();
    let y = y.as_slice::<f64>().unwrap();
    assert!(y[..2] == [f64::NEG_INFINITY; 2] && y[2].is_nan() && y[3].is_nan());
}

/// NaN above all.
fn order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[test]
fn sorting_is_stable_in_both_directions() {
    let special = [0.0, -0.0, f64::NAN, 3.5, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324, 0.0, f64::NAN, -5e-324];
    let x = Tensor::from_slice("test", &[11], &special).unwrap();
    let up = arg_sort(&x, 0, false).unwrap();
    assert_eq!(up.as_slice::<i64>().unwrap(), [5, 10, 0, 1, 6, 8, 7, 3, 4, 2, 9]);
    let down = arg_sort(&x, 0, true).unwrap();
    assert_eq!(down.as_slice::<i64>().unwrap(), [4, 3, 7, 0, 1, 6, 8, 10, 5, 2, 9]);
    let ends = Tensor::from_slice("test", &[4], &[0, i64::MAX, i64::MIN, i64::MAX]).unwrap();
    assert_eq!(arg_sort(&ends, 0, false).unwrap().as_slice::<i64>().unwrap(), [2, 0, 1, 3]);
    assert_eq!(arg_sort(&ends, 0, true).unwrap().as_slice::<i64>().unwrap(), [1, 3, 0, 2]);
    assert_eq!(arg_reduce(&ends, 0, false).unwrap().item::<i64>(), Some(2));
    assert_eq!(arg_reduce(&ends, 0, true).unwrap().item::<i64>(), Some(1));
    for_each_input(DType::F64, 2, |x, axis| {
        let y = take_along(x, &arg_sort(x, axis, false).unwrap(), axis).unwrap();
        for ((_, mut from), (_, to)) in lanes::<f64>(x, axis).into_iter().zip(lanes::<f64>(&y, axis)) {
            from.sort_by(|a, b| order(*a, *b));
            assert_eq!(from, to);
        }
    });
    for &dtype in DType::ALL {
        assert_eq!(arg_sort(&Noise(3).tensor(dtype, &[4]), 0, false).is_ok(), sortable(dtype));
    }
}

#[test]
fn the_first_extremum_wins_and_nan_above_all() {
    let x = [1.0, 3.0, 3.0, f64::NAN, -2.0, f64::NAN];
    let x = Tensor::from_slice("test", &[6], &x).unwrap();
    assert_eq!(arg_scan(&x, 0, true).unwrap().as_slice::<i64>().unwrap(), [0, 1, 1, 3, 3, 3]);
    assert_eq!(arg_scan(&x, 0, false).unwrap().as_slice::<i64>().unwrap(), [0, 0, 0, 3, 3, 3]);
    assert_eq!(arg_reduce(&x, 0, true).unwrap().item::<i64>(), Some(3));
    for_each_input(DType::I64, 4, |x, axis| {
        if x.shape()[axis] == 0 {
            assert!(arg_reduce(x, axis, true).is_err());
            return;
        }
        for greatest in [false, true] {
            let found = arg_reduce(x, axis, greatest).unwrap();
            for (start, lane) in lanes::<i64>(x, axis) {
                let best = if greatest { lane.iter().max() } else { lane.iter().min() };
                let mut index = start.clone();
                index.remove(axis);
                let expected = lane.iter().position(|v| Some(v) == best).unwrap();
                assert_eq!(at::<i64>(&found, &index), expected as i64);
            }
        }
    });
}

#[test]
fn searching_counts_what_is_below() {
    let sorted = Tensor::from_slice("test", &[4], &[-1.0, 2.0, 2.0, 5.0]).unwrap();
    let values = Tensor::from_slice("test", &[3, 2], &[2.0, -3.0, 9.0, f64::NAN, 5.0, -1.0]).unwrap();
    assert_eq!(search_sorted(&sorted, &values, false).unwrap().as_slice::<i64>().unwrap(), [1, 0, 4, 4, 3, 0]);
    assert_eq!(search_sorted(&sorted, &values, true).unwrap().as_slice::<i64>().unwrap(), [3, 0, 4, 4, 4, 1]);
}

#[test]
fn picking_and_adding_along_an_axis_are_adjoint() {
    let mut noise = Noise(5);
    for shape in SHAPES {
        for axis in 0..shape.len() {
            let mut short = Dims::from_slice(shape);
            short[axis] = 4;
            let extent = shape[axis];
            if extent == 0 {
                continue;
            }
            let count: usize = short.iter().product();
            let list: Vec<i64> = (0..count).map(|_| noise.below(2 * extent) as i64 - extent as i64).collect();
            let list = Tensor::from_slice("test", &short, &list).unwrap();
            let (x, ct) = (noise.tensor(DType::F64, shape), noise.tensor(DType::F64, &short));
            let y = take_along(&any_layout(&mut noise, &x), &list, axis).unwrap();
            let back = add_along(&any_layout(&mut noise, &ct), &list, axis, extent).unwrap();
            assert_eq!(back.shape(), *shape);
            for index in indices(&short) {
                let from = at::<i64>(&list, &index).rem_euclid(extent as i64) as usize;
                let mut place = index.clone();
                place[axis] = from;
                assert_eq!(at::<f64>(&y, &index), at::<f64>(&x, &place));
            }
            let dot = |a: &Tensor, b: &Tensor| -> f64 {
                indices(a.shape()).iter().map(|i| at::<f64>(a, i) * at::<f64>(b, i)).sum()
            };
            assert!((dot(&y, &ct) - dot(&x, &back)).abs() < 1e-12);
        }
    }
    let x = noise.tensor(DType::F64, &[3, 2]);
    for wrong in [3i64, -4] {
        let list = Tensor::from_slice("test", &[1, 2], &[0, wrong]).unwrap();
        assert!(take_along(&x, &list, 0).unwrap_err().message().contains(&wrong.to_string()));
        assert!(add_along(&noise.tensor(DType::F64, &[1, 2]), &list, 0, 3).is_err());
    }
}
