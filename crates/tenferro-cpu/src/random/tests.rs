use super::*;
use crate::threads;

fn values<T: Scalar>(x: Result<Tensor>) -> Vec<T> {
    x.unwrap().as_slice::<T>().unwrap().to_vec()
}

/// Known answers of the authors' test vectors for Philox4x64-10.
#[test]
fn philox_gives_the_known_answers() {
    assert_eq!(
        philox([0; 4], [0; 2]),
        [0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b]
    );
    assert_eq!(
        philox([u64::MAX; 4], [u64::MAX; 2]),
        [0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0]
    );
    let counter = [0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89];
    assert_eq!(
        philox(counter, [0x452821e638d01377, 0xbe5466cf34e90c6c]),
        [0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6]
    );
}

#[test]
fn an_element_depends_on_key_and_position_only() {
    let key = Key::from_seed(7);
    let long = values::<f64>(normal(key, &[100_003], DType::F64));
    for n in [1, 2, 3, 5, 4097] {
        assert_eq!(values::<f64>(normal(key, &[n], DType::F64)), long[..n]);
    }
    threads::set_num_threads(4);
    let together = values::<f64>(normal(key, &[100_003], DType::F64));
    threads::set_num_threads(0);
    assert_eq!(together, long);
    assert_eq!(values::<f64>(normal(key, &[10, 10], DType::F64)), long[..100]);
}

#[test]
fn derived_keys_differ() {
    let key = Key::from_seed(3);
    let mut all = key.split(100);
    assert_eq!(key.split(10), all[..10]);
    all.extend((0..100).map(|i| key.fold_in(i)));
    all.extend((0..100).map(Key::from_seed));
    let distinct: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), 300);
    assert_eq!(Key::from_words(key.words()), key);
}

fn moments(x: &[f64]) -> [f64; 4] {
    [1, 2, 3, 4].map(|k| x.iter().map(|v| v.powi(k)).sum::<f64>() / x.len() as f64)
}

#[test]
fn distributions_have_their_moments() {
    let n = 1_000_000;
    let key = Key::from_seed(11);
    let close = |x: f64, y: f64| (x - y).abs() < 0.02;
    let z = moments(&values::<f64>(normal(key, &[n], DType::F64)));
    assert!(close(z[0], 0.0) && close(z[1], 1.0) && close(z[2], 0.0) && close(z[3], 3.0), "{z:?}");
    let x = values::<f64>(uniform(key, &[n], DType::F64, -1.0, 3.0));
    assert!(x.iter().all(|v| (-1.0..3.0).contains(v)));
    let u = moments(&x);
    assert!(close(u[0], 1.0) && close(u[1], 1.0 + 16.0 / 12.0), "{u:?}");
    let single = values::<f32>(normal(key, &[n], DType::F32));
    let single = moments(&single.iter().map(|&v| v.into()).collect::<Vec<f64>>());
    assert!(close(single[0], 0.0) && close(single[1], 1.0) && close(single[3], 3.0));
    let complex = values::<C128>(normal(key, &[n], DType::C128));
    let norm: f64 = complex.iter().map(|z| z.norm_sqr()).sum::<f64>() / n as f64;
    let pseudo: C128 = complex.iter().map(|z| z * z).sum::<C128>() / n as f64;
    assert!(close(norm, 1.0) && pseudo.norm() < 0.01);
    assert_eq!(normal(key, &[2], DType::C64).unwrap().dtype(), DType::C64);
}

/// Neighbours are uncorrelated, within one draw and across keys.
#[test]
fn draws_are_uncorrelated() {
    let n = 400_000;
    let key = Key::from_seed(5);
    let x = values::<f64>(normal(key, &[n], DType::F64));
    let y = values::<f64>(normal(key.fold_in(1), &[n], DType::F64));
    for lag in 1..9 {
        let within: f64 = x.iter().zip(&x[lag..]).map(|(a, b)| a * b).sum::<f64>() / n as f64;
        assert!(within.abs() < 0.01, "{lag} {within}");
    }
    assert!((x.iter().zip(&y).map(|(a, b)| a * b).sum::<f64>() / n as f64).abs() < 0.01);
}

#[test]
fn integers_are_even_over_their_range() {
    let key = Key::from_seed(2);
    let mut counts = [0; 7];
    for v in values::<i32>(randint(key, &[70_000], -3, 4, DType::I32)) {
        counts[(v + 3) as usize] += 1;
    }
    assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)), "{counts:?}");
    let wide = values::<i64>(randint(key, &[1000], i64::MIN, i64::MAX, DType::I64));
    assert!(wide.iter().any(|&v| v > i64::MAX / 2) && wide.iter().any(|&v| v < i64::MIN / 2));
    assert_eq!(values::<i64>(randint(key, &[5], 4, 5, DType::I64)), [4; 5]);
}

#[test]
fn a_permutation_has_every_number_once() {
    let key = Key::from_seed(9);
    for n in [0, 1, 2, 5, 1000] {
        let mut p = values::<i64>(permutation(key, n));
        p.sort();
        assert_eq!(p, (0..n as i64).collect::<Vec<_>>());
    }
    let mut first = [0; 4];
    for seed in 0..8000 {
        first[values::<i64>(permutation(Key::from_seed(seed), 4))[0] as usize] += 1;
    }
    assert!(first.iter().all(|&c| (1800..2200).contains(&c)), "{first:?}");
}

#[test]
fn bounds_are_checked() {
    let key = Key::from_seed(0);
    let uniform_of = |low, high| uniform(key, &[3], DType::F64, low, high);
    assert_eq!(values::<f64>(uniform_of(2.0, 2.0)), [2.0; 3]);
    for (error, variant, op) in [
        (uniform_of(1.0, 0.0), Variant::InvalidArgument, "uniform"),
        (uniform_of(f64::NAN, 0.0), Variant::InvalidArgument, "uniform"),
        (uniform_of(0.0, f64::INFINITY), Variant::InvalidArgument, "uniform"),
        (uniform(key, &[3], DType::I32, 0.0, 1.0), Variant::UnsupportedDType, "uniform"),
        (normal(key, &[3], DType::Bool), Variant::UnsupportedDType, "normal"),
        (randint(key, &[3], 5, 5, DType::I64), Variant::InvalidArgument, "randint"),
        (randint(key, &[3], 0, 1 << 40, DType::I32), Variant::IntegerOverflow, "randint"),
        (randint(key, &[3], 0, 1, DType::F64), Variant::UnsupportedDType, "randint"),
    ] {
        let error = error.unwrap_err();
        assert_eq!((error.variant(), error.op()), (variant, op));
    }
    let ulp = values::<f32>(uniform(key, &[1000], DType::F32, 1.0, f64::from(1f32.next_up())));
    assert!(ulp.iter().all(|&v| v == 1.0));
}
