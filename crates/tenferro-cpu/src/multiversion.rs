/// Defines `$name`, which runs `$body` (an `#[inline(always)]` function) compiled for the widest registers that the
/// processor has. Nothing is contracted or reordered, so every version gives the same bits.
macro_rules! multiversion {
    ($vis:vis unsafe fn $name:ident[$($generics:tt)*]($($arg:ident: $ty:ty),* $(,)?) = $body:ident::<$($pass:ident),*>;) => {
        #[inline]
        $vis unsafe fn $name<$($generics)*>($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                unsafe fn avx2<$($generics)*>($($arg: $ty),*) {
                    // SAFETY: passed on.
                    unsafe { $body::<$($pass),*>($($arg),*) }
                }
                if std::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has the feature; the rest is passed on.
                    return unsafe { avx2::<$($pass),*>($($arg),*) };
                }
            }
            // SAFETY: passed on.
            unsafe { $body::<$($pass),*>($($arg),*) }
        }
    };
}
pub(crate) use multiversion;
