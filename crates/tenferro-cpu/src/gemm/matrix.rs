/// Rows, columns, and length of the sums of one product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// A matrix somewhere in memory; the steps are those along its rows' index and its columns' index.
#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub start: *const T,
    pub steps: [isize; 2],
}

impl<T> Matrix<T> {
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> *const T {
        self.start.wrapping_offset(row as isize * self.steps[0] + column as isize * self.steps[1])
    }

    pub fn transposed(self) -> Matrix<T> {
        Matrix { start: self.start, steps: [self.steps[1], self.steps[0]] }
    }
}
