use super::*;
use crate::test_support::element_bytes;

#[test]
fn take_reads_slices() {
    let mut noise = Noise(31);
    for shape in [&[7][..], &[5, 6], &[6, 70, 2], &[2, 3, 4, 5], &[0, 3], &[3, 0], &[1, 90]] {
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

#[test]
fn take_add_is_the_adjoint_of_take() {
    let mut noise = Noise(32);
    for shape in [&[7][..], &[5, 6], &[6, 70, 2], &[2, 3, 4, 5], &[0, 3], &[3, 0], &[40_000, 3]] {
        for_each_number(|dtype| {
            for axis in 0..shape.len() {
                let positions = some_positions(&mut noise, shape[axis].min(50));
                let mut short = Dims::from_slice(shape);
                short[axis] = positions.len();
                let ct = noise.tensor(dtype, &short);
                let values = numbers(&ct);
                let ct = if ct.size() < 2000 { any_layout(&mut noise, &ct) } else { ct };
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
            positions.iter().zip(element_bytes(&values)).for_each(|(&p, bytes)| expected[p] = bytes);
            assert_eq!(element_bytes(&put), expected);

            let added = put_flat(&x, &positions, &values, PutMode::Add);
            if dtype == DType::Bool {
                assert_eq!(added.unwrap_err().variant(), Variant::UnsupportedDType);
                continue;
            }
            let mut expected = numbers(&whole);
            positions.iter().zip(numbers(&values)).for_each(|(&p, value)| expected[p] += value);
            assert_close(&added.unwrap(), &expected);
        }
    }
}
