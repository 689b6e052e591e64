//! The typed loops over a piece.

use super::walk::{Form, Piece};
use tenferro_tensor::Scalar;

/// Defines a kernel: tiles are compiled for the baseline and for wide registers, chosen at run time. The arithmetic is
/// the same operation by operation (nothing is contracted), so both give the same bits.
macro_rules! kernel {
    ($name:ident, $wide:ident, $tile:ident, $n:literal, [$($ty:ident $arg:ident $place:literal),*]) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $wide<$($ty: Scalar,)* R: Scalar>(
            start: [*mut u8; $n],
            extent: [usize; 2],
            step: &[[isize; $n]; 2],
            f: impl Fn($($ty),*) -> R + Copy,
        ) {
            // SAFETY: passed on.
            unsafe { $tile(start, extent, step, f) }
        }

        /// # Safety
        /// Every element of `piece` must be valid: operand 0 for writes, the others for reads.
        #[inline]
        pub(super) unsafe fn $name<$($ty: Scalar,)* R: Scalar>(piece: &Piece<$n>, f: impl Fn($($ty),*) -> R + Copy) {
            match piece.form {
                Form::Tile { extent, step } => {
                    #[cfg(target_arch = "x86_64")]
                    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                        // SAFETY: passed on; the features are there.
                        return unsafe { $wide(piece.start, extent, &step, f) };
                    }
                    // SAFETY: passed on.
                    unsafe { $tile(piece.start, extent, &step, f) }
                }
                Form::Table(offsets) => {
                    let out = piece.start[0].cast::<R>();
                    $(let $arg = piece.start[$place].cast::<$ty>();)*
                    for offset in offsets {
                        // SAFETY: passed on.
                        unsafe { out.offset(offset[0]).write(f($($arg.offset(offset[$place]).read()),*)) };
                    }
                }
            }
        }
    };
}

macro_rules! rows {
    ($start:ident, $extent:ident, $step:ident, $width:ident, $row:ident: $body:block) => {
        let $width = $extent[0] as isize;
        for j in 0..$extent[1] as isize {
            let $row = |i: usize, itemsize: usize| $start[i].wrapping_offset(j * $step[1][i] * itemsize as isize);
            $body
        }
    };
}

#[inline(always)]
unsafe fn tile1<A: Scalar, R: Scalar>(
    start: [*mut u8; 2],
    extent: [usize; 2],
    step: &[[isize; 2]; 2],
    f: impl Fn(A) -> R + Copy,
) {
    rows!(start, extent, step, width, row: {
        let (out, a) = (row(0, size_of::<R>()).cast::<R>(), row(1, size_of::<A>()).cast::<A>());
        // SAFETY: the caller vouches for every element of the tile.
        unsafe {
            match step[0][1] {
                1 => {
                    for i in 0..width {
                        out.offset(i).write(f(a.offset(i).read()));
                    }
                }
                sa => {
                    for i in 0..width {
                        out.offset(i).write(f(a.offset(i * sa).read()));
                    }
                }
            }
        }
    });
}
kernel!(kernel1, wide1, tile1, 2, [A a 1]);

#[inline(always)]
unsafe fn tile2<A: Scalar, B: Scalar, R: Scalar>(
    start: [*mut u8; 3],
    extent: [usize; 2],
    step: &[[isize; 3]; 2],
    f: impl Fn(A, B) -> R + Copy,
) {
    rows!(start, extent, step, width, row: {
        let out = row(0, size_of::<R>()).cast::<R>();
        let (a, b) = (row(1, size_of::<A>()).cast::<A>(), row(2, size_of::<B>()).cast::<B>());
        // SAFETY: the caller vouches for every element of the tile.
        unsafe {
            match (step[0][1], step[0][2]) {
                (1, 1) => {
                    for i in 0..width {
                        out.offset(i).write(f(a.offset(i).read(), b.offset(i).read()));
                    }
                }
                (1, 0) => {
                    let b = b.read();
                    for i in 0..width {
                        out.offset(i).write(f(a.offset(i).read(), b));
                    }
                }
                (0, 1) => {
                    let a = a.read();
                    for i in 0..width {
                        out.offset(i).write(f(a, b.offset(i).read()));
                    }
                }
                (sa, sb) => {
                    for i in 0..width {
                        out.offset(i).write(f(a.offset(i * sa).read(), b.offset(i * sb).read()));
                    }
                }
            }
        }
    });
}
kernel!(kernel2, wide2, tile2, 3, [A a 1, B b 2]);

#[inline(always)]
unsafe fn tile3<A: Scalar, B: Scalar, C: Scalar, R: Scalar>(
    start: [*mut u8; 4],
    extent: [usize; 2],
    step: &[[isize; 4]; 2],
    f: impl Fn(A, B, C) -> R + Copy,
) {
    rows!(start, extent, step, width, row: {
        let (out, a) = (row(0, size_of::<R>()).cast::<R>(), row(1, size_of::<A>()).cast::<A>());
        let (b, c) = (row(2, size_of::<B>()).cast::<B>(), row(3, size_of::<C>()).cast::<C>());
        // SAFETY: the caller vouches for every element of the tile.
        unsafe {
            match step[0] {
                [1, 1, 1, 1] => {
                    for i in 0..width {
                        out.offset(i).write(f(a.offset(i).read(), b.offset(i).read(), c.offset(i).read()));
                    }
                }
                [_, sa, sb, sc] => {
                    for i in 0..width {
                        let (a, b, c) = (a.offset(i * sa), b.offset(i * sb), c.offset(i * sc));
                        out.offset(i).write(f(a.read(), b.read(), c.read()));
                    }
                }
            }
        }
    });
}
kernel!(kernel3, wide3, tile3, 4, [A a 1, B b 2, C c 3]);
