//! Reading lines from the peer, on a thread that waits for no search.

use std::io::{self, BufRead};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Longer lines are refused, so that a peer cannot fill the memory. A game of ten thousand turns
/// takes a tenth of this.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// When lines of this many bytes wait to be obeyed, reading pauses.
const MAX_BACKLOG: usize = 64 << 20;

/// What the session hears of.
#[derive(Debug)]
pub(crate) enum Event {
    /// A line came in.
    Line(Line),
    /// A line longer than a mebibyte was passed over.
    LineTooLong,
    /// There will be no more lines.
    EndOfInput,
    /// Nobody reads the output any more.
    OutputClosed,
    /// The search with this number printed its result.
    SearchDone(u64),
    /// A perft or bench has ended.
    TaskDone,
}

/// A line and when it was complete: clocks run from there, not from when it was understood.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) received: Instant,
    _credit: Credit,
}

/// Sends every line on until `quit` or the end of input.
pub(crate) fn read_all(mut input: impl BufRead, events: &Sender<Event>) {
    let backlog = Arc::new(Backlog::default());
    let mut buffer = Vec::new();
    let mut first = true;
    loop {
        let mut last = false;
        let event = match read_line(&mut input, &mut buffer, MAX_LINE) {
            Ok(Read::Line) => {
                let received = Instant::now();
                let text = String::from_utf8_lossy(&buffer);
                // Some shells begin a pipe with a byte order mark.
                let text = if first { text.trim_start_matches('\u{feff}') } else { &text };
                last = text.trim() == "quit";
                let credit = Backlog::take(&backlog, text.len() + size_of::<Line>());
                Event::Line(Line { text: text.to_owned(), received, _credit: credit })
            }
            Ok(Read::TooLong) => Event::LineTooLong,
            Ok(Read::End) | Err(_) => Event::EndOfInput,
        };
        first = false;
        last |= matches!(event, Event::EndOfInput);
        if events.send(event).is_err() || last {
            return;
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Line,
    TooLong,
    End,
}

/// Reads a line without its newline into the buffer; the last one need not have any. A line of more
/// than `max` bytes is passed over.
pub(crate) fn read_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    max: usize,
) -> io::Result<Read> {
    buffer.clear();
    let mut too_long = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut parts = available.splitn(2, |&byte| byte == b'\n');
        let part = parts.next().unwrap_or_default();
        let complete = parts.next().is_some();
        let ended = available.is_empty();
        if buffer.len() + part.len() > max {
            too_long = true;
            buffer.clear();
        } else if !too_long {
            buffer.extend_from_slice(part);
        }
        let used = part.len() + usize::from(complete);
        input.consume(used);
        if complete || ended {
            return Ok(if too_long {
                Read::TooLong
            } else if ended && buffer.is_empty() {
                Read::End
            } else {
                Read::Line
            });
        }
    }
}

/// Bytes of lines that were read and not yet obeyed.
#[derive(Debug, Default)]
struct Backlog {
    bytes: Mutex<usize>,
    shrunk: Condvar,
}

/// The share of a line in the backlog, given back when the line is dropped.
#[derive(Debug)]
struct Credit {
    backlog: Arc<Backlog>,
    bytes: usize,
}

impl Backlog {
    /// Waits until there is room.
    fn take(this: &Arc<Self>, bytes: usize) -> Credit {
        let total = this.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut total = this
            .shrunk
            .wait_while(total, |total| *total > MAX_BACKLOG)
            .unwrap_or_else(PoisonError::into_inner);
        *total += bytes;
        drop(total);
        Credit { backlog: Arc::clone(this), bytes }
    }
}

impl Drop for Credit {
    fn drop(&mut self) {
        *self.backlog.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.backlog.shrunk.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;
    use std::sync::mpsc;

    /// What comes of the input when it arrives in pieces of this many bytes.
    fn events(input: &[u8], piece: usize) -> Vec<String> {
        let (sender, receiver) = mpsc::channel();
        read_all(BufReader::with_capacity(piece, input), &sender);
        drop(sender);
        receiver
            .iter()
            .map(|event| match event {
                Event::Line(line) => line.text,
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn lines_are_whole_however_they_arrive() {
        for piece in [1, 2, 3, 100] {
            assert_eq!(
                events(b"a7\r\n\n\xff\0 x\nlast", piece),
                ["a7\r", "", "\u{fffd}\0 x", "last", "EndOfInput"]
            );
            assert_eq!(events(b"", piece), ["EndOfInput"]);
            assert_eq!(events("\u{feff}uci\n".as_bytes(), piece), ["uci", "EndOfInput"]);
        }
    }

    #[test]
    fn nothing_is_read_after_quit() {
        assert_eq!(events(b"d\n quit\r\nd\n", 100), ["d", " quit\r"]);
    }

    #[test]
    fn a_line_of_absurd_length_is_passed_over() {
        let mut input = vec![b'x'; MAX_LINE + 1];
        input.extend_from_slice(b"\nd\n");
        assert_eq!(events(&input, 8192), ["LineTooLong", "d", "EndOfInput"]);
        input.truncate(MAX_LINE + 1);
        assert_eq!(events(&input, 8192), ["LineTooLong", "EndOfInput"]);
        assert_eq!(events(&input[1..], 8192).first().map(String::len), Some(MAX_LINE));
    }
}
