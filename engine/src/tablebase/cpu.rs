//! The same work compiled twice: for every processor, and for newer ones.

use super::index;
use crate::types::Bitboard;

/// What a form of the work is compiled for.
pub trait Cpu: Copy {
    /// As [`index::compress`].
    fn compress(self, set: Bitboard, free: Bitboard) -> u32;
}

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl Cpu for Any {
    #[inline(always)]
    fn compress(self, set: Bitboard, free: Bitboard) -> u32 {
        index::compress_bit_by_bit(set, free)
    }
}

/// A processor with AVX2, BMI 1 and 2, POPCNT and LZCNT.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Newer(());

#[cfg(target_arch = "x86_64")]
impl Newer {
    /// Whether this processor is one.
    #[inline]
    #[must_use]
    pub fn find() -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        let all = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt");
        all.then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Cpu for Newer {
    #[inline(always)]
    fn compress(self, set: Bitboard, free: Bitboard) -> u32 {
        // SAFETY: there is such a value only where the processor has BMI 2.
        unsafe { std::arch::x86_64::_pext_u32(set.bits(), free.bits()) }
    }
}

/// Evaluates an expression, in the form compiled for newer processors where this is one. Both forms
/// do the same: counting bits, moving them together and working on several numbers at once are
/// single instructions in the second and a dozen in the first. `at_full_speed!(cpu => …)` also
/// names the [`Cpu`].
///
/// What the expression calls belongs to it only if it is inlined: `#[inline(always)]` makes sure.
#[macro_export]
#[doc(hidden)]
macro_rules! at_full_speed {
    ($cpu:ident => $work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn newer<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            if let Some($cpu) = $crate::tablebase::cpu::Newer::find() {
                // SAFETY: the processor has all that `newer` is compiled for.
                unsafe { newer(|| $work) }
            } else {
                let $cpu = $crate::tablebase::cpu::Any;
                $work
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let $cpu = $crate::tablebase::cpu::Any;
            $work
        }
    }};
    ($work:expr) => {
        $crate::at_full_speed!(_cpu => $work)
    };
}

pub use at_full_speed;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn bits_are_moved_together_alike_everywhere() {
        let Some(newer) = Newer::find() else { return };
        let mut x = 1_u32;
        for _ in 0..10_000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let free = Bitboard::from_bits(x >> 8);
            let set = Bitboard::from_bits(x.rotate_left(13) >> 8);
            assert_eq!(newer.compress(set, free), Any.compress(set, free));
        }
    }
}
