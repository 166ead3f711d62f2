//! Binding games to processors.

/// The processors that games are bound to, one game to each: of those in the list, or of all there
/// are where it is empty.
///
/// # Errors
/// When a processor of the list cannot be used here, or there are more games than processors.
pub(super) fn processors(list: &[usize], games: usize) -> Result<Vec<usize>, String> {
    let usable = usable()?;
    if let Some(missing) = list.iter().find(|cpu| !usable.contains(cpu)) {
        let names: Vec<String> = usable.iter().map(usize::to_string).collect();
        return Err(format!(
            "-use-affinity: there is no processor {missing} to use; there are {}",
            names.join(",")
        ));
    }
    let chosen = if list.is_empty() { usable } else { list.to_vec() };
    if games > chosen.len() {
        return Err(format!(
            "-use-affinity: {games} games at a time need as many processors, not {}; lower \
             -concurrency or name more",
            chosen.len()
        ));
    }
    Ok(chosen)
}

#[cfg(target_os = "linux")]
fn usable() -> Result<Vec<usize>, String> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None)
        .map_err(|error| format!("-use-affinity: the processors cannot be listed: {error}"))?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

#[cfg(not(target_os = "linux"))]
fn usable() -> Result<Vec<usize>, String> {
    Err("-use-affinity works on Linux alone; leave it out".to_owned())
}

/// Binds this thread, and all that it starts from here on, to a processor.
///
/// # Errors
/// Why the system refuses.
#[cfg(target_os = "linux")]
pub(super) fn bind(processor: usize) -> Result<(), String> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(None, &set)
        .map_err(|error| format!("-use-affinity: processor {processor} is refused: {error}"))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bind(_: usize) -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn every_game_needs_a_processor_that_is_there() {
        let all = processors(&[], 1).unwrap();
        assert!(!all.is_empty());
        assert_eq!(processors(&all[..1], 1), Ok(all[..1].to_vec()));
        assert!(processors(&[4000], 1).unwrap_err().contains("no processor 4000"));
        assert!(processors(&[], all.len() + 1).unwrap_err().contains("lower -concurrency"));
    }
}
