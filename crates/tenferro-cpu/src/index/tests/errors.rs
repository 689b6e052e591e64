use super::*;

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
    check(|c| c.collapsed_slice_dims = vec![2], AxisOutOfBounds, "collapsed_slice_dims");
    check(|c| c.collapsed_slice_dims = vec![0, 0], DuplicateAxis, "collapsed_slice_dims");
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
    assert_eq!(variant(&[6, 3], |c| c.update_window_dims = vec![]), Some(InvalidArgument));
    assert_eq!(variant(&[6, 3], |c| c.update_window_dims = vec![2]), Some(AxisOutOfBounds));
    assert_eq!(variant(&[6, 3], |c| c.inserted_window_dims = vec![0, 0]), Some(DuplicateAxis));
    assert_eq!(variant(&[6, 3], |c| c.scatter_dims_to_operand_dims = vec![1]), Some(InvalidArgument));
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
    assert!(error.message().contains("index 3") && error.message().contains("axis 1"), "{error}");
    assert_eq!(take(&x, 2, &[0]).unwrap_err().variant(), Variant::AxisOutOfBounds);
    assert_eq!(take_add(&x, 1, &[0, 1, 4], 4).unwrap_err().variant(), Variant::IndexOutOfBounds);
    assert_eq!(take_add(&x, 1, &[0], 4).unwrap_err().variant(), Variant::InvalidArgument);
    assert_eq!(take_flat(&x, &[6], &[1]).unwrap_err().variant(), Variant::IndexOutOfBounds);
    assert_eq!(take_flat(&x, &[5], &[2]).unwrap_err().variant(), Variant::InvalidArgument);
    let one = Tensor::scalar(1i32).unwrap();
    assert_eq!(put_flat(&x, &[9], &one, PutMode::Set).unwrap_err().variant(), Variant::IndexOutOfBounds);
    assert_eq!(put_flat(&x, &[], &one, PutMode::Set).unwrap_err().variant(), Variant::ShapeMismatch);
    let real = Tensor::scalar(1.0f64).unwrap();
    assert_eq!(put_flat(&x, &[0], &real, PutMode::Set).unwrap_err().variant(), Variant::DTypeMismatch);
}
