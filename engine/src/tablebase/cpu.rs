//! The same work compiled twice: for every processor, and for newer ones.

/// Evaluates an expression, in the form compiled for newer processors where this is one. Both forms
/// do the same: counting bits, moving them together and working on several numbers at once are
/// single instructions in the second and a dozen in the first.
///
/// What the expression calls belongs to it only if it is inlined: `#[inline(always)]` makes sure.
#[macro_export]
#[doc(hidden)]
macro_rules! at_full_speed {
    ($work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn newer<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            if $crate::tablebase::cpu::is_newer() {
                // SAFETY: the processor has all that `newer` is compiled for.
                unsafe { newer(|| $work) }
            } else {
                $work
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        $work
    }};
}

pub use at_full_speed;

/// Whether the processor has what the faster form is compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
#[must_use]
pub fn is_newer() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt")
}
