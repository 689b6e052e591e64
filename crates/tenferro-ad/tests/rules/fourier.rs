//! Independent values of the Fourier transforms and of softmax: sums over the definitions.

use crate::arrays::Array;
use std::f64::consts::TAU;
use tenferro_ad::ops::{Op, OutMeta};
use tenferro_ad::tensor_core::C128;

/// Σⱼ x[…, j, …]·weight(j, k) along an axis, where k is the index of the result.
fn summed(x: &Array, axis: usize, out: &OutMeta, weight: impl Fn(usize, usize) -> C128) -> Array {
    Array::generate(out.dtype, &out.shape, |index| {
        let term = |j: usize| {
            let mut place = index.to_vec();
            place[axis] = j;
            x.at(&place) * weight(j, index[axis])
        };
        (0..x.shape[axis]).map(term).fold(C128::new(0.0, 0.0), |a, b| a + b)
    })
}

fn phase(sign: f64, j: usize, k: usize, n: usize) -> C128 {
    C128::cis(sign * TAU * ((j * k) % n) as f64 / n as f64)
}

/// The value of a transform or of softmax by its definition; `None` for other ops.
pub fn reference(op: &Op, ins: &[Array], out: &OutMeta) -> Option<Array> {
    let x = &ins[0];
    Some(match op {
        Op::Fft(fft) => {
            let sign = if fft.inverse { 1.0 } else { -1.0 };
            let turned = fft.axes.iter().fold(x.clone(), |x, &axis| {
                let n = x.shape[axis];
                summed(&x, axis, out, |j, k| phase(sign, j, k, n))
            });
            let scale = if fft.axes.is_empty() { 1.0 } else { fft.scale };
            Array { data: turned.data.iter().map(|z| z * scale).collect(), ..turned }
        }
        Op::RealFft(fft) => {
            let n = x.shape[fft.axis];
            summed(x, fft.axis, out, |j, k| phase(-1.0, j, k, n) * fft.scale)
        }
        Op::RealInverseFft(fft) => {
            // Every element but those that are their own partners comes with its conjugate.
            let twice = |k: usize| if k == 0 || 2 * k == fft.n { 1.0 } else { 2.0 };
            let both = summed(x, fft.axis, out, |k, j| phase(1.0, k, j, fft.n) * (twice(k) * fft.scale));
            Array { data: both.data.iter().map(|z| C128::new(z.re, 0.0)).collect(), ..both }
        }
        Op::Softmax(softmax) => Array::generate(out.dtype, &out.shape, |index| {
            let power = |i: usize| {
                let mut place = index.to_vec();
                place[softmax.axis] = i;
                x.at(&place).re.exp()
            };
            let sum: f64 = (0..x.shape[softmax.axis]).map(power).sum();
            let y = power(index[softmax.axis]) / sum;
            C128::new(if softmax.log { y.ln() } else { y }, 0.0)
        }),
        _ => return None,
    })
}
