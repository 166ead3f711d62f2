//! Ctrl-C, and being asked to end.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::games::tell;

/// The exit code of an interrupted program.
pub(super) const INTERRUPTED: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static WORKING: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C asks to end, and the second ends the program at once. So does the
/// first while the program only waits for input.
pub(super) fn install() {
    let set = ctrlc::set_handler(|| {
        if ASKED.swap(true, Relaxed) || !WORKING.load(Relaxed) {
            process::exit(i32::from(INTERRUPTED));
        }
    });
    if let Err(error) = set {
        tell(&format!("warning: Ctrl-C will end the program in the middle of a game: {error}"));
    }
}

/// Whether it was asked to end.
pub(super) fn is_asked() -> bool {
    ASKED.load(Relaxed)
}

/// Does work that looks at [`is_asked`] or is soon over.
pub(super) fn working<R>(work: impl FnOnce() -> R) -> R {
    WORKING.store(true, Relaxed);
    let result = work();
    WORKING.store(false, Relaxed);
    result
}
