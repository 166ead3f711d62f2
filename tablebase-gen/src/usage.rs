//! What the program has used so far.

use std::time::Duration;

use crate::size::Size;

/// The CPU time of all threads, where the system tells it.
pub fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::try_from(time).ok()
    }
    #[cfg(not(unix))]
    None
}

/// The most memory that was resident at once, where the system tells it.
pub fn peak_memory() -> Option<Size> {
    size_in("/proc/self/status", "VmHWM:")
}

/// The memory that can be had without swapping, where the system tells it.
pub fn available_memory() -> Option<Size> {
    size_in("/proc/meminfo", "MemAvailable:")
}

/// The size on the line of a file of the system that begins so.
fn size_in(path: &str, begins: &str) -> Option<Size> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(begins))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Size(kibibytes << 10))
}
