//! Inputs for the tester: every op gives its own.

use crate::cpu::{Number, binary_output, compare_supports, full, select, unary_output};
use crate::{Meta, Op, Primitive};
use tenferro_tensor::{C64, C128, DType, Tensor};

/// An op with inputs away from its kinks.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What to compute.
    pub op: Op,
    /// On which inputs.
    pub inputs: Vec<Tensor>,
}

impl Sample {
    /// A sample.
    pub fn new(op: impl Into<Op>, inputs: Vec<Tensor>) -> Sample {
        Sample { op: op.into(), inputs }
    }
}

/// All samples of the op set.
pub fn samples() -> Vec<Sample> {
    crate::catalog()
}

/// Reproducible values in `domain` (both parts of complex ones), spread by the golden ratio.
pub fn values(dtype: DType, shape: &[usize], (low, high): (f64, f64), seed: u64) -> Tensor {
    let count: usize = shape.iter().product();
    let at = |i: usize, salt: u64| {
        let step = (i as u64 * 2 + 1 + salt).wrapping_add(seed.wrapping_mul(1009)) as f64 * 0.618_033_988_749_894_9;
        low + (high - low) * step.fract()
    };
    let (re, im): (Vec<f64>, Vec<f64>) = (0..count).map(|i| (at(i, 0), at(i, 1) * 0.7)).unzip();
    let made = match dtype {
        DType::F32 => Tensor::from_slice("sample", shape, &re.iter().map(|&x| x as f32).collect::<Vec<_>>()),
        DType::F64 => Tensor::from_slice("sample", shape, &re),
        DType::C64 => {
            let z: Vec<_> = re.iter().zip(&im).map(|(&a, &b)| C64::new(a as f32, b as f32)).collect();
            Tensor::from_slice("sample", shape, &z)
        }
        DType::C128 => {
            let z: Vec<_> = re.iter().zip(&im).map(|(&a, &b)| C128::new(a, b)).collect();
            Tensor::from_slice("sample", shape, &z)
        }
        DType::I32 => Tensor::from_slice("sample", shape, &re.iter().map(|&x| (x * 3.0) as i32).collect::<Vec<_>>()),
        DType::I64 => Tensor::from_slice("sample", shape, &re.iter().map(|&x| (x * 3.0) as i64).collect::<Vec<_>>()),
        DType::Bool => {
            let mid = 0.5 * (low + high);
            Tensor::from_slice("sample", shape, &re.iter().map(|&x| x < mid).collect::<Vec<_>>())
        }
    };
    made.or_else(|_| full(shape, dtype, Number::Int(1))).unwrap_or_else(|e| panic!("{e}"))
}

/// Every third element replaced by zero.
pub fn with_zeros(x: Tensor) -> Tensor {
    let mask: Vec<bool> = (0..x.size()).map(|i| i % 3 == 1).collect();
    let made = Tensor::from_slice("sample", x.shape(), &mask).and_then(|mask| {
        let zero = crate::compose::zeros(Meta { dtype: x.dtype(), shape: &[] })?;
        select(&mask, &zero, &x)
    });
    made.unwrap_or_else(|e| panic!("{e}"))
}

/// Samples of an elementwise op of `arity` operands over all its dtypes: plain, broadcast, rank 0, zero-size.
pub fn elementwise(op: Op, arity: usize, domain: (f64, f64)) -> Vec<Sample> {
    let takes = |d: DType| match &op {
        Op::Unary(u) => unary_output(u.0, d).is_some(),
        Op::Binary(b) => binary_output(b.0, d).is_some(),
        Op::Compare(c) => compare_supports(c.0, d),
        _ => true,
    };
    let shapes: &[[&[usize]; 2]] = &[
        [&[3], &[3]],
        [&[2, 3], &[3]],
        [&[2, 1], &[3]],
        [&[], &[2]],
        [&[], &[]],
        [&[0, 3], &[3]],
        [&[2, 1, 1, 2, 1, 1], &[2, 1]],
    ];
    let mut all = Vec::new();
    for &dtype in DType::ALL.iter().filter(|&&d| takes(d)) {
        // Integer divisors and exponents must be positive.
        let domain = match dtype {
            DType::I32 | DType::I64 if op.name() != "neg" && arity == 2 => {
                (domain.0.abs().max(0.4), domain.1.abs() + 1.0)
            }
            _ => domain,
        };
        for pair in shapes {
            let inputs = (0..arity).map(|i| values(dtype, pair[i], domain, 7 + i as u64)).collect();
            all.push(Sample { op: op.clone(), inputs });
        }
    }
    all
}
