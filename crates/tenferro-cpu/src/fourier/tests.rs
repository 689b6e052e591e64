use super::*;
use std::f64::consts::TAU;

/// Σⱼ x[j]·exp(sign·2πi·jk/n), term by term.
fn slow(x: &[C128], sign: f64) -> Vec<C128> {
    let n = x.len();
    let term = |k: usize, j: usize| {
        let angle = sign * TAU * ((j * k) % n) as f64 / n as f64;
        x[j] * C128::new(angle.cos(), angle.sin())
    };
    (0..n).map(|k| (0..n).map(|j| term(k, j)).fold(C128::new(0.0, 0.0), |a, b| a + b)).collect()
}

fn numbers(n: usize) -> Vec<C128> {
    (0..n).map(|i| C128::new((i as f64 * 0.618).fract() - 0.5, (i as f64 * 0.414).fract() - 0.3)).collect()
}

fn close(a: &[C128], b: &[C128], bound: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).norm() <= bound, "{a} and {b}");
    }
}

#[test]
fn agrees_with_the_sum_for_all_kinds_of_lengths() {
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17, 30, 31, 64, 97, 101, 128, 210] {
        let x = numbers(n);
        let tensor = Tensor::from_slice("test", &[n], &x).unwrap();
        for inverse in [false, true] {
            let got = fft(&tensor, &[0], inverse, 1.0).unwrap();
            close(got.as_slice::<C128>().unwrap(), &slow(&x, if inverse { 1.0 } else { -1.0 }), 1e-14 * n as f64);
        }
        let real: Vec<f64> = x.iter().map(|z| z.re).collect();
        let real_tensor = Tensor::from_slice("test", &[n], &real).unwrap();
        let wide: Vec<C128> = real.iter().map(|&x| C128::new(x, 0.0)).collect();
        let half = rfft(&real_tensor, 0, 1.0).unwrap();
        close(half.as_slice::<C128>().unwrap(), &slow(&wide, -1.0)[..n / 2 + 1], 1e-14 * n as f64);
        let back = irfft(&half, 0, n, 1.0 / n as f64).unwrap();
        for (a, b) in back.as_slice::<f64>().unwrap().iter().zip(&real) {
            assert!((a - b).abs() < 1e-14 * n as f64);
        }
    }
}

#[test]
fn every_axis_and_layout_gives_the_same_lines() {
    let shape = [3, 4, 5];
    let x = Tensor::from_slice("test", &shape, &numbers(60)).unwrap();
    for axis in 0..3 {
        let mut perm: Dims = (0..3).collect();
        perm.swap(0, axis);
        let view = x.with_layout(x.layout().permuted(&perm));
        let direct = fft(&x, &[axis], false, 0.5).unwrap();
        let turned = fft(&view, &[0], false, 0.5).unwrap();
        let back = compact(&turned.with_layout(turned.layout().permuted(&perm))).unwrap();
        close(direct.as_slice::<C128>().unwrap(), back.as_slice::<C128>().unwrap(), 0.0);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let x = Tensor::from_slice("test", &[100, 700], &numbers(70_000)).unwrap();
    for axis in [0, 1] {
        let one = threads::with_limit(Some(1), || fft(&x, &[axis], false, 1.0)).unwrap();
        let four = threads::with_limit(Some(4), || fft(&x, &[axis], false, 1.0)).unwrap();
        close(one.as_slice::<C128>().unwrap(), four.as_slice::<C128>().unwrap(), 0.0);
    }
}

#[test]
fn nothing_to_transform_is_no_error() {
    let x = Tensor::from_slice::<C128>("test", &[3, 0], &[]).unwrap();
    assert_eq!(fft(&x, &[0], false, 1.0).unwrap().shape(), [3, 0]);
    assert_eq!(irfft(&x, 0, 4, 1.0).unwrap().shape(), [4, 0]);
    let x = Tensor::from_slice::<f64>("test", &[5, 0], &[]).unwrap();
    assert_eq!(rfft(&x, 0, 1.0).unwrap().shape(), [3, 0]);
}

#[test]
fn imaginary_parts_without_a_place_are_ignored() {
    let spectrum = [C128::new(1.0, 5.0), C128::new(0.5, -0.25), C128::new(2.0, 7.0)];
    let x = Tensor::from_slice("test", &[3], &spectrum).unwrap();
    let mut full = spectrum.to_vec();
    (full[0].im, full[2].im) = (0.0, 0.0);
    full.push(full[1].conj());
    let expected: Vec<f64> = slow(&full, 1.0).iter().map(|z| z.re).collect();
    let got = irfft(&x, 0, 4, 1.0).unwrap();
    for (a, b) in got.as_slice::<f64>().unwrap().iter().zip(&expected) {
        assert!((a - b).abs() < 1e-14);
    }
}
