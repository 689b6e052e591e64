use super::*;
use crate::test_support::{Noise, at, element_bytes, indices, layouts};
use tenferro_tensor::{C64, C128, DType, Dims, Tensor};

fn ints(shape: &[usize], data: &[i64]) -> Tensor {
    Tensor::from_slice("test", shape, data).unwrap()
}

fn any_layout(noise: &mut Noise, x: &Tensor) -> Tensor {
    let all = layouts(x);
    all[noise.below(all.len())].clone()
}

fn some_positions(noise: &mut Noise, extent: usize) -> Vec<usize> {
    let count = if extent == 0 { 0 } else { noise.below(2 * extent + 2) };
    (0..count).map(|_| noise.below(extent)).collect()
}

#[test]
fn take_reads_slices() {
    let mut noise = Noise(31);
    for shape in [
        &[7][..],
        &[5, 6],
        &[6, 70, 2],
        &[2, 3, 4, 5],
        &[0, 3],
        &[3, 0],
        &[1, 90],
    ] {
        for &dtype in DType::ALL {
            for axis in 0..shape.len() {
                let whole = noise.tensor(dtype, shape);
                let x = any_layout(&mut noise, &whole);
                let positions = some_positions(&mut noise, shape[axis]);
                let y = take(&x, axis, &positions).unwrap();
                let mut expected = Dims::from_slice(shape);
                expected[axis] = positions.len();
                assert_eq!(y.shape(), &expected[..]);
                for (number, &position) in positions.iter().enumerate() {
                    let slice = |x: &Tensor, position| {
                        let mut ranges: Vec<_> = x.shape().iter().map(|&n| (0, n, 1)).collect();
                        ranges[axis] = (position, 1, 1);
                        element_bytes(&x.with_layout(x.layout().sliced(&ranges)))
                    };
                    assert_eq!(slice(&y, number), slice(&whole, position));
                }
            }
        }
    }
}

fn for_each_number(mut visit: impl FnMut(DType)) {
    DType::ALL
        .iter()
        .filter(|&&dtype| dtype != DType::Bool)
        .for_each(|&dtype| visit(dtype));
}

/// Elements as complex numbers, which hold all test data exactly enough for comparisons.
fn numbers(x: &Tensor) -> Vec<C128> {
    let read = |index: &Dims| match x.dtype() {
        DType::F32 => C128::from(f64::from(at::<f32>(x, index))),
        DType::F64 => C128::from(at::<f64>(x, index)),
        DType::C64 => {
            let value = at::<C64>(x, index);
            C128::new(value.re.into(), value.im.into())
        }
        DType::C128 => at::<C128>(x, index),
        DType::I32 => C128::from(f64::from(at::<i32>(x, index))),
        DType::I64 => C128::from(at::<i64>(x, index) as f64),
        DType::Bool => C128::from(f64::from(u8::from(at::<bool>(x, index)))),
    };
    indices(x.shape()).iter().map(read).collect()
}

fn assert_close(x: &Tensor, expected: &[C128]) {
    let eps = if matches!(x.dtype(), DType::F32 | DType::C64) {
        1e-4
    } else {
        1e-12
    };
    let values = numbers(x);
    assert_eq!(values.len(), expected.len());
    for (value, exact) in values.iter().zip(expected) {
        assert!((value - exact).norm() <= eps * (1.0 + exact.norm()), "{value} {exact}");
    }
}

fn flat(shape: &[usize], index: &[usize]) -> usize {
    index.iter().zip(shape).rev().fold(0, |flat, (&i, &n)| flat * n + i)
}

#[test]
fn take_add_is_the_adjoint_of_take() {
    let mut noise = Noise(32);
    for shape in [
        &[7][..],
        &[5, 6],
        &[6, 70, 2],
        &[2, 3, 4, 5],
        &[0, 3],
        &[3, 0],
        &[40_000, 3],
    ] {
        for_each_number(|dtype| {
            for axis in 0..shape.len() {
                let positions = some_positions(&mut noise, shape[axis].min(50));
                let mut short = Dims::from_slice(shape);
                short[axis] = positions.len();
                let ct = noise.tensor(dtype, &short);
                let values = numbers(&ct);
                let ct = if ct.size() < 2000 {
                    any_layout(&mut noise, &ct)
                } else {
                    ct
                };
                let y = take_add(&ct, axis, &positions, shape[axis]).unwrap();
                assert_eq!(y.shape(), shape);
                let mut expected = vec![C128::ZERO; y.size()];
                for (index, value) in indices(&short).iter().zip(values) {
                    let mut index = index.clone();
                    index[axis] = positions[index[axis]];
                    expected[flat(shape, &index)] += value;
                }
                assert_close(&y, &expected);
            }
        });
    }
}

#[test]
fn flat_positions_count_in_column_major_order() {
    let mut noise = Noise(33);
    for shape in [&[][..], &[7], &[5, 6], &[2, 3, 4]] {
        for &dtype in DType::ALL {
            let whole = noise.tensor(dtype, shape);
            let x = any_layout(&mut noise, &whole);
            let positions = some_positions(&mut noise, x.size());
            let y = take_flat(&x, &positions, &[positions.len(), 1]).unwrap();
            let (before, taken) = (element_bytes(&whole), element_bytes(&y));
            assert!(positions.iter().zip(taken).all(|(&p, bytes)| before[p] == bytes));

            let values = noise.tensor(dtype, &[positions.len()]);
            let put = put_flat(&x, &positions, &any_layout(&mut noise, &values), PutMode::Set).unwrap();
            let mut expected = before;
            positions
                .iter()
                .zip(element_bytes(&values))
                .for_each(|(&p, bytes)| expected[p] = bytes);
            assert_eq!(element_bytes(&put), expected);

            let added = put_flat(&x, &positions, &values, PutMode::Add);
            if dtype == DType::Bool {
                assert_eq!(added.unwrap_err().variant(), Variant::UnsupportedDType);
                continue;
            }
            let mut expected = numbers(&whole);
            positions
                .iter()
                .zip(numbers(&values))
                .for_each(|(&p, value)| expected[p] += value);
            assert_close(&added.unwrap(), &expected);
        }
    }
}

fn shuffled(noise: &mut Noise, n: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| all.swap(i, noise.below(i + 1)));
    all
}

/// Operand shape, indices and a config that belong together.
fn random_gather(noise: &mut Noise) -> (Dims, Tensor, GatherConfig) {
    let rank = noise.below(4) + 1;
    let shape: Dims = (0..rank).map(|_| noise.below(7) + 1).collect();
    let mapped = noise.below(rank + 1);
    let start_index_map = shuffled(noise, rank)[..mapped].to_vec();
    let mut slice_sizes: Vec<usize> = shape.iter().map(|&n| noise.below(n + 1)).collect();
    let mut collapsed_slice_dims = shuffled(noise, rank)[..noise.below(rank + 1)].to_vec();
    collapsed_slice_dims.iter().for_each(|&axis| slice_sizes[axis] = 1);
    collapsed_slice_dims.sort();
    let batch: Dims = (0..noise.below(3)).map(|_| noise.below(5)).collect();
    let scalar = mapped == 1 && noise.below(2) == 0;
    let index_vector_dim = if scalar {
        batch.len()
    } else {
        noise.below(batch.len() + 1)
    };
    let mut index_shape = batch.clone();
    if !scalar {
        index_shape.insert(index_vector_dim, mapped);
    }
    let count = index_shape.iter().product();
    let data: Vec<i64> = (0..count).map(|_| noise.below(11) as i64 - 2).collect();
    let windows = rank - collapsed_slice_dims.len();
    let offset_dims = shuffled(noise, batch.len() + windows)[..windows].to_vec();
    let config = GatherConfig {
        offset_dims,
        collapsed_slice_dims,
        start_index_map,
        index_vector_dim,
        slice_sizes,
    };
    (shape, ints(&index_shape, &data), config)
}

/// For every element of the result of a gather, the operand's element it comes from, by the definition.
fn sources(shape: &[usize], index: &Tensor, config: &GatherConfig) -> (Dims, Vec<usize>) {
    let result = gather_shape(shape, index.shape(), config).unwrap();
    let kept: Vec<usize> = (0..shape.len())
        .filter(|axis| !config.collapsed_slice_dims.contains(axis))
        .collect();
    let from = |place: &Dims| {
        let batch: Vec<usize> = (0..place.len())
            .filter(|at| !config.offset_dims.contains(at))
            .map(|at| place[at])
            .collect();
        let mut source = vec![0usize; shape.len()];
        for (component, &axis) in config.start_index_map.iter().enumerate() {
            let mut vector = batch.clone();
            if config.index_vector_dim < index.rank() {
                vector.insert(config.index_vector_dim, component);
            }
            let start = at::<i64>(index, &vector);
            source[axis] = start.clamp(0, (shape[axis] - config.slice_sizes[axis]) as i64) as usize;
        }
        kept.iter()
            .zip(&config.offset_dims)
            .for_each(|(&axis, &at)| source[axis] += place[at]);
        flat(shape, &source)
    };
    let all = indices(&result).iter().map(from).collect();
    (result, all)
}

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

fn as_scatter(config: &GatherConfig) -> ScatterConfig {
    ScatterConfig {
        update_window_dims: config.offset_dims.clone(),
        inserted_window_dims: config.collapsed_slice_dims.clone(),
        scatter_dims_to_operand_dims: config.start_index_map.clone(),
        index_vector_dim: config.index_vector_dim,
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
        sources
            .iter()
            .zip(numbers(&updates))
            .for_each(|(&source, value)| expected[source] += value);
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
        let index = ints(
            &[count],
            &(0..count).map(|_| noise.below(shape[1]) as i64).collect::<Vec<_>>(),
        );
        let config = config(sizes);
        let (result, sources) = sources(&shape, &index, &config);
        let x = noise.tensor(DType::F64, &shape);
        let y = gather(&x, &index, &config).unwrap();
        let data = x.as_slice::<f64>().unwrap();
        assert!(
            y.as_slice::<f64>()
                .unwrap()
                .iter()
                .zip(&sources)
                .all(|(&value, &source)| value == data[source])
        );
        let updates = noise.tensor(DType::F64, &result);
        let mut expected = numbers(&x);
        sources
            .iter()
            .zip(numbers(&updates))
            .for_each(|(&source, value)| expected[source] += value);
        assert_close(
            &scatter_add(&x, &index, &updates, &as_scatter(&config)).unwrap(),
            &expected,
        );
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
        assert_eq!(
            gather(&x, index, &config).unwrap().as_slice::<f64>().unwrap(),
            [0.0, 2.0, 3.0]
        );
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
        assert_eq!(
            gather(&x, &index, &config).unwrap_err().variant(),
            Variant::UnsupportedDType
        );
    }
    let far = ints(&[2], &[i64::MIN, i64::MAX]);
    assert_eq!(
        gather(&x, &far, &config).unwrap().as_slice::<f64>().unwrap(),
        [0.0, 3.0]
    );
}

#[test]
fn every_field_of_a_config_is_checked() {
    let good = GatherConfig {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0, 1],
        index_vector_dim: 1,
        slice_sizes: vec![1, 3],
    };
    let shape = |change: fn(&mut GatherConfig)| {
        let mut config = good.clone();
        change(&mut config);
        gather_shape(&[4, 5], &[6, 2], &config)
    };
    assert_eq!(shape(|_| ()).unwrap()[..], [6, 3]);
    let check = |change: fn(&mut GatherConfig), variant, field: &str| {
        let error = shape(change).unwrap_err();
        assert_eq!((error.op(), error.variant()), ("gather", variant));
        assert!(error.message().contains(field), "{error}");
    };
    use Variant::{AxisOutOfBounds, DuplicateAxis, InvalidArgument};
    check(|c| c.offset_dims = vec![], InvalidArgument, "offset_dims");
    check(|c| c.offset_dims = vec![2], AxisOutOfBounds, "offset_dims");
    check(
        |c| c.collapsed_slice_dims = vec![2],
        AxisOutOfBounds,
        "collapsed_slice_dims",
    );
    check(
        |c| c.collapsed_slice_dims = vec![0, 0],
        DuplicateAxis,
        "collapsed_slice_dims",
    );
    check(|c| c.collapsed_slice_dims = vec![1], InvalidArgument, "slice_sizes");
    check(|c| c.start_index_map = vec![0], InvalidArgument, "start_index_map");
    check(|c| c.start_index_map = vec![0, 0], DuplicateAxis, "start_index_map");
    check(|c| c.start_index_map = vec![0, 9], AxisOutOfBounds, "start_index_map");
    check(|c| c.index_vector_dim = 3, InvalidArgument, "index_vector_dim");
    check(|c| c.slice_sizes = vec![1], InvalidArgument, "slice_sizes");
    check(|c| c.slice_sizes = vec![1, 6], InvalidArgument, "slice_sizes");

    let good = as_scatter(&good);
    let error = |updates: &[usize], change: fn(&mut ScatterConfig)| {
        let mut config = good.clone();
        change(&mut config);
        scatter_check(&[4, 5], &[6, 2], updates, &config).err()
    };
    let variant = |updates: &[usize], change| error(updates, change).map(|error| error.variant());
    assert_eq!(variant(&[6, 3], |_| ()), None);
    assert_eq!(variant(&[6], |_| ()), Some(Variant::RankMismatch));
    assert_eq!(variant(&[5, 3], |_| ()), Some(Variant::ShapeMismatch));
    assert_eq!(variant(&[6, 6], |_| ()), Some(Variant::ShapeMismatch));
    assert_eq!(
        variant(&[6, 3], |c| c.update_window_dims = vec![]),
        Some(InvalidArgument)
    );
    assert_eq!(
        variant(&[6, 3], |c| c.update_window_dims = vec![2]),
        Some(AxisOutOfBounds)
    );
    assert_eq!(
        variant(&[6, 3], |c| c.inserted_window_dims = vec![0, 0]),
        Some(DuplicateAxis)
    );
    assert_eq!(
        variant(&[6, 3], |c| c.scatter_dims_to_operand_dims = vec![1]),
        Some(InvalidArgument)
    );
    assert_eq!(variant(&[6, 3], |c| c.index_vector_dim = 7), Some(InvalidArgument));
    assert_eq!(error(&[6, 6], |_| ()).unwrap().op(), "scatter");
    let truth = Noise(1).tensor(DType::Bool, &[2]);
    let one = ScatterConfig {
        update_window_dims: vec![],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
    };
    let refused = scatter_add(&truth, &ints(&[2], &[0, 1]), &truth, &one).unwrap_err();
    assert_eq!(refused.variant(), Variant::UnsupportedDType);
}

#[test]
fn positions_outside_are_refused() {
    let x = Tensor::from_slice("test", &[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    let error = take(&x, 1, &[0, 3]).unwrap_err();
    assert_eq!(error.variant(), Variant::IndexOutOfBounds);
    assert!(
        error.message().contains("index 3") && error.message().contains("axis 1"),
        "{error}"
    );
    assert_eq!(take(&x, 2, &[0]).unwrap_err().variant(), Variant::AxisOutOfBounds);
    assert_eq!(
        take_add(&x, 1, &[0, 1, 4], 4).unwrap_err().variant(),
        Variant::IndexOutOfBounds
    );
    assert_eq!(
        take_add(&x, 1, &[0], 4).unwrap_err().variant(),
        Variant::InvalidArgument
    );
    assert_eq!(
        take_flat(&x, &[6], &[1]).unwrap_err().variant(),
        Variant::IndexOutOfBounds
    );
    assert_eq!(
        take_flat(&x, &[5], &[2]).unwrap_err().variant(),
        Variant::InvalidArgument
    );
    let one = Tensor::scalar(1i32).unwrap();
    assert_eq!(
        put_flat(&x, &[9], &one, PutMode::Set).unwrap_err().variant(),
        Variant::IndexOutOfBounds
    );
    assert_eq!(
        put_flat(&x, &[], &one, PutMode::Set).unwrap_err().variant(),
        Variant::ShapeMismatch
    );
    let real = Tensor::scalar(1.0f64).unwrap();
    assert_eq!(
        put_flat(&x, &[0], &real, PutMode::Set).unwrap_err().variant(),
        Variant::DTypeMismatch
    );
}
