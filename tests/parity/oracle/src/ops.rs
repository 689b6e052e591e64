//! The ops of the original by name: one row each. Names and arguments are those that this library uses.

use crate::numbers::dtype;
use num_complex::Complex64;
use serde_json::Value;
use tenferro_ad::{
    CompareDir, DotGeneralConfig, EagerSession, EagerTensor, GatherConfig, PadConfig, Result, ScatterConfig,
    SliceConfig,
};

type T = EagerTensor;
type Op = fn(&mut EagerSession<'_>, &[&T], &Args<'_>) -> Result<T>;

/// The arguments of a call that are not tensors.
pub struct Args<'a>(pub &'a Value);

impl Args<'_> {
    fn list(&self, name: &str) -> Vec<usize> {
        self.optional(name).unwrap_or_else(|| panic!("no list {name}"))
    }

    fn optional(&self, name: &str) -> Option<Vec<usize>> {
        let list = self.0[name].as_array()?;
        Some(list.iter().map(|n| n.as_u64().expect("not negative") as usize).collect())
    }

    fn signed(&self, name: &str) -> Vec<i64> {
        self.0[name].as_array().expect("a list").iter().map(|n| n.as_i64().expect("an integer")).collect()
    }

    fn whole(&self, name: &str) -> i64 {
        self.0[name].as_i64().unwrap_or_else(|| panic!("no integer {name}"))
    }

    fn size(&self, name: &str) -> usize {
        usize::try_from(self.whole(name)).expect("not negative")
    }

    fn real(&self, name: &str) -> f64 {
        self.0[name].as_f64().unwrap_or_else(|| panic!("no number {name}"))
    }

    fn complex(&self, name: &str) -> Complex64 {
        let pair = self.0[name].as_array().expect("a pair");
        Complex64::new(pair[0].as_f64().expect("a number"), pair[1].as_f64().expect("a number"))
    }

    fn word(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_else(|| panic!("no word {name}"))
    }
}

const OPS: &[(&str, Op)] = &[
    // Elementwise, one operand.
    ("neg", |s, x, _| s.neg(x[0])),
    ("conj", |s, x, _| s.conj(x[0])),
    ("abs", |s, x, _| s.abs(x[0])),
    ("sign", |s, x, _| s.sign(x[0])),
    ("exp", |s, x, _| s.exp(x[0])),
    ("log", |s, x, _| s.log(x[0])),
    ("expm1", |s, x, _| s.expm1(x[0])),
    ("log1p", |s, x, _| s.log1p(x[0])),
    ("sqrt", |s, x, _| s.sqrt(x[0])),
    ("rsqrt", |s, x, _| s.rsqrt(x[0])),
    ("sin", |s, x, _| s.sin(x[0])),
    ("cos", |s, x, _| s.cos(x[0])),
    ("tanh", |s, x, _| s.tanh(x[0])),
    ("erf", |s, x, _| s.erf(x[0])),
    ("convert", |s, x, a| s.convert(x[0], dtype(a.word("dtype")))),
    ("cast", |s, x, a| s.cast(x[0], dtype(a.word("dtype")))),
    ("scale_real", |s, x, a| s.scale_real(x[0], a.real("factor"))),
    ("scale_complex", |s, x, a| s.scale_complex(x[0], a.complex("factor"))),
    // Elementwise, several operands.
    ("add", |s, x, _| s.add(x[0], x[1])),
    ("sub", |s, x, _| s.sub(x[0], x[1])),
    ("mul", |s, x, _| s.mul(x[0], x[1])),
    ("div", |s, x, _| s.div(x[0], x[1])),
    ("rem", |s, x, _| s.rem(x[0], x[1])),
    ("pow", |s, x, _| s.pow(x[0], x[1])),
    ("maximum", |s, x, _| s.maximum(x[0], x[1])),
    ("minimum", |s, x, _| s.minimum(x[0], x[1])),
    ("compare", |s, x, a| s.compare(x[0], x[1], direction(a.word("dir")))),
    ("select", |s, x, _| s.select(x[0], x[1], x[2])),
    ("clamp", |s, x, _| s.clamp(x[0], x[1], x[2])),
    // Reductions.
    ("reduce_sum", |s, x, a| s.reduce_sum(x[0], a.optional("axes").as_deref())),
    ("reduce_prod", |s, x, a| s.reduce_prod(x[0], a.optional("axes").as_deref())),
    ("reduce_max", |s, x, a| s.reduce_max(x[0], a.optional("axes").as_deref())),
    ("reduce_min", |s, x, a| s.reduce_min(x[0], a.optional("axes").as_deref())),
    ("reduce_mean", |s, x, a| s.reduce_mean(x[0], a.optional("axes").as_deref())),
    ("reduce_sum_squares", |s, x, a| s.reduce_sum_squares(x[0], a.optional("axes").as_deref())),
    // Contraction.
    ("matmul", |s, x, _| s.matmul(x[0], x[1])),
    ("dot_general", |s, x, a| s.dot_general(x[0], x[1], dot(a))),
    ("dot_general_with_conj", |s, x, a| {
        let flag = |name: &str| a.0[name].as_bool().unwrap_or(false);
        s.dot_general_with_conj(x[0], x[1], dot(a), flag("lhs_conj"), flag("rhs_conj"))
    }),
    // Structure.
    ("transpose", |s, x, a| s.transpose(x[0], &a.list("perm"))),
    ("reshape", |s, x, a| s.reshape(x[0], a.list("shape"))),
    ("broadcast_in_dim", |s, x, a| s.broadcast_in_dim(x[0], &a.list("shape"), &a.list("dims"))),
    ("reverse", |s, x, a| s.reverse(x[0], &a.list("axes"))),
    ("slice", |s, x, a| {
        let (starts, limits) = (a.list("starts"), a.list("limits"));
        let strides = a.optional("strides").unwrap_or_else(|| vec![1; starts.len()]);
        s.slice(x[0], SliceConfig { starts, limits, strides })
    }),
    ("pad", |s, x, a| {
        let (low, high) = (a.signed("low"), a.signed("high"));
        let interior_padding = if a.0["interior"].is_null() { vec![0; low.len()] } else { a.signed("interior") };
        s.pad(x[0], PadConfig { edge_padding_low: low, edge_padding_high: high, interior_padding })
    }),
    ("dynamic_slice", |s, x, a| s.dynamic_slice(x[0], x[1], &a.list("sizes"))),
    ("concatenate", |s, x, a| s.concatenate(x, a.size("axis"))),
    ("stack", |s, x, a| s.stack(x, a.whole("axis") as isize)),
    ("tril", |s, x, a| s.tril(x[0], a.whole("k"))),
    ("triu", |s, x, a| s.triu(x[0], a.whole("k"))),
    ("extract_diag", |s, x, a| s.extract_diag(x[0], a.size("axis_a"), a.size("axis_b"))),
    ("embed_diag", |s, x, a| s.embed_diag(x[0], a.size("axis_a"), a.size("axis_b"))),
    // Indexing.
    ("gather", |s, x, a| {
        let config = GatherConfig {
            offset_dims: a.list("offset_dims"),
            collapsed_slice_dims: a.list("collapsed_slice_dims"),
            start_index_map: a.list("start_index_map"),
            index_vector_dim: a.size("index_vector_dim"),
            slice_sizes: a.list("slice_sizes"),
        };
        s.gather(x[0], x[1], config)
    }),
    ("scatter", |s, x, a| {
        let config = ScatterConfig {
            update_window_dims: a.list("update_window_dims"),
            inserted_window_dims: a.list("inserted_window_dims"),
            scatter_dims_to_operand_dims: a.list("scatter_dims_to_operand_dims"),
            index_vector_dim: a.size("index_vector_dim"),
        };
        s.scatter(x[0], x[1], x[2], config)
    }),
    ("index_select", |s, x, a| s.index_select(x[0], a.whole("axis") as isize, &a.list("indices"))),
    ("take_along_axis", |s, x, a| s.take_along_axis(x[0], x[1], a.size("axis"))),
    // Composites.
    ("sigmoid", |s, x, _| s.sigmoid(x[0])),
    ("silu", |s, x, _| s.silu(x[0])),
    ("softplus", |s, x, _| s.softplus(x[0])),
    ("gelu", |s, x, _| s.gelu(x[0])),
    ("gelu_tanh", |s, x, _| s.gelu_tanh(x[0])),
    ("softmax", |s, x, a| s.softmax(x[0], a.size("axis"))),
    ("log_softmax", |s, x, a| s.log_softmax(x[0], a.size("axis"))),
    ("masked_softmax", |s, x, a| s.masked_softmax(x[0], x[1], a.size("axis"))),
    ("masked_log_softmax", |s, x, a| s.masked_log_softmax(x[0], x[1], a.size("axis"))),
    ("layer_norm", |s, x, a| s.layer_norm(x[0], a.size("axis"), x.get(1).copied(), x.get(2).copied(), a.real("eps"))),
    ("rms_norm", |s, x, a| s.rms_norm(x[0], a.size("axis"), x.get(1).copied(), x.get(2).copied(), a.real("eps"))),
];

pub fn find(name: &str) -> Op {
    OPS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no op {name}")).1
}

fn direction(name: &str) -> CompareDir {
    match name {
        "eq" => CompareDir::Eq,
        "lt" => CompareDir::Lt,
        "le" => CompareDir::Le,
        "gt" => CompareDir::Gt,
        "ge" => CompareDir::Ge,
        other => panic!("no direction {other}"),
    }
}

fn dot(a: &Args<'_>) -> DotGeneralConfig {
    let dims = |name: &str| a.optional(name).unwrap_or_default();
    DotGeneralConfig {
        lhs_contracting_dims: dims("lhs_contracting").as_slice().into(),
        rhs_contracting_dims: dims("rhs_contracting").as_slice().into(),
        lhs_batch_dims: dims("lhs_batch").as_slice().into(),
        rhs_batch_dims: dims("rhs_batch").as_slice().into(),
    }
}
