//! Matches run by the real program, and what they leave behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::PATIENCE;

/// A folder of its own for a match; removed when dropped.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    runner: PathBuf,
}

/// What a finished run has printed.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its exit code; `None` when it was killed.
    pub code: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

/// A run under way.
#[derive(Debug)]
pub struct Run {
    /// The process.
    pub child: Child,
    output: PathBuf,
    errors: PathBuf,
}

/// A game of a game file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenGame {
    /// Names and values of the tags.
    pub tags: Vec<(String, String)>,
    /// The turns, without numbers and comments.
    pub turns: Vec<String>,
    /// The result at the end of the turns.
    pub result: String,
}

impl WrittenGame {
    /// The value of a tag.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn tag(&self, name: &str) -> &str {
        let found = self.tags.iter().find(|(n, _)| n == name);
        &found.unwrap_or_else(|| panic!("no tag {name} in {self:?}")).1
    }
}

impl Place {
    /// An empty folder. `runner` is the match runner.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn new(runner: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("merel-match-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a temporary folder");
        Self { folder, runner: runner.into() }
    }

    /// A file of the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file of the folder.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file is written");
    }

    /// Starts the runner in the folder.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn start(&self, arguments: &[&str]) -> Run {
        let [output, errors] = ["stdout", "stderr"].map(|name| self.path(name));
        let child = Command::new(&self.runner)
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(File::create(&output).expect("a file"))
            .stderr(File::create(&errors).expect("a file"))
            .spawn()
            .expect("the runner starts");
        Run { child, output, errors }
    }

    /// Runs the runner to its end.
    ///
    /// # Panics
    /// If it hangs.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Finished {
        self.start(arguments).end()
    }

    /// The games of a game file.
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn games(&self, name: &str) -> Vec<WrittenGame> {
        read_games(&self.path(name))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Run {
    /// Waits for the end.
    ///
    /// # Panics
    /// If it does not come: then the run is killed, and what it printed is shown.
    #[must_use]
    pub fn end(mut self) -> Finished {
        let start = Instant::now();
        let status: Option<ExitStatus> = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break Some(status);
            }
            if start.elapsed() > PATIENCE {
                break None;
            }
            thread::sleep(Duration::from_millis(2));
        };
        let text = |path: &Path| fs::read_to_string(path).expect("text");
        let (output, errors) = (text(&self.output), text(&self.errors));
        let Some(status) = status else {
            let _ = self.child.kill();
            panic!("the match hangs:\n{output}\n{errors}");
        };
        Finished { code: status.code(), output, errors }
    }

    /// Kills the run at once, as a power cut would.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_games(path: &Path) -> Vec<WrittenGame> {
    let text = fs::read_to_string(path).expect("a game file");
    let mut games = Vec::new();
    let mut tags = Vec::new();
    let mut movetext = String::new();
    for line in text.lines().chain(["[end \"\"]"]) {
        if let Some(tag) = line.strip_prefix('[') {
            if !movetext.trim().is_empty() {
                games.push(game(std::mem::take(&mut tags), &movetext));
                movetext.clear();
            }
            let (name, value) = tag.split_once(" \"").expect("a tag");
            tags.push((name.to_owned(), value.trim_end_matches("\"]").to_owned()));
        } else {
            movetext.push_str(line);
            movetext.push(' ');
        }
    }
    games
}

fn game(tags: Vec<(String, String)>, movetext: &str) -> WrittenGame {
    let mut plain = String::new();
    let mut in_comment = false;
    for c in movetext.chars() {
        match c {
            '{' => in_comment = true,
            '}' => in_comment = false,
            _ if !in_comment => plain.push(c),
            _ => {}
        }
    }
    let mut turns: Vec<String> =
        plain.split_whitespace().filter(|w| !w.ends_with('.')).map(str::to_owned).collect();
    let result = turns.pop().expect("a result");
    WrittenGame { tags, turns, result }
}
