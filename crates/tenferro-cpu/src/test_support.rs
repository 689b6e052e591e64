//! Helpers for tests: data of every dtype, the same tensor in many layouts, and elements read one by one.

use crate::copy;
use tenferro_tensor::{C64, C128, DType, Dims, Layout, Scalar, Strides, Tensor};

/// A small deterministic generator.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 29);
        x.wrapping_mul(0xbf58476d1ce4e5b9) >> 16
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Uniform in [-1, 1).
    pub fn real(&mut self) -> f64 {
        (self.next() >> 2) as f64 / (1u64 << 45) as f64 - 1.0
    }

    /// Numbers with no exact sums for inexact dtypes, small integers otherwise.
    pub fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        macro_rules! data {
            ($make:expr) => {{
                let data: Vec<_> = (0..n).map(|_| $make).collect();
                Tensor::from_slice("test", shape, &data).unwrap()
            }};
        }
        match dtype {
            DType::F32 => data!(self.real() as f32),
            DType::F64 => data!(self.real()),
            DType::C64 => data!(C64::new(self.real() as f32, self.real() as f32)),
            DType::C128 => data!(C128::new(self.real(), self.real())),
            DType::I32 => data!(self.below(2000) as i32 - 1000),
            DType::I64 => data!(self.below(2000) as i64 - 1000),
            DType::Bool => data!(self.below(2) == 1),
        }
    }
}

/// All index tuples of `shape`, first index fastest.
pub fn indices(shape: &[usize]) -> Vec<Dims> {
    let size: usize = shape.iter().product();
    let unravel = |mut flat: usize| {
        let tuple = shape.iter().map(|&n| {
            let i = flat % n;
            flat /= n;
            i
        });
        tuple.collect()
    };
    (0..size).map(unravel).collect()
}

fn position(x: &Tensor, index: &[usize]) -> usize {
    let steps: isize = index.iter().zip(x.strides()).map(|(&i, &s)| i as isize * s).sum();
    (x.layout().offset() as isize + steps) as usize
}

/// The element at `index`.
pub fn at<T: Scalar>(x: &Tensor, index: &[usize]) -> T {
    assert_eq!(x.dtype(), T::DTYPE);
    assert!((position(x, index) + 1) * size_of::<T>() <= x.buffer().bytes());
    // SAFETY: the element lies inside the storage, as just checked.
    unsafe { x.buffer().as_ptr().cast::<T>().add(position(x, index)).read() }
}

/// The bytes of every element, first index fastest.
pub fn element_bytes(x: &Tensor) -> Vec<Vec<u8>> {
    let width = x.dtype().itemsize();
    let read = |index: &Dims| {
        let place = position(x, index) * width;
        assert!(place + width <= x.buffer().bytes());
        // SAFETY: the element lies inside the storage, as just checked.
        unsafe { std::slice::from_raw_parts(x.buffer().as_ptr().add(place), width) }.to_vec()
    };
    indices(x.shape()).iter().map(read).collect()
}

/// The same elements with axes stored in `order` (fastest first), `gap` places apart, those in `flipped` backwards.
pub fn stored(x: &Tensor, order: &[usize], gap: usize, flipped: bool) -> Tensor {
    let mut strides = Strides::from_elem(0, x.rank());
    let mut reach = gap;
    for &axis in order {
        strides[axis] = reach as isize;
        reach = reach * x.shape()[axis].max(1) + gap - 1;
    }
    let mut offset = 0;
    if flipped {
        for (stride, &n) in strides.iter_mut().zip(x.shape()) {
            offset += *stride as usize * n.saturating_sub(1);
            *stride = -*stride;
        }
    }
    let width = x.dtype().itemsize();
    let layout = Layout::strided(x.dims(), strides, offset);
    let storage = copy::build("test", x.dtype(), &[reach + 1], |out| {
        // SAFETY: the storage has `reach + 1` elements, and no place of the layout lies beyond.
        unsafe {
            out.write_bytes(0, (reach + 1) * width);
            for (index, bytes) in indices(x.shape()).iter().zip(element_bytes(x)) {
                let steps: isize = index.iter().zip(layout.strides()).map(|(&i, &s)| i as isize * s).sum();
                let place = (offset as isize + steps) as usize;
                assert!(place <= reach);
                out.add(place * width).copy_from_nonoverlapping(bytes.as_ptr(), width);
            }
        }
        Ok(())
    });
    storage.unwrap().with_layout(layout)
}

/// The same tensor in several layouts.
pub fn layouts(x: &Tensor) -> Vec<Tensor> {
    let forward: Dims = (0..x.rank()).collect();
    let backward: Dims = (0..x.rank()).rev().collect();
    let mut mixed = forward.clone();
    mixed.rotate_left(x.rank().min(1));
    let mut all = vec![x.clone()];
    for order in [&forward, &backward, &mixed] {
        for (gap, flipped) in [(1, false), (1, true), (2, false), (3, true)] {
            all.push(stored(x, order, gap, flipped));
        }
    }
    all
}

/// Shapes of many ranks: empty ones, single elements, extents around the sizes of blocks.
pub fn shapes() -> Vec<Dims> {
    let all: [&[usize]; 19] = [
        &[],
        &[1],
        &[7],
        &[0],
        &[3, 4],
        &[1, 5],
        &[17, 1],
        &[8, 8],
        &[70, 9],
        &[9, 70],
        &[65, 129],
        &[3, 0, 2],
        &[2, 3, 4],
        &[16, 5, 33],
        &[1, 8, 1, 9],
        &[5, 2, 3, 2],
        &[2, 2, 2, 2, 2, 2, 2],
        &[2, 2, 3, 2, 2, 70, 2],
        &[3, 45, 2, 70],
    ];
    all.iter().map(|shape| Dims::from_slice(shape)).collect()
}

/// The same tensor in one of its layouts.
pub fn any_layout(noise: &mut Noise, x: &Tensor) -> Tensor {
    let all = layouts(x);
    all[noise.below(all.len())].clone()
}
