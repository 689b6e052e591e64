use super::*;
use crate::test_support::{Noise, any_layout, at, indices};
use tenferro_tensor::{C64, C128, DType, Dims, Tensor};

mod errors;
mod take;
mod window;

fn ints(shape: &[usize], data: &[i64]) -> Tensor {
    Tensor::from_slice("test", shape, data).unwrap()
}

fn some_positions(noise: &mut Noise, extent: usize) -> Vec<usize> {
    let count = if extent == 0 { 0 } else { noise.below(2 * extent + 2) };
    (0..count).map(|_| noise.below(extent)).collect()
}

fn for_each_number(mut visit: impl FnMut(DType)) {
    DType::ALL.iter().filter(|&&dtype| dtype != DType::Bool).for_each(|&dtype| visit(dtype));
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
    let eps = if matches!(x.dtype(), DType::F32 | DType::C64) { 1e-4 } else { 1e-12 };
    let values = numbers(x);
    assert_eq!(values.len(), expected.len());
    for (value, exact) in values.iter().zip(expected) {
        assert!((value - exact).norm() <= eps * (1.0 + exact.norm()), "{value} {exact}");
    }
}

fn flat(shape: &[usize], index: &[usize]) -> usize {
    index.iter().zip(shape).rev().fold(0, |flat, (&i, &n)| flat * n + i)
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
    let index_vector_dim = if scalar { batch.len() } else { noise.below(batch.len() + 1) };
    let mut index_shape = batch.clone();
    if !scalar {
        index_shape.insert(index_vector_dim, mapped);
    }
    let count = index_shape.iter().product();
    let data: Vec<i64> = (0..count).map(|_| noise.below(11) as i64 - 2).collect();
    let windows = rank - collapsed_slice_dims.len();
    let offset_dims = shuffled(noise, batch.len() + windows)[..windows].to_vec();
    let config = GatherConfig { offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim, slice_sizes };
    (shape, ints(&index_shape, &data), config)
}

/// For every element of the result of a gather, the operand's element it comes from, by the definition.
fn sources(shape: &[usize], index: &Tensor, config: &GatherConfig) -> (Dims, Vec<usize>) {
    let result = gather_shape(shape, index.shape(), config).unwrap();
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !config.collapsed_slice_dims.contains(axis)).collect();
    let from = |place: &Dims| {
        let batch: Vec<usize> =
            (0..place.len()).filter(|at| !config.offset_dims.contains(at)).map(|at| place[at]).collect();
        let mut source = vec![0usize; shape.len()];
        for (component, &axis) in config.start_index_map.iter().enumerate() {
            let mut vector = batch.clone();
            if config.index_vector_dim < index.rank() {
                vector.insert(config.index_vector_dim, component);
            }
            let start = at::<i64>(index, &vector);
            source[axis] = start.clamp(0, (shape[axis] - config.slice_sizes[axis]) as i64) as usize;
        }
        kept.iter().zip(&config.offset_dims).for_each(|(&axis, &at)| source[axis] += place[at]);
        flat(shape, &source)
    };
    let all = indices(&result).iter().map(from).collect();
    (result, all)
}

fn as_scatter(config: &GatherConfig) -> ScatterConfig {
    ScatterConfig {
        update_window_dims: config.offset_dims.clone(),
        inserted_window_dims: config.collapsed_slice_dims.clone(),
        scatter_dims_to_operand_dims: config.start_index_map.clone(),
        index_vector_dim: config.index_vector_dim,
    }
}
