//! Products without packing or heap memory, for tiny matrices, for integers, and for very short sums.

use super::matrix::{Extents, Matrix};
use super::ring::Ring;
use crate::multiversion::multiversion;
use std::mem::MaybeUninit;

/// Elements of the left operand that are handled together, and collected on the stack if its rows do not lie side by
/// side.
const PANEL: usize = 2048;
const PANEL_DEPTH: usize = 64;

/// Columns `columns.0..columns.1` of the product, added up in the order of the contracted index.
#[inline(always)]
unsafe fn multiply_body<T: Ring>(size: Extents, a: Matrix<T>, b: Matrix<T>, out: *mut T, columns: (usize, usize)) {
    let mut scratch = [const { MaybeUninit::<T>::uninit() }; PANEL];
    let mut depth = 0;
    while depth < size.k {
        let depths = PANEL_DEPTH.min(size.k - depth);
        let mut row = 0;
        while row < size.m {
            let rows = (PANEL / depths).min(size.m - row);
            let corner = a.at(row, depth);
            let mut panel = (corner, a.steps[1]);
            // SAFETY: the caller vouches for the matrices; the panel has at most `PANEL` elements.
            unsafe {
                if a.steps[0] != 1 && rows > 1 {
                    for l in 0..depths {
                        for r in 0..rows {
                            let value = *corner.offset(r as isize * a.steps[0] + l as isize * a.steps[1]);
                            scratch[l * rows + r].write(value);
                        }
                    }
                    panel = (scratch.as_ptr().cast(), rows as isize);
                }
                let part = Part { rows, depths, a: panel.0, a_step: panel.1, first: depth == 0 };
                let b = Matrix { start: b.at(depth, 0), steps: b.steps };
                let out = Matrix { start: out.cast_const().wrapping_add(row), steps: [1, size.m as isize] };
                match T::COMPLEX {
                    true => part.columns::<4, 2>(b, out, columns),
                    false => part.columns::<8, 4>(b, out, columns),
                }
            }
            row += rows;
        }
        depth += depths;
    }
}

/// A panel of the left operand; its rows lie side by side.
#[derive(Clone, Copy)]
struct Part<T> {
    rows: usize,
    depths: usize,
    a: *const T,
    a_step: isize,
    /// Whether the result is still unwritten.
    first: bool,
}

impl<T: Ring> Part<T> {
    #[inline(always)]
    unsafe fn columns<const R: usize, const C: usize>(self, b: Matrix<T>, out: Matrix<T>, columns: (usize, usize)) {
        let mut column = columns.0;
        // SAFETY: passed on.
        unsafe {
            while column + C <= columns.1 {
                self.rows::<R, C>(b, out, column);
                column += C;
            }
            while column < columns.1 {
                self.rows::<R, 1>(b, out, column);
                column += 1;
            }
        }
    }

    #[inline(always)]
    unsafe fn rows<const R: usize, const C: usize>(self, b: Matrix<T>, out: Matrix<T>, column: usize) {
        let mut row = 0;
        // SAFETY: passed on.
        unsafe {
            while row + R <= self.rows {
                self.square::<R, C>(b, out, row, column);
                row += R;
            }
            if R > 4 && row + 4 <= self.rows {
                self.square::<4, C>(b, out, row, column);
                row += 4;
            }
            if row + 2 <= self.rows {
                self.square::<2, C>(b, out, row, column);
                row += 2;
            }
            if row < self.rows {
                self.square::<1, C>(b, out, row, column);
            }
        }
    }

    #[inline(always)]
    unsafe fn square<const R: usize, const C: usize>(self, b: Matrix<T>, out: Matrix<T>, row: usize, column: usize) {
        // SAFETY: the rectangle lies inside the panel, the columns inside `b` and the result.
        unsafe {
            let sums = T::products::<R, C>(self.depths, self.a.add(row), self.a_step, b.at(0, column), b.steps);
            for (c, sums) in sums.iter().enumerate() {
                let out = out.at(row, column + c).cast_mut();
                for (r, &sum) in sums.iter().enumerate() {
                    let before = if self.first { sum } else { (*out.add(r)).plus(sum) };
                    out.add(r).write(before);
                }
            }
        }
    }
}

multiversion! {
    unsafe fn multiply_wide[T: Ring](size: Extents, a: Matrix<T>, b: Matrix<T>, out: *mut T, columns: (usize, usize))
        = multiply_body::<T>;
}

/// Columns `columns.0..columns.1` of the compact product of two matrices.
///
/// # Safety
/// The matrices must be readable in these extents, and those columns of `out` writable.
pub(super) unsafe fn multiply<T: Ring>(
    size: Extents,
    a: Matrix<T>,
    b: Matrix<T>,
    out: *mut T,
    columns: (usize, usize),
) {
    // SAFETY: passed on.
    unsafe { multiply_wide(size, a, b, out, columns) }
}
