//! How much memory a new transposition table may take.

/// MiB that can be had without swapping out or ending other programs, as far as the system tells;
/// `None` where it does not. Allocation alone is no test: Linux promises more than it has, and
/// ends the program when the table is filled.
pub(crate) fn available_mebibytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let system = meminfo_available(&text)?;
    Some(group_available().map_or(system, |group| system.min(group)))
}

/// The `MemAvailable` line, in MiB.
fn meminfo_available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes >> 10)
}

/// What is left in a container with a memory limit (control groups, version 2), in MiB.
fn group_available() -> Option<u64> {
    let number = |name| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_meminfo_is_read_in_mebibytes() {
        let text = "MemTotal:       16384000 kB\nMemAvailable:    2097152 kB\nBuffers: 1 kB\n";
        assert_eq!(meminfo_available(text), Some(2048));
        assert_eq!(meminfo_available("MemTotal: 1 kB\n"), None);
        assert_eq!(meminfo_available("MemAvailable: lots\n"), None);
    }
}
