use super::*;
use crate::test_support::{Noise, at, indices};
use crate::threads;
use tenferro_tensor::{DType, Layout, Strides};

/// The element of `x`, broadcast, that belongs to `index` of the result.
fn broadcast_at<T: Scalar>(x: &Tensor, index: &[usize]) -> T {
    let skip = index.len() - x.rank();
    let own: Vec<usize> = index[skip..].iter().zip(x.shape()).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect();
    at(x, &own)
}

/// A tensor of `shape` with numbered elements in a random layout: permuted, stepped, reversed, stretched.
fn tangled<T: Scalar>(noise: &mut Noise, shape: &[usize], number: impl Fn(usize) -> T) -> Tensor {
    let rank = shape.len();
    let mut perm: Vec<usize> = (0..rank).collect();
    for i in (1..rank).rev() {
        perm.swap(i, noise.below(i + 1));
    }
    let factor: Vec<usize> = (0..rank).map(|_| [1, 1, 1, 2, 3][noise.below(5)]).collect();
    let stretched: Vec<bool> = (0..rank).map(|_| noise.below(6) == 0).collect();
    let mut strides = Strides::from_elem(0, rank);
    let (mut step, mut offset) = (1, 0);
    for &axis in &perm {
        if stretched[axis] {
            continue;
        }
        strides[axis] = (step * factor[axis]) as isize;
        step *= (shape[axis] * factor[axis]).max(1);
        if noise.below(4) == 0 && shape[axis] > 0 {
            offset += (shape[axis] - 1) * strides[axis] as usize;
            strides[axis] = -strides[axis];
        }
    }
    let data: Vec<T> = (0..step).map(number).collect();
    let flat = Tensor::from_slice("test", &[step], &data).unwrap();
    flat.with_layout(Layout::strided(Dims::from_slice(shape), strides, offset))
}

const SHAPES: &[&[usize]] = &[
    &[],
    &[0],
    &[1],
    &[7],
    &[20000],
    &[3, 0, 2],
    &[2, 3],
    &[1, 5, 1],
    &[70, 90],
    &[150, 2, 50],
    &[2, 3, 4, 5],
    &[2, 3, 3000],
    &[3000, 3, 2],
    &[5, 1, 4, 1, 3],
    &[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    &[3, 2, 3, 2, 3, 2, 3, 2, 3],
    &[17, 2, 2, 2, 33],
    &[2, 8200],
    &[17000, 2],
];

#[test]
fn one_operand_in_every_layout() {
    let mut noise = Noise(1);
    for &shape in SHAPES {
        for _ in 0..6 {
            let x = tangled(&mut noise, shape, |i| i as i64);
            let y = map1::<i64, i32>("test", &x, |v| 3 * v as i32 + 1).unwrap();
            assert!(y.is_compact());
            assert_eq!(y.shape(), shape);
            for index in indices(shape) {
                assert_eq!(at::<i32>(&y, &index), 3 * at::<i64>(&x, &index) as i32 + 1, "{:?} {index:?}", x.layout());
            }
        }
    }
}

/// Operands of `shape` with some axes cut to 1 and some leading axes left out.
fn shrunk(noise: &mut Noise, shape: &[usize]) -> Vec<usize> {
    let kept: Vec<usize> = shape.iter().map(|&n| if noise.below(4) == 0 { 1 } else { n }).collect();
    let skip = if noise.below(3) == 0 { noise.below(shape.len() + 1) } else { 0 };
    kept[skip..].to_vec()
}

#[test]
fn two_operands_broadcast_in_every_layout() {
    let mut noise = Noise(2);
    for &shape in SHAPES {
        for _ in 0..12 {
            let (left, right) = (shrunk(&mut noise, shape), shrunk(&mut noise, shape));
            let a = tangled(&mut noise, &left, |i| i as f64);
            let b = tangled(&mut noise, &right, |i| i as i32);
            let y = map2::<f64, i32, f64>("test", &a, &b, |p, q| p - 7.0 * f64::from(q)).unwrap();
            assert!(y.is_compact());
            for index in indices(y.shape()) {
                let expected = broadcast_at::<f64>(&a, &index) - 7.0 * f64::from(broadcast_at::<i32>(&b, &index));
                assert_eq!(at::<f64>(&y, &index), expected, "{:?} {:?} {index:?}", a.layout(), b.layout());
            }
        }
    }
}

#[test]
fn three_operands_broadcast_in_every_layout() {
    let mut noise = Noise(3);
    for &shape in SHAPES {
        for _ in 0..6 {
            let shapes = [0; 3].map(|_| shrunk(&mut noise, shape));
            let a = tangled(&mut noise, &shapes[0], |i| i % 3 == 0);
            let b = tangled(&mut noise, &shapes[1], |i| i as f32);
            let c = tangled(&mut noise, &shapes[2], |i| -(i as f32));
            let y = map3::<bool, f32, f32, f32>("test", &a, &b, &c, |p, q, r| if p { q } else { r }).unwrap();
            for index in indices(y.shape()) {
                let (p, q, r) = (broadcast_at(&a, &index), broadcast_at(&b, &index), broadcast_at(&c, &index));
                assert_eq!(at::<f32>(&y, &index), if p { q } else { r }, "{index:?}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut noise = Noise(4);
    for shape in [&[200_001][..], &[300, 700], &[2; 18]] {
        let x = tangled(&mut noise, shape, |i| i as f64 * 0.001);
        let y = tangled(&mut noise, shape, |i| i as f64 + 0.5);
        let run = || map2::<f64, f64, f64>("test", &x, &y, |p, q| p.sin() / q).unwrap();
        threads::set_num_threads(1);
        let alone = run();
        threads::set_num_threads(4);
        let together = run();
        threads::set_num_threads(0);
        assert_eq!(alone.as_slice::<f64>().unwrap(), together.as_slice::<f64>().unwrap());
    }
}

#[test]
fn shapes_that_do_not_fit_are_an_error() {
    let x = Tensor::from_slice("test", &[3], &[1.0, 2.0, 3.0]).unwrap();
    let y = Tensor::from_slice("test", &[2], &[1.0, 2.0]).unwrap();
    let error = map2::<f64, f64, f64>("add", &x, &y, |p, q| p + q).unwrap_err();
    assert_eq!(error.op(), "add");
    assert_eq!(error.variant(), tenferro_tensor::Variant::ShapeMismatch);
    assert_eq!(x.dtype(), DType::F64);
}

#[test]
fn find_sees_every_element() {
    let mut noise = Noise(5);
    for &shape in SHAPES {
        let x = tangled(&mut noise, shape, |i| i as i64);
        for index in indices(shape).into_iter().step_by(97) {
            let wanted = at::<i64>(&x, &index);
            assert_eq!(find::<i64>(&x, |v| v == wanted).unwrap(), Some(wanted));
        }
        assert_eq!(find::<i64>(&x, |v| v < 0).unwrap(), None);
    }
}
