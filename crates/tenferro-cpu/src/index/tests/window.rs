use super::*;
use crate::test_support::element_bytes;

#[test]
fn gather_follows_its_definition() {
    let mut noise = Noise(34);
    for round in 0..2000 {
        let (shape, index, config) = random_gather(&mut noise);
        let (result, sources) = sources(&shape, &index, &config);
        let dtype = DType::ALL[round % DType::ALL.len()];
        let whole = noise.tensor(dtype, &shape);
        let x = any_layout(&mut noise, &whole);
        let y = gather(&x, &any_layout(&mut noise, &index), &config).unwrap();
        assert_eq!(y.shape(), &result[..]);
        let elements = element_bytes(&whole);
        let expected: Vec<_> = sources.iter().map(|&source| elements[source].clone()).collect();
        assert_eq!(element_bytes(&y), expected, "{shape:?} {index:?} {config:?}");
    }
}

#[test]
fn scatter_adds_where_gather_reads() {
    let mut noise = Noise(35);
    for round in 0..2000 {
        let (shape, index, config) = random_gather(&mut noise);
        let (result, sources) = sources(&shape, &index, &config);
        let dtype = DType::ALL[round % 6];
        let (x, updates) = (noise.tensor(dtype, &shape), noise.tensor(dtype, &result));
        let mut expected = numbers(&x);
        sources.iter().zip(numbers(&updates)).for_each(|(&source, value)| expected[source] += value);
        let (x, updates) = (any_layout(&mut noise, &x), any_layout(&mut noise, &updates));
        let y = scatter_add(&x, &index, &updates, &as_scatter(&config)).unwrap();
        assert_eq!(y.shape(), &shape[..]);
        assert_close(&y, &expected);
    }
}

#[test]
fn large_windows_and_batches_run_in_blocks() {
    let mut noise = Noise(36);
    let config = |sizes: Vec<usize>| GatherConfig {
        offset_dims: vec![0, 1],
        collapsed_slice_dims: vec![],
        start_index_map: vec![1],
        index_vector_dim: 1,
        slice_sizes: sizes,
    };
    for (shape, sizes, count) in [([300, 50], vec![300, 40], 8), ([4, 900], vec![4, 3], 20_000)] {
        let index = ints(&[count], &(0..count).map(|_| noise.below(shape[1]) as i64).collect::<Vec<_>>());
        let config = config(sizes);
        let (result, sources) = sources(&shape, &index, &config);
        let x = noise.tensor(DType::F64, &shape);
        let y = gather(&x, &index, &config).unwrap();
        let data = x.as_slice::<f64>().unwrap();
        assert!(y.as_slice::<f64>().unwrap().iter().zip(&sources).all(|(&value, &source)| value == data[source]));
        let updates = noise.tensor(DType::F64, &result);
        let mut expected = numbers(&x);
        sources.iter().zip(numbers(&updates)).for_each(|(&source, value)| expected[source] += value);
        assert_close(&scatter_add(&x, &index, &updates, &as_scatter(&config)).unwrap(), &expected);
    }
}

#[test]
fn indices_of_every_dtype_are_read_and_clamped() {
    let x = Tensor::from_slice("test", &[4], &[0.0, 1.0, 2.0, 3.0]).unwrap();
    let config = GatherConfig {
        offset_dims: vec![],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1],
    };
    let all = [
        ints(&[3], &[-1, 2, 4]),
        Tensor::from_slice("test", &[3], &[-1i32, 2, 4]).unwrap(),
        Tensor::from_slice("test", &[3], &[-1.0f64, 2.0, 4.0]).unwrap(),
        Tensor::from_slice("test", &[3], &[-1.0f32, 2.0, 4.0]).unwrap(),
    ];
    for index in &all {
        assert_eq!(gather(&x, index, &config).unwrap().as_slice::<f64>().unwrap(), [0.0, 2.0, 3.0]);
        let updates = Tensor::from_slice("test", &[3], &[10.0, 20.0, 30.0]).unwrap();
        let y = scatter_add(&x, index, &updates, &as_scatter(&config)).unwrap();
        assert_eq!(y.as_slice::<f64>().unwrap(), [10.0, 1.0, 22.0, 33.0]);
    }
    for bad in [0.5, f64::NAN, f64::INFINITY, 1e300, -1.5] {
        let index = Tensor::from_slice("test", &[1], &[bad]).unwrap();
        let error = gather(&x, &index, &config).unwrap_err();
        assert_eq!(error.variant(), Variant::InvalidArgument);
        assert!(error.message().contains("'indices'"), "{error}");
    }
    for index in [Noise(1).tensor(DType::Bool, &[1]), Noise(1).tensor(DType::C128, &[1])] {
        assert_eq!(gather(&x, &index, &config).unwrap_err().variant(), Variant::UnsupportedDType);
    }
    let far = ints(&[2], &[i64::MIN, i64::MAX]);
    assert_eq!(gather(&x, &far, &config).unwrap().as_slice::<f64>().unwrap(), [0.0, 3.0]);
}
