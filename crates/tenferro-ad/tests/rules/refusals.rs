//! Arguments that an op must refuse by its rule for shapes, before a kernel sees them.

use tenferro_ad::ops::{
    Broadcast, Concatenate, Meta, Op, Pad, PadDims, Primitive, PutFlat, Reduce, Reshape, ScatterFlat, Slice, SliceDims,
    Take, TakeAdd, TakeFlat, Transpose, cpu::ReduceOp,
};
use tenferro_ad::tensor_core::{DType, Variant};

#[track_caller]
fn refused(op: impl Into<Op>, ins: &[(DType, &[usize])], variant: Variant) {
    let op = op.into();
    let metas: Vec<Meta<'_>> = ins.iter().map(|&(dtype, shape)| Meta { dtype, shape }).collect();
    match op.meta(&metas) {
        Ok(out) => panic!("{op:?} on {ins:?} is accepted: {out:?}"),
        Err(e) => {
            assert_eq!(e.variant(), variant, "{op:?} on {ins:?}: {e}");
            assert_eq!(e.op(), op.name());
        }
    }
}

const F64: DType = DType::F64;

#[test]
fn positions_must_exist_and_match_the_elements() {
    let list = |n: usize| (0..n).collect::<Vec<_>>().as_slice().into();
    refused(Take { axis: 2, indices: list(1) }, &[(F64, &[3, 2])], Variant::AxisOutOfBounds);
    refused(Take { axis: 1, indices: list(3) }, &[(F64, &[3, 2])], Variant::IndexOutOfBounds);
    refused(TakeAdd { axis: 0, indices: list(3), extent: 2 }, &[(F64, &[3, 2])], Variant::IndexOutOfBounds);
    refused(TakeAdd { axis: 0, indices: list(2), extent: 4 }, &[(F64, &[3, 2])], Variant::ShapeMismatch);
    refused(TakeAdd { axis: 0, indices: list(3), extent: 4 }, &[(DType::Bool, &[3])], Variant::UnsupportedDType);
    refused(
        TakeFlat { positions: list(7), shape: [7].as_slice().into() },
        &[(F64, &[3, 2])],
        Variant::IndexOutOfBounds,
    );
    refused(
        TakeFlat { positions: list(3), shape: [2, 2].as_slice().into() },
        &[(F64, &[3, 2])],
        Variant::ShapeMismatch,
    );
    refused(
        ScatterFlat { positions: list(3), shape: [2].as_slice().into() },
        &[(F64, &[3])],
        Variant::IndexOutOfBounds,
    );
    refused(ScatterFlat { positions: list(3), shape: [4].as_slice().into() }, &[(F64, &[2])], Variant::ShapeMismatch);
    refused(PutFlat(list(3)), &[(F64, &[2]), (F64, &[3])], Variant::IndexOutOfBounds);
    refused(PutFlat(list(3)), &[(F64, &[4]), (F64, &[2])], Variant::ShapeMismatch);
    refused(PutFlat(list(2)), &[(F64, &[4]), (DType::F32, &[2])], Variant::DTypeMismatch);
}

#[test]
fn margins_and_windows_stay_addressable() {
    let pad = |low: i64, high: i64| Pad(Box::new(PadDims { low: vec![low], high: vec![high], interior: vec![0] }));
    refused(pad(i64::MIN, i64::MAX), &[(F64, &[3])], Variant::InvalidArgument);
    refused(pad(-2, -2), &[(F64, &[3])], Variant::InvalidArgument);
    refused(pad(0, i64::MAX), &[(F64, &[3])], Variant::IntegerOverflow);
    let slice = |start: usize, limit: usize, stride: usize| {
        let one = |n: usize| [n].as_slice().into();
        Slice(Box::new(SliceDims { starts: one(start), limits: one(limit), strides: one(stride) }))
    };
    refused(slice(2, 1, 1), &[(F64, &[3])], Variant::InvalidArgument);
    refused(slice(0, 4, 1), &[(F64, &[3])], Variant::InvalidArgument);
    refused(slice(0, 3, 0), &[(F64, &[3])], Variant::InvalidArgument);
    refused(slice(0, 3, 1), &[(F64, &[3, 1])], Variant::RankMismatch);
}

#[test]
fn axes_and_shapes_must_fit() {
    let huge = usize::MAX / 2;
    refused(Transpose([0].as_slice().into()), &[(F64, &[2, 3])], Variant::RankMismatch);
    refused(Transpose([0, 0].as_slice().into()), &[(F64, &[2, 3])], Variant::DuplicateAxis);
    refused(Reshape([4].as_slice().into()), &[(F64, &[2, 3])], Variant::ShapeMismatch);
    refused(Reshape([huge, huge].as_slice().into()), &[(F64, &[2, 3])], Variant::IntegerOverflow);
    let spread = |shape: &[usize], dims: &[usize]| Broadcast { shape: shape.into(), dims: dims.into() };
    refused(spread(&[4, 2], &[0]), &[(F64, &[3])], Variant::ShapeMismatch);
    refused(spread(&[huge, 3], &[1]), &[(F64, &[3])], Variant::IntegerOverflow);
    refused(spread(&[3, 3], &[1, 1]), &[(F64, &[3, 3])], Variant::DuplicateAxis);
    refused(Concatenate(0), &[], Variant::InvalidArgument);
    refused(Concatenate(0), &[(F64, &[2, 2]), (F64, &[2, 3])], Variant::ShapeMismatch);
    refused(Concatenate(1), &[(F64, &[2])], Variant::AxisOutOfBounds);
    let max = |axes: &[usize]| Reduce { op: ReduceOp::Max, axes: axes.into() };
    refused(max(&[1]), &[(F64, &[2, 0])], Variant::InvalidArgument);
    refused(max(&[0, 0]), &[(F64, &[2, 2])], Variant::DuplicateAxis);
    refused(max(&[0]), &[(DType::C128, &[2])], Variant::UnsupportedDType);
}
