//! Gather and scatter with index tensors; the conventions are StableHLO's, and starts are clamped.

use super::layout::linear;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{GatherConfig, ScatterConfig, gather, gather_shape, scatter_add, scatter_check};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

/// Windows of the first input at the starts in the second.
#[derive(Clone, Debug)]
pub struct Gather(pub Box<GatherConfig>);

/// The first input plus windows (third input) at the starts in the second.
#[derive(Clone, Debug)]
pub struct Scatter(pub Box<ScatterConfig>);

fn check_indices(op: &'static str, dtype: DType) -> Result<()> {
    match dtype {
        DType::I32 | DType::I64 | DType::F32 | DType::F64 => Ok(()),
        _ => Err(Error::unsupported_dtype(op, dtype, "indices of int32, int64, float32 or float64")),
    }
}

fn indices(list: &[i64], shape: &[usize]) -> Tensor {
    Tensor::from_slice("sample", shape, list).unwrap_or_else(|e| panic!("{e}"))
}

impl Gather {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let rows = GatherConfig {
            offset_dims: [1].as_slice().into(),
            collapsed_slice_dims: [0].as_slice().into(),
            start_index_map: [0].as_slice().into(),
            index_vector_dim: 1,
            slice_sizes: [1, 2].as_slice().into(),
        };
        let mut all = Vec::new();
        for &d in DType::ALL {
            let mut push = |cfg: &GatherConfig, shape: &[usize], starts: Tensor| {
                all.push(Sample::new(Gather(Box::new(cfg.clone())), vec![values(d, shape, (-2.0, 2.0), 71), starts]));
            };
            push(&rows, &[3, 2], indices(&[2, 0, 2], &[3]));
            push(&rows, &[3, 2], indices(&[], &[0]));
            push(&windows(), &[3, 4], indices(&[0, 1, 2, 1, 0, 2], &[2, 3]));
            push(&windows(), &[3, 4], indices(&[-1, 9, 2, 1, 0, 2], &[2, 3]));
            push(&rows, &[3, 2], values(DType::F64, &[2], (1.0, 1.0), 0));
        }
        all
    }
}

/// Windows of 2 x 3 of a matrix, starts (column, row) in the columns of the index matrix, offsets around the batch axis.
fn windows() -> GatherConfig {
    GatherConfig {
        offset_dims: [0, 2].as_slice().into(),
        collapsed_slice_dims: [].as_slice().into(),
        start_index_map: [1, 0].as_slice().into(),
        index_vector_dim: 0,
        slice_sizes: [2, 3].as_slice().into(),
    }
}

impl Primitive for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        check_indices(self.name(), ins[1].dtype)?;
        Ok(OutMeta { dtype: ins[0].dtype, shape: gather_shape(ins[0].shape, ins[1].shape, &self.0)? })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        gather(ins[0], ins[1], &self.0)
    }

    fn rule(&self, i: usize, dtype: DType) -> Rule {
        if i == 0 { linear(dtype) } else { Rule::Inactive }
    }

    fn saves(&self, _: usize) -> Saves {
        Saves::input(1)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let zeros = cx.zeros(at.meta(cx, 0).as_meta())?;
        let cfg = ScatterConfig {
            update_window_dims: self.0.offset_dims.clone(),
            inserted_window_dims: self.0.collapsed_slice_dims.clone(),
            scatter_dims_to_operand_dims: self.0.start_index_map.clone(),
            index_vector_dim: self.0.index_vector_dim,
        };
        cx.bind(Scatter(Box::new(cfg)).into(), &[&zeros, at.x(1)?, ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let mut cfg = self.0.clone();
        match *items.batched {
            [true, false] => {
                let rank = cfg.offset_dims.len() + items.item(cx, 1).shape.len()
                    - usize::from(cfg.index_vector_dim < items.item(cx, 1).shape.len());
                cfg.offset_dims.push(rank);
                cfg.slice_sizes.push(items.size);
                cx.bind(Gather(cfg).into(), &[&items.values[0], &items.values[1]])
            }
            [false, _] => {
                let rank = items.item(cx, 1).shape.len();
                if cfg.index_vector_dim == rank {
                    cfg.index_vector_dim += 1;
                }
                cx.bind(Gather(cfg).into(), &[&items.values[0], &items.values[1]])
            }
            _ => items.one_by_one(cx, self.clone()),
        }
    }
}

impl Scatter {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let rows = ScatterConfig {
            update_window_dims: [1].as_slice().into(),
            inserted_window_dims: [0].as_slice().into(),
            scatter_dims_to_operand_dims: [0].as_slice().into(),
            index_vector_dim: 1,
        };
        let blocks = ScatterConfig {
            update_window_dims: windows().offset_dims,
            inserted_window_dims: windows().collapsed_slice_dims,
            scatter_dims_to_operand_dims: windows().start_index_map,
            index_vector_dim: windows().index_vector_dim,
        };
        let mut all = Vec::new();
        for &d in DType::ALL.iter().filter(|&&d| d != DType::Bool) {
            let mut push = |cfg: &ScatterConfig, shape: &[usize], starts: Tensor, updates: &[usize]| {
                let ins = vec![values(d, shape, (-2.0, 2.0), 72), starts, values(d, updates, (-2.0, 2.0), 73)];
                all.push(Sample::new(Scatter(Box::new(cfg.clone())), ins));
            };
            push(&rows, &[3, 2], indices(&[2, 0, 2], &[3]), &[3, 2]);
            push(&rows, &[3, 2], indices(&[], &[0]), &[0, 2]);
            push(&blocks, &[3, 4], indices(&[0, 1, 2, 1, 0, 2], &[2, 3]), &[2, 3, 3]);
            push(&blocks, &[3, 4], indices(&[-1, 9, 2, 1, 0, 2], &[2, 3]), &[2, 3, 3]);
        }
        all
    }

    /// The gather that reads what this scatter wrote.
    fn reading(&self, operand: &[usize], updates: &[usize]) -> GatherConfig {
        let mut window = self.0.update_window_dims.iter();
        let slice_sizes = (0..operand.len())
            .map(|d| match self.0.inserted_window_dims.contains(&d) {
                true => 1,
                false => window.next().map_or(1, |&w| updates[w]),
            })
            .collect();
        GatherConfig {
            offset_dims: self.0.update_window_dims.clone(),
            collapsed_slice_dims: self.0.inserted_window_dims.clone(),
            start_index_map: self.0.scatter_dims_to_operand_dims.clone(),
            index_vector_dim: self.0.index_vector_dim,
            slice_sizes,
        }
    }
}

impl Primitive for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if ins[0].dtype == DType::Bool {
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, "numbers, which can be added"));
        }
        check_indices(self.name(), ins[1].dtype)?;
        if ins[0].dtype != ins[2].dtype {
            return Err(Error::dtype(self.name(), "argument 'updates'", ins[0].dtype, ins[2].dtype));
        }
        scatter_check(ins[0].shape, ins[1].shape, ins[2].shape, &self.0)?;
        Ok(ins[0].owned())
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        scatter_add(ins[0], ins[1], ins[2], &self.0)
    }

    fn rule(&self, i: usize, dtype: DType) -> Rule {
        if i == 1 { Rule::Inactive } else { linear(dtype) }
    }

    fn saves(&self, i: usize) -> Saves {
        if i == 2 { Saves::input(1) } else { Saves::NONE }
    }

    fn additive(&self) -> bool {
        true
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        if i == 0 {
            return Ok(ct.clone());
        }
        let operand: Dims = at.meta(cx, 0).shape;
        let cfg = self.reading(&operand, &at.meta(cx, 2).shape);
        cx.bind(Gather(Box::new(cfg)).into(), &[ct, at.x(1)?])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        if items.batched[1] {
            return items.one_by_one(cx, self.clone());
        }
        let mut cfg = self.0.clone();
        cfg.update_window_dims.push(items.item(cx, 2).shape.len());
        let (x, updates) = (items.all(cx, 0)?, items.all(cx, 2)?);
        cx.bind(Scatter(cfg).into(), &[&x, &items.values[1], &updates])
    }
}
