//! Tensors as plain lists of numbers, read element by element so that no kernel is trusted.

use tenferro_ad::tensor_core::{C64, C128, DType, Dims, Layout, Scalar, Strides, Tensor};

/// Fails the test with the op, its inputs and what went wrong.
#[macro_export]
macro_rules! fail {
    ($label:expr, $($message:tt)*) => { panic!("{}: {}", $label, format!($($message)*)) };
}

/// A shape, the dtype and the elements in column-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub data: Vec<C128>,
}

impl Array {
    pub fn of(tensor: &Tensor) -> Array {
        Array { dtype: tensor.dtype(), shape: tensor.shape().to_vec(), data: numbers(tensor) }
    }

    pub fn tensor(&self) -> Tensor {
        from_numbers(self.dtype, &self.shape, &self.data)
    }

    /// The element at `index`.
    pub fn at(&self, index: &[usize]) -> C128 {
        self.data[flat(&self.shape, index)]
    }

    /// Element by element from its index.
    pub fn generate(dtype: DType, shape: &[usize], f: impl Fn(&[usize]) -> C128) -> Array {
        let data = indices(shape).iter().map(|index| f(index)).collect();
        Array { dtype, shape: shape.to_vec(), data }
    }
}

/// Column-major position of `index`.
pub fn flat(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).rev().fold(0, |at, (n, i)| at * n + i)
}

/// All indices of a shape in column-major order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let count = shape.iter().product();
    (0..count)
        .map(|position: usize| {
            let mut rest = position;
            shape
                .iter()
                .map(|n| {
                    let i = rest % n;
                    rest /= n;
                    i
                })
                .collect()
        })
        .collect()
}

fn elements<T: Scalar>(tensor: &Tensor) -> Vec<T> {
    let layout = tensor.layout();
    let read = |index: &Vec<usize>| {
        let step: isize = index.iter().zip(layout.strides()).map(|(&i, &s)| i as isize * s).sum();
        let place = (layout.offset() as isize + step) as usize;
        let one = tensor.with_layout(Layout::strided(Dims::new(), Strides::new(), place));
        one.item::<T>().expect("a tensor of its own dtype")
    };
    indices(tensor.shape()).iter().map(read).collect()
}

/// The elements, widened.
pub fn numbers(tensor: &Tensor) -> Vec<C128> {
    let real = |x: f64| C128::new(x, 0.0);
    match tensor.dtype() {
        DType::F32 => elements::<f32>(tensor).into_iter().map(|x| real(x.into())).collect(),
        DType::F64 => elements::<f64>(tensor).into_iter().map(real).collect(),
        DType::C64 => elements::<C64>(tensor).into_iter().map(|z| C128::new(z.re.into(), z.im.into())).collect(),
        DType::C128 => elements::<C128>(tensor),
        DType::I32 => elements::<i32>(tensor).into_iter().map(|x| real(x.into())).collect(),
        DType::I64 => elements::<i64>(tensor).into_iter().map(|x| real(x as f64)).collect(),
        DType::Bool => elements::<bool>(tensor).into_iter().map(|x| real(x.into())).collect(),
    }
}

/// The elements' bits; all NaNs are one.
pub fn bits(tensor: &Tensor) -> Vec<[u64; 2]> {
    let word = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    match tensor.dtype() {
        DType::I64 => elements::<i64>(tensor).into_iter().map(|x| [x as u64, 0]).collect(),
        _ => numbers(tensor).into_iter().map(|z| [word(z.re), word(z.im)]).collect(),
    }
}

/// A compact tensor of `dtype` with these elements.
pub fn from_numbers(dtype: DType, shape: &[usize], data: &[C128]) -> Tensor {
    fn make<T: Scalar>(shape: &[usize], data: &[C128], narrow: impl Fn(C128) -> T) -> Tensor {
        let list: Vec<T> = data.iter().map(|&z| narrow(z)).collect();
        Tensor::from_slice("test", shape, &list).expect("a small tensor")
    }
    match dtype {
        DType::F32 => make(shape, data, |z| z.re as f32),
        DType::F64 => make(shape, data, |z| z.re),
        DType::C64 => make(shape, data, |z| C64::new(z.re as f32, z.im as f32)),
        DType::C128 => make(shape, data, |z| z),
        DType::I32 => make(shape, data, |z| z.re as i32),
        DType::I64 => make(shape, data, |z| z.re as i64),
        DType::Bool => make(shape, data, |z| z.re != 0.0),
    }
}

/// The dtype of 64-bit precision.
pub fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// Unit roundoff of a dtype; 0 where arithmetic is exact.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F32 | DType::C64 => f32::EPSILON.into(),
        DType::F64 | DType::C128 => f64::EPSILON,
        _ => 0.0,
    }
}

/// Euclidean norm.
pub fn norm(data: &[C128]) -> f64 {
    data.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt()
}

/// The largest modulus.
pub fn largest(data: &[C128]) -> f64 {
    data.iter().map(|z| z.norm()).fold(0.0, f64::max)
}

/// The largest modulus of the difference; infinite where exactly one of the two is NaN.
pub fn distance(a: &[C128], b: &[C128]) -> f64 {
    assert_eq!(a.len(), b.len(), "lists of equal length");
    let apart = |(x, y): (&C128, &C128)| match (x.is_nan(), y.is_nan()) {
        (false, false) if x == y => 0.0,
        (false, false) => (x - y).norm(),
        (true, true) => 0.0,
        _ => f64::INFINITY,
    };
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

/// Re⟨a, b⟩.
pub fn inner(a: &[C128], b: &[C128]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x.re * y.re + x.im * y.im).sum()
}

/// Reproducible random numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between -1 and 1.
    pub fn number(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A direction; `parts` are the weights of real and imaginary part.
    pub fn direction(&mut self, dtype: DType, shape: &[usize], parts: (f64, f64)) -> Tensor {
        let count: usize = shape.iter().product();
        let draw = |random: &mut Random| match dtype {
            DType::I32 | DType::I64 => C128::new((random.number() * 4.0).trunc(), 0.0),
            DType::Bool => C128::new((random.number() > 0.0).into(), 0.0),
            DType::F32 | DType::F64 => C128::new(random.number(), 0.0),
            _ => C128::new(random.number() * parts.0, random.number() * parts.1),
        };
        let data: Vec<C128> = (0..count).map(|_| draw(self)).collect();
        from_numbers(dtype, shape, &data)
    }
}

/// x + h·t in the dtype of x.
pub fn moved(x: &Tensor, h: f64, t: &Tensor) -> Tensor {
    let data: Vec<C128> = numbers(x).iter().zip(numbers(t)).map(|(a, b)| a + b * h).collect();
    from_numbers(x.dtype(), x.shape(), &data)
}
