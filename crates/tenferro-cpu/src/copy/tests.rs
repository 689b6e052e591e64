use super::*;
use crate::test_support::{Noise, at, element_bytes, indices, layouts, shapes, stored};
use tenferro_tensor::{Dims, Layout, Variant};

#[test]
fn copies_of_every_layout_dtype_and_shape_are_exact() {
    let mut noise = Noise(1);
    for shape in shapes() {
        for &dtype in DType::ALL {
            let x = noise.tensor(dtype, &shape);
            let expected = element_bytes(&x);
            for view in layouts(&x) {
                let copied = compact(&view).unwrap();
                assert!(copied.is_compact() && copied.shape() == &shape[..]);
                assert_eq!(element_bytes(&copied), expected, "{view:?} {:?}", view.layout());
                let fresh = duplicate(&view).unwrap();
                assert!(fresh.is_compact() && fresh.is_unique());
                assert_eq!(element_bytes(&fresh), expected);
            }
        }
    }
}

#[test]
fn large_copies_in_parallel_are_exact() {
    let mut noise = Noise(2);
    for (shape, dtype) in [(&[700, 600][..], DType::F64), (&[130, 70, 60], DType::C64), (&[400_000], DType::I32)] {
        let x = noise.tensor(dtype, shape);
        let backward: Dims = (0..x.rank()).rev().collect();
        for view in [stored(&x, &backward, 1, false), stored(&x, &backward, 2, true), x.clone()] {
            assert_eq!(element_bytes(&duplicate(&view).unwrap()), element_bytes(&x));
        }
    }
}

#[test]
fn many_short_axes_are_permuted_exactly() {
    let mut noise = Noise(6);
    let shapes: [&[usize]; 5] =
        [&[2; 17], &[3, 2, 5, 7, 2, 3, 4, 5, 6], &[2, 90, 3, 80], &[5, 4, 600, 3], &[40, 2, 2, 2, 2, 2, 2, 30]];
    for shape in shapes {
        let x = noise.tensor(DType::F32, shape);
        let expected = element_bytes(&x);
        for _ in 0..6 {
            let mut order: Dims = (0..shape.len()).collect();
            (1..shape.len()).rev().for_each(|i| order.swap(i, noise.below(i + 1)));
            let view = stored(&x, &order, 1, noise.below(2) == 1);
            assert!(element_bytes(&duplicate(&view).unwrap()) == expected, "{shape:?} {order:?}");
        }
    }
}

#[test]
fn broadcast_axes_are_repeated() {
    let x = Tensor::from_slice("test", &[3], &[1.0, 2.0, 3.0]).unwrap();
    for shape in [[3, 4], [3, 300]] {
        let wide = x.with_layout(x.layout().broadcast_in_dim(&shape, &[0]));
        let copied = compact(&wide).unwrap();
        let tall = x.with_layout(x.layout().broadcast_in_dim(&[shape[1], 3], &[1]));
        let tall_copied = compact(&tall).unwrap();
        for index in indices(&shape) {
            assert_eq!(at::<f64>(&copied, &index), index[0] as f64 + 1.0);
            assert_eq!(at::<f64>(&tall_copied, &[index[1], index[0]]), index[0] as f64 + 1.0);
        }
    }
}

#[test]
fn foreign_memory_of_any_alignment_and_byte_order_is_imported() {
    let mut noise = Noise(3);
    for &dtype in DType::ALL {
        let width = dtype.itemsize();
        let x = noise.tensor(dtype, &[5, 12, 3]);
        let number = if dtype.is_complex() { width / 2 } else { width };
        for swapped in [false, true] {
            for shift in [0, 1, 3] {
                let gap = width + shift;
                let steps = [gap as isize, (5 * 12 * gap) as isize - 4 * gap as isize, 5 * gap as isize];
                let reach: isize = steps.iter().zip(x.shape()).map(|(&s, &n)| s * (n as isize - 1)).sum();
                let mut memory = vec![0u8; shift + reach as usize + width];
                for (index, mut bytes) in indices(x.shape()).iter().zip(element_bytes(&x)) {
                    if swapped {
                        bytes.chunks_mut(number).for_each(<[u8]>::reverse);
                    }
                    let place: isize = steps.iter().zip(index).map(|(&s, &i)| s * i as isize).sum();
                    let place = shift + place as usize;
                    memory[place..place + width].copy_from_slice(&bytes);
                }
                // SAFETY: `memory` covers the reach of the steps, and nobody writes there.
                let y =
                    unsafe { import_strided("test", dtype, x.shape(), memory.as_ptr().add(shift), &steps, swapped) };
                assert_eq!(element_bytes(&y.unwrap()), element_bytes(&x), "{dtype} {swapped} {shift}");
            }
        }
    }
}

#[test]
fn any_byte_but_zero_is_true() {
    let memory = [0u8, 1, 2, 255];
    // SAFETY: four bytes are there.
    let y = unsafe { import_strided("test", DType::Bool, &[4], memory.as_ptr(), &[1], false) }.unwrap();
    assert_eq!(y.as_slice::<bool>().unwrap(), [false, true, true, true]);
}

/// Padding by its definition, element by element.
fn pad_naive(x: &Tensor, low: &[i64], high: &[i64], interior: &[usize]) -> (Dims, Vec<f64>) {
    let extent = |a: usize| {
        let n = x.shape()[a] as i64;
        low[a] + high[a] + n + (n - 1).max(0) * interior[a] as i64
    };
    let shape: Dims = (0..x.rank()).map(|a| extent(a) as usize).collect();
    let value = |index: &Dims| {
        let mut source = Dims::new();
        for a in 0..x.rank() {
            let (offset, step) = (index[a] as i64 - low[a], interior[a] as i64 + 1);
            if offset < 0 || offset % step != 0 || offset / step >= x.shape()[a] as i64 {
                return 0.0;
            }
            source.push((offset / step) as usize);
        }
        at::<f64>(x, &source)
    };
    let values = indices(&shape).iter().map(value).collect();
    (shape, values)
}

#[test]
fn pad_follows_its_definition() {
    let mut noise = Noise(4);
    let mut cases = 0;
    while cases < 3000 {
        let rank = noise.below(4);
        let shape: Dims = (0..rank).map(|_| noise.below(6)).collect();
        let mut edge = || -> Vec<i64> { (0..rank).map(|_| noise.below(10) as i64 - 5).collect() };
        let (low, high) = (edge(), edge());
        let interior: Vec<usize> = (0..rank).map(|_| noise.below(3)).collect();
        let source = noise.tensor(DType::F64, &shape);
        let views = layouts(&source);
        let x = &views[noise.below(views.len())];
        let negative = (0..rank).any(|a| {
            let n = shape[a] as i64;
            low[a] + high[a] + n + (n - 1).max(0) * (interior[a] as i64) < 0
        });
        let y = pad(x, &low, &high, &interior);
        if negative {
            assert_eq!(y.unwrap_err().variant(), Variant::InvalidArgument);
            continue;
        }
        let y = y.unwrap();
        let (shape, values) = pad_naive(x, &low, &high, &interior);
        assert_eq!(y.shape(), &shape[..]);
        assert_eq!(y.as_slice::<f64>().unwrap(), values, "{x:?} {low:?} {high:?} {interior:?}");
        cases += 1;
    }
}

#[test]
fn pad_refuses_what_has_no_meaning() {
    let x = Tensor::from_slice("test", &[2], &[true, true]).unwrap();
    let y = pad(&x, &[1], &[0], &[1]).unwrap();
    assert_eq!(y.as_slice::<bool>().unwrap(), [false, true, false, true]);
    assert_eq!(pad(&x, &[1, 2], &[0], &[0]).unwrap_err().variant(), Variant::InvalidArgument);
    for (low, high, interior) in [
        (i64::MAX, i64::MAX, 0),
        (i64::MAX, 0, usize::MAX),
        (0, 0, usize::MAX),
        (i64::MIN, i64::MIN, 1 << 62),
        (i64::MIN, 3, 5),
        (1 << 62, 0, 0),
    ] {
        assert!(pad(&x, &[low], &[high], &[interior]).is_err(), "{low} {high} {interior}");
    }
    let cropped = pad(&x, &[-1], &[0], &[(1 << 62) - 2]).map(|y| y.size());
    assert!(cropped.is_err());
    let kept = pad(&x, &[0], &[-(1 << 40) - 1], &[1 << 40]).unwrap();
    assert_eq!(kept.as_slice::<bool>().unwrap(), [true]);
}

#[test]
fn concatenate_puts_inputs_side_by_side() {
    let mut noise = Noise(5);
    for axis in 0..3 {
        for &dtype in DType::ALL {
            let mut parts = Vec::new();
            for extent in [2, 0, 5, 1] {
                let mut shape = [3, 4, 2];
                shape[axis] = extent;
                let views = layouts(&noise.tensor(dtype, &shape));
                parts.push(views[noise.below(views.len())].clone());
            }
            let joined = concatenate(&parts.iter().collect::<Vec<_>>(), axis).unwrap();
            let mut at = 0;
            for part in &parts {
                let mut ranges = [(0, 3, 1), (0, 4, 1), (0, 2, 1)];
                ranges[axis] = (at, part.shape()[axis], 1);
                let slab = joined.with_layout(joined.layout().sliced(&ranges));
                assert_eq!(element_bytes(&slab), element_bytes(part));
                at += part.shape()[axis];
            }
            assert_eq!(joined.shape()[axis], at);
        }
    }
}

#[test]
fn concatenate_refuses_what_does_not_fit() {
    let x = Tensor::from_slice("test", &[2, 1], &[1.0, 2.0]).unwrap();
    let y = Tensor::from_slice("test", &[2], &[1.0, 2.0]).unwrap();
    let z = Tensor::from_slice("test", &[2, 1], &[1, 2]).unwrap();
    let w = Tensor::from_slice("test", &[1, 2], &[1.0, 2.0]).unwrap();
    let variant = |inputs: &[&Tensor], axis| concatenate(inputs, axis).unwrap_err().variant();
    assert_eq!(variant(&[], 0), Variant::InvalidArgument);
    assert_eq!(variant(&[&x], 2), Variant::AxisOutOfBounds);
    assert_eq!(variant(&[&x, &y], 0), Variant::RankMismatch);
    assert_eq!(variant(&[&x, &z], 0), Variant::DTypeMismatch);
    assert_eq!(variant(&[&x, &w], 0), Variant::ShapeMismatch);
    let huge = x.with_layout(Layout::compact(&[0, usize::MAX / 2 + 1]));
    assert_eq!(variant(&[&huge, &huge], 1), Variant::IntegerOverflow);
}
