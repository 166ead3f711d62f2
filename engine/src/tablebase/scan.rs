//! Looking for one byte among many, sixteen at a time.

/// Calls `found` with the place of every byte that equals `byte`, from the first on.
#[inline]
pub fn each_equal(bytes: &[u8], byte: u8, mut found: impl FnMut(usize)) {
    let (groups, rest) = bytes.as_chunks::<64>();
    for (i, group) in groups.iter().enumerate() {
        let mut hits = equal_bits(group, byte);
        while hits != 0 {
            found(i * 64 + hits.trailing_zeros() as usize);
            hits &= hits - 1;
        }
    }
    for (i, &other) in rest.iter().enumerate() {
        if other == byte {
            found(groups.len() * 64 + i);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_bits(group: &[u8; 64], byte: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    group.as_chunks::<16>().0.iter().rev().fold(0, |bits, part| {
        // SAFETY: SSE2 belongs to every x86-64 processor; the load reads the 16 bytes of `part`.
        let equal = unsafe {
            let part = _mm_loadu_si128(part.as_ptr().cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_set1_epi8(byte as i8)))
        };
        bits << 16 | u64::from(equal as u32)
    })
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn equal_bits(group: &[u8; 64], byte: u8) -> u64 {
    group.iter().enumerate().fold(0, |bits, (i, &other)| bits | u64::from(other == byte) << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_equal_byte_is_found_once() {
        for len in [0, 1, 16, 63, 64, 65, 511, 512] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * i % 7) as u8).collect();
            let mut found = Vec::new();
            each_equal(&bytes, 2, |i| found.push(i));
            let expected: Vec<usize> = (0..len).filter(|&i| bytes[i] == 2).collect();
            assert_eq!(found, expected);
        }
    }
}
