use super::ring::Ring;
use super::*;
use crate::test_support::{Noise, at, element_bytes, indices, layouts, stored};
use crate::threads;

fn dims(contracting: (&[usize], &[usize]), batch: (&[usize], &[usize])) -> DotDims {
    let [lhs_contracting, rhs_contracting, lhs_batch, rhs_batch] =
        [contracting.0, contracting.1, batch.0, batch.1].map(Dims::from_slice);
    DotDims { lhs_contracting, rhs_contracting, lhs_batch, rhs_batch }
}

fn matmul_dims() -> DotDims {
    dims((&[1], &[0]), (&[], &[]))
}

/// Elements of the result, and of the sums of absolute values that bound their rounding errors.
fn naive<T: Ring>(a: &Tensor, b: &Tensor, d: &DotDims, size_of: impl Fn(T) -> f64) -> Vec<(T, f64)> {
    let shape = dot_shape(a.shape(), b.shape(), d).unwrap();
    let a_free = free(a.rank(), &d.lhs_contracting, &d.lhs_batch);
    let b_free = free(b.rank(), &d.rhs_contracting, &d.rhs_batch);
    let inner: Dims = d.lhs_contracting.iter().map(|&axis| a.shape()[axis]).collect();
    let sum = |outer: &Dims| {
        let (mut i, mut j) = (Dims::from_elem(0, a.rank()), Dims::from_elem(0, b.rank()));
        let (to_a, rest) = outer.split_at(a_free.len());
        let (to_b, to_batch) = rest.split_at(b_free.len());
        let set = |index: &mut Dims, axes: &[usize], values: &[usize]| {
            axes.iter().zip(values).for_each(|(&axis, &value)| index[axis] = value);
        };
        set(&mut i, &a_free, to_a);
        set(&mut j, &b_free, to_b);
        set(&mut i, &d.lhs_batch, to_batch);
        set(&mut j, &d.rhs_batch, to_batch);
        indices(&inner).iter().fold((T::ZERO, 0.0), |(total, bound), l| {
            set(&mut i, &d.lhs_contracting, l);
            set(&mut j, &d.rhs_contracting, l);
            let (x, y) = (at::<T>(a, &i), at::<T>(b, &j));
            (total.plus(x.times(y)), bound + size_of(x) * size_of(y))
        })
    };
    indices(&shape).iter().map(sum).collect()
}

fn check<T: Ring>(
    a: &Tensor,
    b: &Tensor,
    d: &DotDims,
    eps: f64,
    size_of: impl Fn(T) -> f64,
    minus: impl Fn(T, T) -> T,
) {
    let expected = naive::<T>(a, b, d, &size_of);
    let y = dot_general(a, b, d).unwrap();
    assert!(y.is_compact());
    let values = y.as_slice::<T>().unwrap();
    assert_eq!(values.len(), expected.len());
    let k: usize = d.lhs_contracting.iter().map(|&axis| a.shape()[axis]).product();
    for (&value, &(exact, bound)) in values.iter().zip(&expected) {
        let error = size_of(minus(value, exact));
        assert!(error <= (k + 4) as f64 * eps * bound, "{a:?} {b:?} {d:?}: {value:?} {exact:?} {error}");
    }
}

fn check_all(a: &[usize], b: &[usize], d: &DotDims, noise: &mut Noise) {
    let mut pair = |dtype| (noise.tensor(dtype, a), noise.tensor(dtype, b));
    let (x, y) = pair(DType::F32);
    check::<f32>(&x, &y, d, f32::EPSILON.into(), |v| v.abs().into(), |v, w| v - w);
    let (x, y) = pair(DType::F64);
    check::<f64>(&x, &y, d, f64::EPSILON, f64::abs, |v, w| v - w);
    let (x, y) = pair(DType::C64);
    check::<C64>(&x, &y, d, f32::EPSILON.into(), |v| v.norm().into(), |v, w| v - w);
    let (x, y) = pair(DType::C128);
    check::<C128>(&x, &y, d, f64::EPSILON, |v| v.norm(), |v, w| v - w);
    let (x, y) = pair(DType::I32);
    check::<i32>(&x, &y, d, 0.0, |v| v.into(), i32::wrapping_sub);
    let (x, y) = pair(DType::I64);
    check::<i64>(&x, &y, d, 0.0, |v| v as f64, i64::wrapping_sub);
}

#[test]
fn products_of_every_size_agree_with_their_definition() {
    let mut noise = Noise(21);
    let sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33];
    for m in sizes {
        for n in sizes {
            for k in [0, 1, 2, 3, 5, 8, 16, 17, 40] {
                check_all(&[m, k], &[k, n], &matmul_dims(), &mut noise);
            }
        }
    }
    for (m, n, k) in
        [(600, 3, 70), (3, 600, 70), (70, 90, 1030), (1, 1, 40_000), (300, 1, 50), (1, 300, 50), (5, 1, 20_000)]
    {
        check_all(&[m, k], &[k, n], &matmul_dims(), &mut noise);
    }
}

fn cases() -> Vec<(Vec<usize>, Vec<usize>, DotDims)> {
    let none: &[usize] = &[];
    vec![
        (vec![], vec![], dims((none, none), (none, none))),
        (vec![5], vec![], dims((none, none), (none, none))),
        (vec![5], vec![4], dims((none, none), (none, none))),
        (vec![5], vec![5], dims((&[0], &[0]), (none, none))),
        (vec![5], vec![5], dims((none, none), (&[0], &[0]))),
        (vec![3, 4, 5], vec![5, 4, 2], dims((&[1, 2], &[1, 0]), (none, none))),
        (vec![3, 4, 5], vec![5, 4, 2], dims((&[2, 1], &[0, 1]), (none, none))),
        (vec![3, 4, 5], vec![3, 5, 4], dims((&[1], &[2]), (&[0, 2], &[0, 1]))),
        (vec![6, 7, 8], vec![9, 8, 6], dims((&[2], &[1]), (&[0], &[2]))),
        (vec![2, 20, 3, 30], vec![20, 4, 30, 5], dims((&[1, 3], &[0, 2]), (none, none))),
        (vec![20, 21, 5], vec![21, 22, 5], dims((&[1], &[0]), (&[2], &[2]))),
        (vec![4, 3, 2], vec![4, 3, 2], dims((&[0, 1, 2], &[0, 1, 2]), (none, none))),
        (vec![70, 3, 5], vec![70, 5], dims((&[0], &[0]), (&[2], &[1]))),
        (vec![0, 3], vec![3, 4], dims((&[1], &[0]), (none, none))),
        (vec![3, 0], vec![0, 4], dims((&[1], &[0]), (none, none))),
        (vec![3, 2, 0], vec![2, 3, 0], dims((&[1], &[0]), (&[2], &[2]))),
    ]
}

#[test]
fn axes_of_every_role_are_arranged() {
    let mut noise = Noise(22);
    for (a, b, d) in cases() {
        check_all(&a, &b, &d, &mut noise);
    }
}

#[test]
fn the_layout_changes_no_bit() {
    let mut noise = Noise(23);
    let mut cases = cases();
    let sizes = [
        (1, 1, 300),
        (300, 1, 40),
        (1, 40, 300),
        (9, 9, 9),
        (40, 30, 2),
        (16, 16, 200),
        (7, 300, 33),
        (64, 48, 600),
        (300, 4, 150),
        (3, 300, 70),
    ];
    cases.extend(sizes.map(|(m, n, k)| (vec![m, k], vec![k, n], matmul_dims())));
    for (a, b, d) in cases {
        for dtype in [DType::F32, DType::F64, DType::C128, DType::I64] {
            let (x, y) = (noise.tensor(dtype, &a), noise.tensor(dtype, &b));
            let expected = element_bytes(&dot_general(&x, &y, &d).unwrap());
            let (lefts, rights) = (layouts(&x), layouts(&y));
            let some = lefts.len() + noise.below(7);
            for number in (0..lefts.len() * rights.len()).step_by(if x.size() > 100 { some } else { 3 }) {
                let (x, y) = (&lefts[number % lefts.len()], &rights[number / lefts.len()]);
                let got = element_bytes(&dot_general(x, y, &d).unwrap());
                assert!(got == expected, "{dtype} {a:?} {b:?} {:?} {:?}", x.layout(), y.layout());
            }
        }
    }
}

#[test]
fn broadcast_operands_are_read_in_place() {
    let mut noise = Noise(24);
    let x = noise.tensor(DType::F64, &[40]);
    for (shape, along) in [([40, 50], 0), ([50, 40], 1)] {
        let wide = x.with_layout(x.layout().broadcast_in_dim(&shape, &[along]));
        let y = noise.tensor(DType::F64, &[shape[1], 30]);
        check::<f64>(&wide, &y, &matmul_dims(), f64::EPSILON, f64::abs, |v, w| v - w);
        let z = noise.tensor(DType::F64, &[30, shape[0]]);
        check::<f64>(&z, &wide, &matmul_dims(), f64::EPSILON, f64::abs, |v, w| v - w);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut noise = Noise(25);
    let big: [(&[usize], &[usize], DotDims); 9] = [
        (&[530, 300], &[300, 700], matmul_dims()),
        (&[2000, 900], &[900, 1], matmul_dims()),
        (&[40, 300_000], &[300_000, 30], matmul_dims()),
        (&[3000, 200], &[200, 5], matmul_dims()),
        (&[5, 200], &[200, 3000], matmul_dims()),
        (&[1, 100_000], &[100_000, 3], matmul_dims()),
        (&[8, 8, 3000], &[8, 8, 3000], dims((&[1], &[0]), (&[2], &[2]))),
        (&[500_000], &[500_000], dims((&[0], &[0]), (&[], &[]))),
        (&[40, 3, 1000], &[3, 1, 1000], dims((&[1], &[0]), (&[2], &[2]))),
    ];
    for (a, b, d) in big {
        for dtype in [DType::F64, DType::C128] {
            let (x, y) = (noise.tensor(dtype, a), noise.tensor(dtype, b));
            let run = |threads| {
                threads::set_num_threads(threads);
                let bytes = element_bytes(&dot_general(&x, &y, &d).unwrap());
                threads::set_num_threads(0);
                bytes
            };
            let alone = run(1);
            if a.len() == 2 && a[1] < 1000 {
                let turned = |x: &Tensor| stored(x, &[1, 0], 1, false);
                let other = dot_general(&turned(&x), &turned(&y), &d).unwrap();
                assert!(element_bytes(&other) == alone, "{a:?} {b:?}");
            }
            assert!([2, 3, 7].into_iter().all(|threads| run(threads) == alone), "{a:?} {b:?}");
        }
    }
}

#[test]
fn integers_wrap() {
    let x = Tensor::from_slice("test", &[1, 2], &[i32::MAX, 3]).unwrap();
    let y = Tensor::from_slice("test", &[2, 1], &[2, i32::MAX]).unwrap();
    let z = dot_general(&x, &y, &matmul_dims()).unwrap();
    assert_eq!(z.item::<i32>(), Some(i32::MAX.wrapping_mul(2).wrapping_add(i32::MAX.wrapping_mul(3))));
}

#[test]
fn infinities_and_nans_come_through() {
    for n in [2, 20, 100] {
        let mut data = vec![1.0f64; n * n];
        data[0] = f64::INFINITY;
        data[n + 1] = f64::NAN;
        let x = Tensor::from_slice("test", &[n, n], &data).unwrap();
        let ones = Tensor::from_slice("test", &[n, n], &vec![1.0f64; n * n]).unwrap();
        let z = dot_general(&x, &ones, &matmul_dims()).unwrap();
        let z = z.as_slice::<f64>().unwrap();
        assert_eq!(z[0], f64::INFINITY);
        assert!(z[1].is_nan());
        assert!(n == 2 || z[2] == n as f64);
    }
}

#[test]
fn wrong_calls_have_typed_errors() {
    let x = Noise(26).tensor(DType::F64, &[2, 3]);
    let y = Noise(27).tensor(DType::F64, &[3, 4]);
    let z = stored(&Noise(28).tensor(DType::F32, &[3, 4]), &[0, 1], 1, false);
    let variant = |x: &Tensor, y: &Tensor, d: &DotDims| dot_general(x, y, d).unwrap_err().variant();
    assert_eq!(variant(&x, &y, &dims((&[2], &[0]), (&[], &[]))), Variant::AxisOutOfBounds);
    assert_eq!(variant(&x, &y, &dims((&[1], &[5]), (&[], &[]))), Variant::AxisOutOfBounds);
    assert_eq!(variant(&x, &y, &dims((&[1, 1], &[0, 1]), (&[], &[]))), Variant::DuplicateAxis);
    assert_eq!(variant(&x, &y, &dims((&[1], &[0]), (&[1], &[0]))), Variant::InvalidArgument);
    assert_eq!(variant(&x, &y, &dims((&[1], &[]), (&[], &[]))), Variant::InvalidArgument);
    assert_eq!(variant(&x, &y, &dims((&[0], &[0]), (&[], &[]))), Variant::ShapeMismatch);
    assert_eq!(variant(&x, &y, &dims((&[], &[]), (&[0], &[0]))), Variant::ShapeMismatch);
    assert_eq!(variant(&x, &z, &matmul_dims()), Variant::DTypeMismatch);
    let truth = Tensor::from_slice("test", &[1, 1], &[true]).unwrap();
    assert_eq!(variant(&truth, &truth, &matmul_dims()), Variant::UnsupportedDType);
    let error = dot_general(&x, &y, &dims((&[0], &[0]), (&[], &[]))).unwrap_err();
    assert_eq!(error.op(), "dot_general");
    assert!(error.message().contains("(2, 3)") && error.message().contains("(3, 4)"), "{error}");
}
