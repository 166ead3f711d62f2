//! Ctrl-C, and being asked to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether to stop.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on the first Ctrl-C sets this and the second ends the program at once.
    pub fn on_interrupt() -> Self {
        let stop = Self::default();
        let asked = stop.clone();
        let set = ctrlc::set_handler(move || {
            if asked.0.swap(true, Relaxed) {
                std::process::exit(130);
            }
        });
        if let Err(error) = set {
            eprintln!("warning: Ctrl-C will end the program without a last word: {error}");
        }
        stop
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Relaxed)
    }
}
