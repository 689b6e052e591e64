use super::*;
use crate::test_support::{Noise, at, element_bytes, indices, layouts, shapes, stored};
use crate::threads;
use tenferro_tensor::Variant;

/// All subsets of the axes.
fn subsets(rank: usize) -> Vec<Dims> {
    (0..1usize << rank).map(|mask| (0..rank).filter(|axis| mask >> axis & 1 == 1).collect()).collect()
}

/// The tree of the module's documentation, recursively, on a list of elements.
fn tree<T: Copy>(x: &[T], lanes: usize, f: &impl Fn(T, T) -> T) -> T {
    fn halves<T: Copy>(x: &[T], f: &impl Fn(T, T) -> T) -> T {
        match x.len() {
            1 => x[0],
            n => {
                let half = n.next_power_of_two() / 2;
                f(halves(&x[..half], f), halves(&x[half..], f))
            }
        }
    }
    let leaf = |x: &[T]| {
        let mut lane: Vec<T> = x[..lanes.min(x.len())].to_vec();
        for (i, &v) in x.iter().enumerate().skip(lanes) {
            lane[i % lanes] = f(lane[i % lanes], v);
        }
        let mut half = lanes / 2;
        while half > 0 {
            for i in half..lane.len() {
                lane[i - half] = f(lane[i - half], lane[i]);
            }
            lane.truncate(half.max(1));
            half /= 2;
        }
        lane[0]
    };
    let span = |x: &[T]| halves(&x.chunks(256).map(leaf).collect::<Vec<T>>(), f);
    halves(&x.chunks(1 << 16).map(span).collect::<Vec<T>>(), f)
}

fn expected<T: Scalar>(x: &Tensor, axes: &[usize], lanes: usize, f: impl Fn(T, T) -> T) -> Vec<T> {
    let kept: Dims = (0..x.rank()).filter(|a| !axes.contains(a)).collect();
    let pick = |which: &[usize]| which.iter().map(|&a| x.shape()[a]).collect::<Dims>();
    let mut sorted = Dims::from_slice(axes);
    sorted.sort();
    let fold = |outer: &Dims| {
        let elements: Vec<T> = indices(&pick(&sorted))
            .iter()
            .map(|inner| {
                let mut index = Dims::from_elem(0, x.rank());
                kept.iter().zip(outer).for_each(|(&a, &i)| index[a] = i);
                sorted.iter().zip(inner).for_each(|(&a, &i)| index[a] = i);
                at::<T>(x, &index)
            })
            .collect();
        tree(&elements, lanes, &f)
    };
    indices(&pick(&kept)).iter().map(fold).collect()
}

fn check<T: Scalar>(op: ReduceOp, x: &Tensor, lanes: usize, f: impl Fn(T, T) -> T + Copy) {
    let all = subsets(x.rank());
    for axes in all.iter().step_by(if x.rank() > 4 { 11 } else { 1 }) {
        if axes.iter().any(|&a| x.shape()[a] == 0) {
            continue;
        }
        let expected = match axes.is_empty() {
            true => compact(x).unwrap().as_slice::<T>().unwrap().to_vec(),
            false => expected(x, axes, lanes, f),
        };
        for view in layouts(x) {
            let y = reduce(op, &view, axes).unwrap();
            assert!(y.is_compact());
            assert_eq!(y.as_slice::<T>().unwrap(), expected, "{op:?} {view:?} {axes:?} {:?}", view.layout());
        }
    }
}

#[test]
fn every_layout_follows_the_one_tree() {
    let mut noise = Noise(11);
    for shape in shapes().into_iter().filter(|shape| shape.iter().product::<usize>() < 5000) {
        let mut x = |dtype| noise.tensor(dtype, &shape);
        check::<f32>(ReduceOp::Sum, &x(DType::F32), 16, |a, b| a + b);
        check::<f64>(ReduceOp::Sum, &x(DType::F64), 8, |a, b| a + b);
        check::<C64>(ReduceOp::Sum, &x(DType::C64), 8, |a, b| a + b);
        check::<C128>(ReduceOp::Prod, &x(DType::C128), 4, |a, b| a * b);
        check::<i32>(ReduceOp::Prod, &x(DType::I32), 16, |a, b| a.wrapping_mul(b));
        check::<i64>(ReduceOp::Sum, &x(DType::I64), 8, |a, b| a.wrapping_add(b));
        check::<f64>(ReduceOp::Max, &x(DType::F64), 8, f64::max);
        check::<f32>(ReduceOp::Min, &x(DType::F32), 16, f32::min);
        check::<i32>(ReduceOp::Max, &x(DType::I32), 16, |a, b| a.max(b));
        check::<i64>(ReduceOp::Min, &x(DType::I64), 8, |a, b| a.min(b));
        check::<bool>(ReduceOp::All, &x(DType::Bool), 64, |a, b| a & b);
        check::<bool>(ReduceOp::Any, &x(DType::Bool), 64, |a, b| a | b);
        check::<bool>(ReduceOp::Max, &x(DType::Bool), 64, |a, b| a | b);
        check::<bool>(ReduceOp::Min, &x(DType::Bool), 64, |a, b| a & b);
    }
}

#[test]
fn long_reductions_follow_the_tree_for_any_number_of_threads() {
    let mut noise = Noise(12);
    for shape in [&[300_000][..], &[3, 150_001], &[90_000, 5], &[40, 3, 5000], &[700, 1000], &[70_000, 9]] {
        let x = noise.tensor(DType::F64, shape);
        let backward: Dims = (0..x.rank()).rev().collect();
        let flipped = stored(&x, &backward, 2, true);
        for axes in subsets(x.rank()).into_iter().filter(|axes| !axes.is_empty()) {
            let expected = expected(&x, &axes, 8, |a: f64, b: f64| a + b);
            for threads in [1, 2, 5] {
                threads::set_num_threads(threads);
                for view in [&x, &flipped] {
                    let y = reduce(ReduceOp::Sum, view, &axes).unwrap();
                    assert_eq!(y.as_slice::<f64>().unwrap(), expected, "{shape:?} {axes:?} {threads}");
                }
            }
            threads::set_num_threads(0);
        }
    }
}

#[test]
fn sums_are_accurate() {
    let x = Tensor::from_slice("test", &[1 << 22], &vec![0.1f32; 1 << 22]).unwrap();
    let y = reduce(ReduceOp::Sum, &x, &[0]).unwrap().item::<f32>().unwrap();
    let exact = f64::from(0.1f32) * f64::from(1 << 22);
    assert!((f64::from(y) - exact).abs() < 4e-6 * exact, "{y} {exact}");
}

#[test]
fn extrema_propagate_nan() {
    let n = 1000;
    for place in [0, 1, 7, 8, 300, 511, 999] {
        let mut data: Vec<f64> = (0..n).map(f64::from).collect();
        data[place] = f64::NAN;
        let x = Tensor::from_slice("test", &[1000], &data).unwrap();
        let rows = Tensor::from_slice("test", &[10, 100], &data).unwrap();
        for op in [ReduceOp::Max, ReduceOp::Min] {
            assert!(reduce(op, &x, &[0]).unwrap().item::<f64>().unwrap().is_nan(), "{place}");
            let y = reduce(op, &rows, &[1]).unwrap();
            let nans: Vec<bool> = y.as_slice::<f64>().unwrap().iter().map(|v| v.is_nan()).collect();
            assert_eq!(nans, (0..10).map(|i| i == place % 10).collect::<Vec<_>>());
        }
    }
}

#[test]
fn axes_without_elements_give_the_neutral_element() {
    let x = Tensor::from_slice::<f64>("test", &[0, 3], &[]).unwrap();
    assert_eq!(reduce(ReduceOp::Sum, &x, &[0]).unwrap().as_slice::<f64>().unwrap(), [0.0; 3]);
    assert_eq!(reduce(ReduceOp::Prod, &x, &[0]).unwrap().as_slice::<f64>().unwrap(), [1.0; 3]);
    assert_eq!(reduce(ReduceOp::Sum, &x, &[0, 1]).unwrap().item::<f64>(), Some(0.0));
    assert_eq!(reduce(ReduceOp::Max, &x, &[1]).unwrap().shape(), [0]);
    let error = reduce(ReduceOp::Max, &x, &[0]).unwrap_err();
    assert_eq!(error.variant(), Variant::InvalidArgument);
    assert!(error.message().contains("'axes'"), "{error}");
    let none = Tensor::from_slice::<bool>("test", &[0], &[]).unwrap();
    assert_eq!(reduce(ReduceOp::All, &none, &[0]).unwrap().item::<bool>(), Some(true));
    assert_eq!(reduce(ReduceOp::Any, &none, &[0]).unwrap().item::<bool>(), Some(false));
}

#[test]
fn no_axes_is_the_input_itself() {
    let x = Tensor::from_slice("test", &[2, 2], &[1, 2, 3, 4]).unwrap();
    let y = reduce(ReduceOp::Sum, &x.with_layout(x.layout().permuted(&[1, 0])), &[]).unwrap();
    assert_eq!(y.as_slice::<i32>().unwrap(), [1, 3, 2, 4]);
    assert_eq!(element_bytes(&reduce(ReduceOp::Sum, &x, &[]).unwrap()), element_bytes(&x));
}

#[test]
fn wrong_calls_have_typed_errors() {
    let x = Tensor::from_slice("test", &[2], &[C64::ONE, C64::ONE]).unwrap();
    let variant = |op, axes: &[usize]| reduce(op, &x, axes).unwrap_err().variant();
    assert_eq!(variant(ReduceOp::Sum, &[1]), Variant::AxisOutOfBounds);
    assert_eq!(variant(ReduceOp::Sum, &[0, 0]), Variant::DuplicateAxis);
    assert_eq!(variant(ReduceOp::Max, &[0]), Variant::UnsupportedDType);
    assert_eq!(variant(ReduceOp::Any, &[0]), Variant::UnsupportedDType);
    for &dtype in DType::ALL {
        let x = Noise(1).tensor(dtype, &[3]);
        for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::All, ReduceOp::Any] {
            let output = reduce(op, &x, &[0]).ok().map(|y| y.dtype());
            assert_eq!(output, reduce_output(op, dtype), "{op:?} {dtype}");
        }
    }
}
