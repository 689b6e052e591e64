//! Axes of several operands walked together: fusing, and stepping through them.

use smallvec::SmallVec;

/// One axis of `N` operands, with the step of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis<const N: usize> {
    pub extent: usize,
    pub steps: [isize; N],
}

pub(crate) type Axes<const N: usize> = SmallVec<[Axis<N>; 6]>;

/// Joins neighbouring axes that every operand crosses with one step; axes of extent 1 vanish.
pub(crate) fn fuse<const N: usize>(axes: impl IntoIterator<Item = Axis<N>>) -> Axes<N> {
    let mut fused: Axes<N> = SmallVec::new();
    for axis in axes {
        match fused.last_mut() {
            _ if axis.extent == 1 => {}
            Some(last) if (0..N).all(|i| last.steps[i].wrapping_mul(last.extent as isize) == axis.steps[i]) => {
                last.extent *= axis.extent;
            }
            _ => fused.push(axis),
        }
    }
    fused
}

/// The axes of one operand.
pub(crate) fn axes_of<'a>(shape: &'a [usize], steps: &'a [isize]) -> impl Iterator<Item = Axis<1>> + 'a {
    shape.iter().zip(steps).map(|(&extent, &step)| Axis { extent, steps: [step] })
}

/// A place among all index tuples of some axes, the first axis fastest.
pub(crate) struct Cursor<'a, const N: usize> {
    axes: &'a [Axis<N>],
    index: SmallVec<[usize; 6]>,
    offsets: [isize; N],
}

impl<'a, const N: usize> Cursor<'a, N> {
    /// At the tuple number `flat`.
    pub fn new(axes: &'a [Axis<N>], mut flat: usize) -> Cursor<'a, N> {
        let mut offsets = [0isize; N];
        let mut index = SmallVec::new();
        for axis in axes {
            let at = flat.checked_rem(axis.extent).unwrap_or(0);
            flat = flat.checked_div(axis.extent).unwrap_or(0);
            for (offset, step) in offsets.iter_mut().zip(axis.steps) {
                *offset = offset.wrapping_add(step.wrapping_mul(at as isize));
            }
            index.push(at);
        }
        Cursor { axes, index, offsets }
    }

    pub fn index(&self) -> &[usize] {
        &self.index
    }

    /// The sum of index times step, for each operand.
    pub fn offsets(&self) -> [isize; N] {
        self.offsets
    }

    /// How many tuples lie ahead, this one included, before an axis other than the first moves.
    pub fn run(&self) -> usize {
        self.axes.first().map_or(1, |axis| axis.extent - self.index[0])
    }

    /// Moves `count` tuples ahead, at most to the end of the run.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        let mut count = count;
        for (axis, at) in self.axes.iter().zip(&mut self.index) {
            *at += count;
            let wraps = *at >= axis.extent;
            let moved = if wraps { count as isize - axis.extent as isize } else { count as isize };
            for (offset, step) in self.offsets.iter_mut().zip(axis.steps) {
                *offset = offset.wrapping_add(step.wrapping_mul(moved));
            }
            if !wraps {
                return;
            }
            *at = 0;
            count = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::indices;

    #[test]
    fn a_cursor_visits_every_tuple_in_order() {
        for shape in [&[][..], &[5], &[2, 3], &[4, 1, 3, 2]] {
            let axes: Axes<2> = shape
                .iter()
                .enumerate()
                .map(|(i, &extent)| Axis { extent, steps: [10isize.pow(i as u32), 7 - 3 * i as isize] })
                .collect();
            let expected: Vec<[isize; 2]> = indices(shape)
                .iter()
                .map(|index| [0, 1].map(|k| index.iter().zip(&axes).map(|(&i, axis)| i as isize * axis.steps[k]).sum()))
                .collect();
            for first in 0..expected.len() {
                for stride in 1..4 {
                    let mut cursor = Cursor::new(&axes, first);
                    let mut at = first;
                    while at < expected.len() {
                        assert_eq!(cursor.offsets(), expected[at]);
                        let count = stride.min(cursor.run());
                        cursor.advance(count);
                        at += count;
                    }
                }
            }
        }
    }

    #[test]
    fn fusing_joins_what_has_one_step() {
        let axis = |extent, step| Axis { extent, steps: [step] };
        assert_eq!(fuse([axis(3, 1), axis(4, 3), axis(1, 99), axis(2, 12)])[..], [axis(24, 1)]);
        assert_eq!(fuse([axis(3, 2), axis(4, 6), axis(2, 1)])[..], [axis(12, 2), axis(2, 1)]);
        assert!(fuse([axis(1, 5)]).is_empty());
        let both = [Axis { extent: 2, steps: [1, 1] }, Axis { extent: 2, steps: [2, 5] }];
        assert_eq!(fuse(both)[..], both);
    }
}
