//! Products with a vector, limited by memory. The sum over the contracted index is cut into spans; in a span, lane `l`
//! adds the products number `l`, `l + LANES`, ..., then the lanes are added in halves, then the spans one after the other.

use super::matrix::Matrix;
use super::ring::Ring;
use crate::multiversion::multiversion;
use std::mem::MaybeUninit;

pub(super) const SPAN: usize = 1 << 14;
/// Results computed side by side.
pub(super) const BESIDE: usize = 256;
/// Rows of several columns that are read in turn, so that the memory delivers the columns side by side.
const PART: usize = 16;
const LANES: usize = 8;
/// From one lane to the next: not a power of two, so that lanes do not compete for the same cache lines.
const ROW: usize = BESIDE + 8;

#[inline(always)]
fn join_lanes<T: Ring>(mut lanes: [T; LANES]) -> T {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = lanes[l].plus(lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// The sum of `n` products of elements that lie `steps` apart.
#[inline(always)]
unsafe fn dot<T: Ring>(n: usize, x: *const T, y: *const T, steps: [isize; 2]) -> T {
    let mut lanes = [T::ZERO; LANES];
    let full = n / LANES * LANES;
    // SAFETY: the caller vouches for `n` elements of both.
    unsafe {
        if steps == [1, 1] {
            for at in (0..full).step_by(LANES) {
                let (x, y) = (x.add(at).cast::<[T; LANES]>().read(), y.add(at).cast::<[T; LANES]>().read());
                for l in 0..LANES {
                    lanes[l] = lanes[l].plus(x[l].times(y[l]));
                }
            }
        } else {
            for at in (0..full).step_by(LANES) {
                for (l, lane) in lanes.iter_mut().enumerate() {
                    let at = (at + l) as isize;
                    *lane = lane.plus((*x.offset(at * steps[0])).times(*y.offset(at * steps[1])));
                }
            }
        }
        for at in full..n {
            let (x, y) = (*x.offset(at as isize * steps[0]), *y.offset(at as isize * steps[1]));
            lanes[at - full] = lanes[at - full].plus(x.times(y));
        }
    }
    join_lanes(lanes)
}

/// `out(i) = sum over l < depth of a(i, l) * x(l)` for `rows` rows, at most `BESIDE` if they lie side by side.
#[inline(always)]
unsafe fn rows_body<T: Ring>(rows: usize, depth: usize, a: Matrix<T>, x: *const T, x_step: isize, out: *mut T) {
    // SAFETY: passed on; lanes are written before they are read.
    unsafe {
        if rows == 1 || (a.steps[1] == 1 && x_step == 1) {
            for i in 0..rows {
                out.add(i).write(dot(depth, a.at(i, 0), x, [a.steps[1], x_step]));
            }
            return;
        }
        let mut lanes = [const { [const { MaybeUninit::<T>::uninit() }; ROW] }; LANES];
        let lanes: *mut T = lanes.as_mut_ptr().cast();
        let lane = |l: usize| lanes.add(l % LANES * ROW);
        for l in 0..LANES {
            (0..rows).for_each(|i| lane(l).add(i).write(T::ZERO));
        }
        for first in (0..depth).step_by(LANES) {
            for part in (0..rows).step_by(PART) {
                let count = PART.min(rows - part);
                for l in first..depth.min(first + LANES) {
                    let (factor, column, sums) = (*x.offset(l as isize * x_step), a.at(part, l), lane(l).add(part));
                    if a.steps[0] == 1 {
                        for i in 0..count {
                            *sums.add(i) = (*sums.add(i)).plus((*column.add(i)).times(factor));
                        }
                    } else {
                        for i in 0..count {
                            let value = *column.offset(i as isize * a.steps[0]);
                            *sums.add(i) = (*sums.add(i)).plus(value.times(factor));
                        }
                    }
                }
            }
        }
        for i in 0..rows {
            out.add(i).write(join_lanes(std::array::from_fn(|l| *lane(l).add(i))));
        }
    }
}

multiversion! {
    unsafe fn rows_wide[T: Ring](rows: usize, depth: usize, a: Matrix<T>, x: *const T, x_step: isize, out: *mut T)
        = rows_body::<T>;
}

/// `out(i) = sum over l < depth of a(i, l) * x(l)` for at most `BESIDE` rows and `SPAN` products each.
///
/// # Safety
/// All these elements must be readable, and `rows` places of `out` writable.
pub(super) unsafe fn rows<T: Ring>(rows: usize, depth: usize, a: Matrix<T>, x: *const T, x_step: isize, out: *mut T) {
    debug_assert!(rows <= BESIDE);
    // SAFETY: passed on.
    unsafe { rows_wide(rows, depth, a, x, x_step, out) }
}
