//! The linear interpreter: a tangent rule run under it leaves a few rows, each an op that is linear in earlier rows;
//! walking them backwards through the ops' adjoints is the transpose.

use smallvec::{SmallVec, smallvec};
use tenferro_runtime::{At, Interp, Meta, Op, OutMeta, Primitive, Rule, Slot, compose::Build};
use tenferro_tensor::{Error, Result, Tensor};

/// Known now, or the row of a linear function of the input tangent (row 0).
#[derive(Clone)]
pub(crate) enum Lin<V> {
    Known(V),
    Row(usize, OutMeta),
}

struct Row<V> {
    op: Op,
    ins: SmallVec<[Lin<V>; 3]>,
    out: OutMeta,
}

pub(crate) struct Linear<'a, I: Interp> {
    base: &'a mut I,
    rows: SmallVec<[Row<I::V>; 3]>,
}

impl<'a, I: Interp> Linear<'a, I> {
    pub fn new(base: &'a mut I) -> Self {
        Linear { base, rows: SmallVec::new() }
    }

    /// Jᴴ·ct for the function whose tangent `out` is. `None` where it does not depend on the input tangent.
    pub fn transpose(self, out: Lin<I::V>, ct: &I::V) -> Result<Option<I::V>> {
        let Lin::Row(last, _) = out else { return Ok(None) };
        let mut cts: SmallVec<[Option<I::V>; 4]> = smallvec![None; self.rows.len() + 1];
        cts[last] = Some(ct.clone());
        for (k, row) in self.rows.into_iter().enumerate().rev() {
            let Some(ct) = cts[k + 1].take() else { continue };
            let at = At {
                ins: row
                    .ins
                    .iter()
                    .map(|lin| match lin {
                        Lin::Known(v) => Slot::Value(v.clone()),
                        Lin::Row(_, meta) => Slot::Meta(meta.clone()),
                    })
                    .collect(),
                out: Slot::Meta(row.out),
            };
            for (i, lin) in row.ins.iter().enumerate() {
                let Lin::Row(into, meta) = lin else { continue };
                if row.op.rule(i, meta.dtype) != Rule::Linear {
                    return Err(Error::internal(
                        row.op.name(),
                        "a tangent rule used an op that is not linear in the tangent",
                    ));
                }
                let part = row.op.adjoint(self.base, i, &ct, &at)?;
                cts[*into] = Some(match cts[*into].take() {
                    Some(sum) => self.base.add(&sum, &part)?,
                    None => part,
                });
            }
        }
        Ok(cts[0].take())
    }
}

impl<I: Interp> Interp for Linear<'_, I> {
    type V = Lin<I::V>;

    fn bind(&mut self, op: Op, ins: &[&Self::V]) -> Result<Self::V> {
        if ins.iter().all(|lin| matches!(lin, Lin::Known(_))) {
            let known: SmallVec<[&I::V; 4]> = ins
                .iter()
                .filter_map(|lin| match lin {
                    Lin::Known(v) => Some(v),
                    Lin::Row(..) => None,
                })
                .collect();
            return Ok(Lin::Known(self.base.bind(op, &known)?));
        }
        let out = {
            let metas: SmallVec<[Meta<'_>; 4]> = ins.iter().map(|lin| self.meta(lin)).collect();
            op.meta(&metas)?
        };
        self.rows.push(Row { op, ins: ins.iter().map(|&lin| lin.clone()).collect(), out: out.clone() });
        Ok(Lin::Row(self.rows.len(), out))
    }

    fn meta<'b>(&'b self, value: &'b Self::V) -> Meta<'b> {
        match value {
            Lin::Known(v) => self.base.meta(v),
            Lin::Row(_, meta) => meta.as_meta(),
        }
    }

    fn constant(&mut self, tensor: Tensor) -> Self::V {
        Lin::Known(self.base.constant(tensor))
    }
}
