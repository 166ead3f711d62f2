//! The protocol check that the author of an engine runs: step by step, with the dialogue where a
//! step fails.

mod dialogue;
mod steps;

use std::process::ExitCode;

use super::config::{EngineConfig, Patience};
use super::printer::Printer;
use dialogue::Dialogue;

/// Checks an engine. The exit code is 0 when all steps pass, 1 when any fails.
pub(super) fn check(engine: &EngineConfig, patience: Patience) -> ExitCode {
    let mut printer = Printer::new(super::wire::Transcript::default());
    let mut dialogue: Option<Dialogue> = None;
    let mut failed = 0;
    for (number, step) in steps::STEPS.iter().enumerate() {
        // A step that failed may have left the engine in any state.
        let talk = match dialogue.take() {
            Some(talk) => Ok(talk),
            None if number == 0 => Dialogue::start(engine, patience),
            None => Dialogue::start(engine, patience).and_then(|mut talk| {
                talk.greet()?;
                Ok(talk)
            }),
        };
        let result = talk.and_then(|mut talk| {
            talk.begin_step();
            match (step.run)(&mut talk) {
                Ok(()) => Ok(talk),
                Err(reason) => Err(format!("{reason}\n{}", talk.text())),
            }
        });
        let number = number + 1;
        match result {
            Ok(talk) => {
                printer.line(&format!("{number:2} ok      {}", step.what));
                dialogue = (!talk.has_ended()).then_some(talk);
            }
            Err(reason) => {
                failed += 1;
                printer.line(&format!("{number:2} FAILED  {}: {reason}", step.what));
                // Every other step would fail by the same.
                if number == 1 {
                    return ExitCode::from(1);
                }
            }
        }
    }
    let total = steps::STEPS.len();
    printer.line(&format!("{} of {total} steps passed", total - failed));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
