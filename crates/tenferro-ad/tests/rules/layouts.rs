//! Strided inputs give the same bits as compact ones.

use crate::arrays::{bits, flat, from_numbers, indices, numbers};
use crate::fail;
use crate::samples::{Case, catalogue, large};
use crate::values::evaluate;
use tenferro_ad::tensor_core::{Dims, Layout, Strides, Tensor};

#[derive(Clone, Copy, Debug)]
enum Stored {
    /// Last axis fastest.
    RowMajor,
    /// Every second element of a larger buffer, not at its start.
    Sliced,
    /// All axes backwards.
    Backwards,
    /// One element repeated along the first axis.
    Repeated,
}

const ALL: [Stored; 4] = [Stored::RowMajor, Stored::Sliced, Stored::Backwards, Stored::Repeated];

/// The numbers of `x` (for `Repeated`: those at the first position of its first axis), strided and compact.
fn stored(x: &Tensor, how: Stored) -> (Tensor, Tensor) {
    let data = numbers(x);
    let shape = x.shape();
    let place = |buffer: &[usize], position: &dyn Fn(&[usize]) -> Vec<usize>| {
        let count: usize = buffer.iter().product();
        let mut all = vec![data.first().copied().unwrap_or_default(); count];
        for (index, &value) in indices(shape).iter().zip(&data) {
            all[flat(buffer, &position(index))] = value;
        }
        from_numbers(x.dtype(), &[count], &all)
    };
    let steps = |extents: &[usize]| -> Vec<isize> {
        (0..extents.len()).map(|a| extents[..a].iter().product::<usize>() as isize).collect()
    };
    let view = |buffer: &Tensor, strides: Vec<isize>, offset: usize| {
        buffer.with_layout(Layout::strided(Dims::from_slice(shape), Strides::from_slice(&strides), offset))
    };
    if data.is_empty() {
        return (x.clone(), x.clone());
    }
    match how {
        Stored::RowMajor => {
            let reversed: Vec<usize> = shape.iter().rev().copied().collect();
            let buffer = place(&reversed, &|i| i.iter().rev().copied().collect());
            let strides = steps(&reversed).into_iter().rev().collect();
            (view(&buffer, strides, 0), x.clone())
        }
        Stored::Sliced => {
            let larger: Vec<usize> = shape.iter().map(|n| 2 * n + 3).collect();
            let buffer = place(&larger, &|i| i.iter().map(|i| 2 * i + 1).collect());
            let (steps, first) = (steps(&larger), vec![1; shape.len()]);
            let strides = steps.iter().map(|s| 2 * s).collect();
            (view(&buffer, strides, flat(&larger, &first)), x.clone())
        }
        Stored::Backwards => {
            let buffer = place(shape, &|i| i.iter().zip(shape).map(|(i, n)| n - 1 - i).collect());
            let strides = steps(shape).iter().map(|s| -s).collect();
            (view(&buffer, strides, data.len() - 1), x.clone())
        }
        Stored::Repeated if shape.is_empty() => (x.clone(), x.clone()),
        Stored::Repeated => {
            let mut strides = steps(shape);
            strides[0] = 0;
            let strided = view(&from_numbers(x.dtype(), &[data.len()], &data), strides, 0);
            let compact = from_numbers(x.dtype(), shape, &numbers(&strided));
            (strided, compact)
        }
    }
}

fn check(case: &Case) {
    let n = case.inputs.len();
    for (k, &how) in ALL.iter().enumerate() {
        let together: Vec<_> = case.inputs.iter().map(|x| stored(x, how)).collect();
        let mixed: Vec<_> = case.inputs.iter().enumerate().map(|(i, x)| stored(x, ALL[(k + i) % ALL.len()])).collect();
        let alone = (0..n).map(|i| {
            let pick = |(j, x): (usize, &Tensor)| if i == j { stored(x, how) } else { (x.clone(), x.clone()) };
            case.inputs.iter().enumerate().map(pick).collect::<Vec<_>>()
        });
        for pairs in [together, mixed].into_iter().chain(alone) {
            let strided: Vec<&Tensor> = pairs.iter().map(|(s, _)| s).collect();
            let compact: Vec<&Tensor> = pairs.iter().map(|(_, c)| c).collect();
            let (a, b) = (evaluate(case, &strided), evaluate(case, &compact));
            if bits(&a) != bits(&b) {
                let strides: Vec<_> = strided.iter().map(|x| x.strides()).collect();
                fail!(case.label, "{how:?}, strides {strides:?}: {:?}, compact: {:?}", numbers(&a), numbers(&b));
            }
        }
    }
}

#[test]
fn layouts_do_not_change_a_bit() {
    catalogue().iter().for_each(check);
}

#[test]
fn layouts_do_not_change_a_bit_of_large_tensors() {
    large().iter().for_each(check);
}

#[test]
fn stored_variants_are_what_they_say() {
    let x = from_numbers(tenferro_ad::tensor_core::DType::F64, &[2, 3], &numbers(&range(6)));
    for how in ALL {
        let (strided, compact) = stored(&x, how);
        assert!(!strided.is_compact(), "{how:?}");
        assert_eq!(numbers(&strided), numbers(&compact), "{how:?}");
    }
}

fn range(n: usize) -> Tensor {
    Tensor::from_slice("test", &[n], &(0..n).map(|i| i as f64).collect::<Vec<_>>()).expect("a small tensor")
}
