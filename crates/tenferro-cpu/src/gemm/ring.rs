use tenferro_tensor::{C64, C128, Scalar};

/// Numbers that can be added and multiplied; integers wrap.
pub(super) trait Ring: Scalar {
    const ZERO: Self;
    const ONE: Self;
    const COMPLEX: bool;
    /// Whether the `gemm` crate multiplies matrices of this type.
    const PACKED: bool;
    /// Products of at most this many multiplications are faster without packing.
    const TINY: usize;

    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;

    /// The `R` by `C` products `sum over l < depth of a(r, l) * b(l, c)`. Rows of `a` lie side by side, its columns
    /// `a_step` apart; `b_steps` are the steps of `b` along `l` and `c`.
    ///
    /// # Safety
    /// All these elements must be readable.
    #[inline(always)]
    unsafe fn products<const R: usize, const C: usize>(
        depth: usize,
        a: *const Self,
        a_step: isize,
        b: *const Self,
        b_steps: [isize; 2],
    ) -> [[Self; R]; C] {
        let mut sums = [[Self::ZERO; R]; C];
        for l in 0..depth as isize {
            // SAFETY: the caller vouches for these elements.
            let rows = unsafe { a.offset(l * a_step).cast::<[Self; R]>().read() };
            for (c, column) in sums.iter_mut().enumerate() {
                // SAFETY: as above.
                let factor = unsafe { *b.offset(l * b_steps[0] + c as isize * b_steps[1]) };
                for r in 0..R {
                    column[r] = column[r].plus(rows[r].times(factor));
                }
            }
        }
        sums
    }
}

macro_rules! real {
    ($ty:ty, $packed:literal, $plus:expr, $times:expr) => {
        impl Ring for $ty {
            const ZERO: Self = 0 as $ty;
            const ONE: Self = 1 as $ty;
            const COMPLEX: bool = false;
            const PACKED: bool = $packed;
            const TINY: usize = 1728;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                $times(self, other)
            }
        }
    };
}
real!(f32, true, |a, b| a + b, |a, b| a * b);
real!(f64, true, |a, b| a + b, |a, b| a * b);
real!(i32, false, i32::wrapping_add, i32::wrapping_mul);
real!(i64, false, i64::wrapping_add, i64::wrapping_mul);

macro_rules! complex {
    ($ty:ty, $real:ty, $tiny:literal) => {
        impl Ring for $ty {
            const ZERO: Self = <$ty>::new(0.0, 0.0);
            const ONE: Self = <$ty>::new(1.0, 0.0);
            const COMPLEX: bool = true;
            const PACKED: bool = true;
            const TINY: usize = $tiny;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            // Real arithmetic on pairs: a times Re b and a times Im b are summed apart and joined at the end.
            #[inline(always)]
            unsafe fn products<const R: usize, const C: usize>(
                depth: usize,
                a: *const Self,
                a_step: isize,
                b: *const Self,
                b_steps: [isize; 2],
            ) -> [[Self; R]; C] {
                let mut by_re = [[[0 as $real; 2]; R]; C];
                let mut by_im = [[[0 as $real; 2]; R]; C];
                for l in 0..depth as isize {
                    // SAFETY: the caller vouches for these elements; a complex number is a pair of reals.
                    let rows = unsafe { a.offset(l * a_step).cast::<[[$real; 2]; R]>().read() };
                    for c in 0..C {
                        // SAFETY: as above.
                        let factor = unsafe { *b.offset(l * b_steps[0] + c as isize * b_steps[1]) };
                        for r in 0..R {
                            for part in 0..2 {
                                by_re[c][r][part] += rows[r][part] * factor.re;
                                by_im[c][r][part] += rows[r][part] * factor.im;
                            }
                        }
                    }
                }
                std::array::from_fn(|c| {
                    std::array::from_fn(|r| {
                        let ([re_re, im_re], [re_im, im_im]) = (by_re[c][r], by_im[c][r]);
                        <$ty>::new(re_re - im_im, im_re + re_im)
                    })
                })
            }
        }
    };
}
complex!(C64, f32, 729);
complex!(C128, f64, 400);
