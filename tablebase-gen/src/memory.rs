//! Large arrays of bytes.

use std::io;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes in memory of their own, zero at first, in large pages where the system has them: the
/// solver jumps about in hundreds of megabytes, and most of what small pages cost is looking them
/// up.
#[derive(Debug)]
pub struct Bytes(Option<MmapMut>);

impl Bytes {
    /// So many zero bytes.
    ///
    /// # Errors
    /// If the system does not give the memory.
    pub fn zeroed(len: usize) -> io::Result<Self> {
        if len == 0 {
            return Ok(Self(None));
        }
        let map = MmapMut::map_anon(len)?;
        #[cfg(target_os = "linux")]
        // Only a wish: without large pages it works as well, more slowly.
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(Some(map)))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.as_deref_mut().unwrap_or(&mut [])
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}
