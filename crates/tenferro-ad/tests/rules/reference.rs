//! Independent values of the elementwise ops, the reductions and the contraction: scalar loops over the definitions.

use crate::arrays::{Array, indices};
use crate::{fourier, lanes, special, structure};
use tenferro_ad::ops::cpu::{BinaryOp, CompareOp, DotDims, ReduceOp, UnaryOp};
use tenferro_ad::ops::{Binary, Compare, Convert, Op, Ordered, OutMeta, Reduce, Sinc, Unary};
use tenferro_ad::tensor_core::{C128, DType};

/// The value of an op by its definition.
pub fn reference(op: &Op, ins: &[Array], out: &OutMeta) -> Array {
    match op {
        Op::Unary(Unary(f)) => each(out, ins, |z| unary(*f, ins[0].dtype, z[0])),
        Op::Sinc(Sinc { order }) => each(out, ins, |z| sinc(*order, z[0])),
        Op::Ordered(Ordered { function, order }) => {
            each(out, ins, |z| real(special::ordered(*function, *order, z[0].re)))
        }
        Op::Binary(Binary(f)) => each(out, ins, |z| binary(*f, ins[0].dtype, z[0], z[1])),
        Op::Compare(Compare(f)) => each(out, ins, |z| truth(compare(*f, z[0], z[1]))),
        Op::Select(_) => each(out, ins, |z| if z[0].re != 0.0 { z[1] } else { z[2] }),
        Op::Clamp(_) => each(out, ins, |z| real(z[0].re.max(z[1].re).min(z[2].re))),
        Op::Convert(Convert(to)) => each(out, ins, |z| convert(*to, z[0])),
        Op::Reduce(Reduce { op, axes }) => reduce(*op, &ins[0], axes, out),
        Op::Dot(dot) => contract(&dot.0, &ins[0], &ins[1], out),
        other => lanes::reference(other, ins, out)
            .or_else(|| fourier::reference(other, ins, out))
            .unwrap_or_else(|| structure::reference(other, ins, out)),
    }
}

fn real(x: f64) -> C128 {
    C128::new(x, 0.0)
}

fn truth(b: bool) -> C128 {
    real(b.into())
}

/// Broadcast as NumPy does: aligned to the right, extents of 1 repeated.
fn each(out: &OutMeta, ins: &[Array], f: impl Fn(&[C128]) -> C128) -> Array {
    Array::generate(out.dtype, &out.shape, |index| {
        let operand = |x: &Array| {
            let lead = index.len() - x.shape.len();
            let place: Vec<usize> =
                x.shape.iter().zip(&index[lead..]).map(|(&n, &i)| if n == 1 { 0 } else { i }).collect();
            x.at(&place)
        };
        f(&ins.iter().map(operand).collect::<Vec<_>>())
    })
}

fn unary(op: UnaryOp, dtype: DType, z: C128) -> C128 {
    use UnaryOp::*;
    let complex = dtype.is_complex();
    let analytic = |on_real: fn(f64) -> f64, on_complex: fn(C128) -> C128| {
        if complex { on_complex(z) } else { real(on_real(z.re)) }
    };
    match op {
        Neg => -z,
        Abs => real(z.norm()),
        Sign if z == real(0.0) => z,
        Sign => z / z.norm(),
        Conj => z.conj(),
        Real => real(z.re),
        Imag => real(z.im),
        Exp => analytic(f64::exp, |z| z.exp()),
        Expm1 => analytic(f64::exp_m1, |z| {
            let half = (0.5 * z.im).sin();
            C128::new(z.re.exp_m1() * z.im.cos() - 2.0 * half * half, z.re.exp() * z.im.sin())
        }),
        Log => analytic(f64::ln, |z| z.ln()),
        Log1p => analytic(f64::ln_1p, |z| (z + 1.0).ln()),
        Sqrt => analytic(f64::sqrt, |z| z.sqrt()),
        Rsqrt => analytic(|x| 1.0 / x.sqrt(), |z| 1.0 / z.sqrt()),
        Sin => analytic(f64::sin, |z| z.sin()),
        Cos => analytic(f64::cos, |z| z.cos()),
        Tanh => analytic(f64::tanh, |z| z.tanh()),
        Tan => analytic(f64::tan, |z| z.tan()),
        Sinh => analytic(f64::sinh, |z| z.sinh()),
        Cosh => analytic(f64::cosh, |z| z.cosh()),
        Asin => analytic(f64::asin, |z| z.asin()),
        Acos => analytic(f64::acos, |z| z.acos()),
        Atan => analytic(f64::atan, |z| z.atan()),
        Asinh => analytic(f64::asinh, |z| z.asinh()),
        Acosh => analytic(f64::acosh, |z| z.acosh()),
        Atanh => analytic(f64::atanh, |z| z.atanh()),
        AsinSlope => analytic(|x| 1.0 / (1.0 - x * x).sqrt(), |z| 1.0 / (1.0 - z * z).sqrt()),
        AsinhSlope => analytic(|x| 1.0 / (1.0 + x * x).sqrt(), |z| 1.0 / (1.0 + z * z).sqrt()),
        AcoshSlope => analytic(|x| 1.0 / (x * x - 1.0).sqrt(), |z| 1.0 / ((z - 1.0).sqrt() * (z + 1.0).sqrt())),
        AtanSlope => analytic(|x| 1.0 / (1.0 + x * x), |z| 1.0 / (1.0 + z * z)),
        AtanhSlope => analytic(|x| 1.0 / (1.0 - x * x), |z| 1.0 / (1.0 - z * z)),
        Exp2 => analytic(f64::exp2, |z| (z * std::f64::consts::LN_2).exp()),
        Log2 => analytic(f64::log2, |z| z.ln() / std::f64::consts::LN_2),
        Log10 => analytic(f64::log10, |z| z.ln() / std::f64::consts::LN_10),
        Cbrt => real(z.re.cbrt()),
        Sinpi => analytic(|x| (x * std::f64::consts::PI).sin(), |z| (z * std::f64::consts::PI).sin()),
        Cospi => analytic(|x| (x * std::f64::consts::PI).cos(), |z| (z * std::f64::consts::PI).cos()),
        Deg2rad => real(z.re / 180.0 * std::f64::consts::PI),
        Rad2deg => real(z.re / std::f64::consts::PI * 180.0),
        Angle => real(z.arg()),
        Square => z * z,
        Reciprocal => analytic(|x| 1.0 / x, |z| 1.0 / z),
        Floor => real(z.re.floor()),
        Ceil => real(z.re.ceil()),
        Trunc => real(z.re.trunc()),
        Round => C128::new(z.re.round_ties_even(), z.im.round_ties_even()),
        Not if dtype == DType::Bool => truth(z.re == 0.0),
        Not => real(-z.re - 1.0),
        Isnan => truth(z.re.is_nan() || z.im.is_nan()),
        Isinf => truth(z.re.is_infinite() || z.im.is_infinite()),
        Isfinite => truth(z.re.is_finite() && z.im.is_finite()),
        Signbit => truth(z.re < 0.0 && dtype != DType::Bool),
        Erf => real(special::erf(z.re)),
        Erfc => real(special::erfc(z.re)),
        Erfinv => real(special::erfinv(z.re)),
        Erfcinv => real(special::erfinv(1.0 - z.re)),
        Ndtr => real(special::ndtr(z.re)),
        Ndtri => real(special::ndtri(z.re)),
        LogNdtr => real(special::ndtr(z.re).ln()),
        Lgamma => real(special::gamma(z.re).ln()),
        Gamma => real(special::gamma(z.re)),
        Sigmoid => real(1.0 / (1.0 + (-z.re).exp())),
        Softplus => real((1.0 + z.re.exp()).ln()),
        Logit => real((z.re / (1.0 - z.re)).ln()),
        Entr => real(-z.re * z.re.ln()),
    }
}

fn binary(op: BinaryOp, dtype: DType, a: C128, b: C128) -> C128 {
    use BinaryOp::*;
    let whole = |f: fn(i64, i64) -> i64| real(f(a.re as i64, b.re as i64) as f64);
    let integer = matches!(dtype, DType::I32 | DType::I64);
    let floor = (a.re / b.re).floor();
    match op {
        Add => a + b,
        Sub => a - b,
        Mul | Scale => a * b,
        Div if integer => whole(|a, b| a / b),
        Div if dtype.is_complex() => a / b,
        Div => real(a.re / b.re),
        Pow if integer => whole(|a, b| a.pow(b as u32)),
        Pow if dtype.is_complex() => (b * a.ln()).exp(),
        Pow => real(a.re.powf(b.re)),
        Maximum => real(a.re.max(b.re)),
        Minimum => real(a.re.min(b.re)),
        Rem => real(a.re - b.re * (a.re / b.re).trunc()),
        Remainder => real(a.re - b.re * floor),
        FloorDivide => real(floor),
        BitAnd => whole(|a, b| a & b),
        BitOr => whole(|a, b| a | b),
        BitXor => whole(|a, b| a ^ b),
        ShiftLeft => whole(|a, b| a << b),
        ShiftRight => whole(|a, b| a >> b),
        Atan2 => real(a.re.atan2(b.re)),
        Hypot => real((a.re * a.re + b.re * b.re).sqrt()),
        Copysign => real(a.re.abs() * b.re.signum()),
        Nextafter => real(a.re),
        LogAddExp => real((a.re.exp() + b.re.exp()).ln()),
        LogAddExp2 => real((a.re.exp2() + b.re.exp2()).log2()),
    }
}

/// ∫ πⁿ tⁿ cos(πzt + nπ/2) dt over 0 < t < 1, by Gauss's rule of three points on 512 pieces.
fn sinc(order: u32, z: C128) -> C128 {
    use std::f64::consts::{FRAC_PI_2, PI};
    let n = f64::from(order);
    let f = |t: f64| (z * (PI * t) + n * FRAC_PI_2).cos() * (PI * t).powi(order as i32);
    let pieces = 512;
    let width = 1.0 / f64::from(pieces);
    let piece = |k: i32| {
        let mid = (f64::from(k) + 0.5) * width;
        let away = 0.5 * width * 0.6f64.sqrt();
        (f(mid - away) + f(mid + away)) * (5.0 / 18.0) + f(mid) * (8.0 / 18.0)
    };
    (0..pieces).map(piece).sum::<C128>() * width
}

fn compare(op: CompareOp, a: C128, b: C128) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a.re < b.re,
        CompareOp::Le => a.re <= b.re,
        CompareOp::Gt => a.re > b.re,
        CompareOp::Ge => a.re >= b.re,
    }
}

fn convert(to: DType, z: C128) -> C128 {
    match to {
        DType::Bool => truth(z != real(0.0)),
        DType::I32 | DType::I64 => real(z.re.trunc()),
        DType::F32 | DType::F64 => real(z.re),
        DType::C64 | DType::C128 => z,
    }
}

fn reduce(op: ReduceOp, x: &Array, axes: &[usize], out: &OutMeta) -> Array {
    let kept: Vec<usize> = (0..x.shape.len()).filter(|a| !axes.contains(a)).collect();
    let lane: Vec<usize> = axes.iter().map(|&a| x.shape[a]).collect();
    Array::generate(out.dtype, &out.shape, |index| {
        let mut place = vec![0; x.shape.len()];
        for (&axis, &i) in kept.iter().zip(index) {
            place[axis] = i;
        }
        let values = indices(&lane).into_iter().map(|inner| {
            for (&axis, i) in axes.iter().zip(inner) {
                place[axis] = i;
            }
            x.at(&place)
        });
        match op {
            ReduceOp::Sum => total(values),
            ReduceOp::Prod => values.product(),
            ReduceOp::Max => values.reduce(|a, b| if a.re < b.re { b } else { a }).expect("elements"),
            ReduceOp::Min => values.reduce(|a, b| if a.re > b.re { b } else { a }).expect("elements"),
            ReduceOp::All => truth(values.into_iter().all(|z| z.re != 0.0)),
            ReduceOp::Any => truth(values.into_iter().any(|z| z.re != 0.0)),
        }
    })
}

fn contract(dims: &DotDims, a: &Array, b: &Array, out: &OutMeta) -> Array {
    let free = |rank: usize, contracting: &[usize], batch: &[usize]| -> Vec<usize> {
        (0..rank).filter(|axis| !contracting.contains(axis) && !batch.contains(axis)).collect()
    };
    let a_free = free(a.shape.len(), &dims.lhs_contracting, &dims.lhs_batch);
    let b_free = free(b.shape.len(), &dims.rhs_contracting, &dims.rhs_batch);
    let summed: Vec<usize> = dims.lhs_contracting.iter().map(|&axis| a.shape[axis]).collect();
    Array::generate(out.dtype, &out.shape, |index| {
        let (mut ia, mut ib) = (vec![0; a.shape.len()], vec![0; b.shape.len()]);
        let mut rest = index.iter().copied();
        for (&axis, i) in a_free.iter().zip(&mut rest) {
            ia[axis] = i;
        }
        let mut rest = index[a_free.len()..].iter().copied();
        for (&axis, i) in b_free.iter().zip(&mut rest) {
            ib[axis] = i;
        }
        let batch = &index[a_free.len() + b_free.len()..];
        for ((&l, &r), &i) in dims.lhs_batch.iter().zip(&dims.rhs_batch).zip(batch) {
            (ia[l], ib[r]) = (i, i);
        }
        total(indices(&summed).into_iter().map(|inner| {
            for ((&l, &r), i) in dims.lhs_contracting.iter().zip(&dims.rhs_contracting).zip(inner) {
                (ia[l], ib[r]) = (i, i);
            }
            a.at(&ia) * b.at(&ib)
        }))
    })
}

/// The sum with what each addition rounds away added at the end.
fn total(values: impl Iterator<Item = C128>) -> C128 {
    let (mut sum, mut lost) = (real(0.0), real(0.0));
    for z in values {
        let next = sum + z;
        let carried = next - sum;
        lost += (sum - (next - carried)) + (z - carried);
        sum = next;
    }
    sum + lost
}
