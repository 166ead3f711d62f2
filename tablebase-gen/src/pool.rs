//! Threads of our own, and waiting for them no longer than the user does.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rayon::ThreadPool;

use crate::failure::Failure;
use crate::interrupt::Stop;

/// The threads that do the work.
#[derive(Debug)]
pub struct Pool {
    threads: ThreadPool,
    stop: Stop,
}

impl Pool {
    /// With so many threads.
    pub fn new(threads: usize, stop: Stop) -> Result<Self, Failure> {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("worker-{i}"))
            .build()
            .map_err(|error| {
                Failure::Refused(format!("cannot start {threads} threads: {error}"))
            })?;
        Ok(Self { threads, stop })
    }

    /// Runs `work` on the threads. When the user asks to stop it is left where it is: the program
    /// is about to end, and nothing that it works on is of use half done.
    pub fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Failure> {
        let (sender, result) = mpsc::channel();
        self.threads.spawn(move || {
            // Nobody waits any more once the user has asked to stop.
            let _ = sender.send(work());
        });
        loop {
            if self.stop.is_asked() {
                return Err(Failure::Interrupted);
            }
            match result.recv_timeout(Duration::from_millis(20)) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Refused("a worker thread failed".into()));
                }
            }
        }
    }

    /// Runs `work`, which looks itself whether to stop, on the threads to its end.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }
}
