//! Commands that only tell something.

use merel_engine::{Color, Position, Rules, eval};

use super::Session;
use crate::board;
use crate::build_info::{AUTHOR, NAME};
use crate::command::COMMANDS;
use crate::format::Dialect;
use crate::options::OPTIONS;

/// The answer to `help`.
pub(super) fn help() -> String {
    let mut lines = vec![format!("{NAME}, an engine for Nine Men's Morris. Commands:")];
    for &(name, arguments, explanation) in COMMANDS {
        let space = if arguments.is_empty() { "" } else { " " };
        lines.push(format!("  {name}{space}{arguments}: {explanation}"));
    }
    lines.push("Turns: a7 places, a7-a4 slides or flies, d6xb4 captures too. Options:".to_owned());
    lines.extend(OPTIONS.iter().map(|spec| format!("  {}: {}", spec.name, spec.help)));
    lines.join("\n")
}

impl Session {
    /// Tells name, author and options, and from now on speaks the protocol asked for.
    pub(super) fn handshake(&mut self, gbgp: bool) {
        if gbgp != self.gbgp {
            self.halt();
            self.gbgp = gbgp;
        }
        let mut lines = vec![format!("id name {NAME}"), format!("id author {AUTHOR}")];
        let announced = OPTIONS.iter().filter(|spec| !gbgp || spec.is_for_gbgp());
        lines.extend(announced.map(ToString::to_string));
        lines.push(if gbgp { "gbgpok" } else { "uciok" }.to_owned());
        self.output.lines(&lines.join("\n"));
    }

    pub(super) fn print_fen(&self) -> Result<(), String> {
        self.output.lines(&format!("fen {}", self.game()?.position().fen()));
        Ok(())
    }

    /// The legal turns, or single actions; none once the game is over.
    pub(super) fn print_moves(&self) -> Result<(), String> {
        let game = self.game()?;
        let turns = match (game.outcome(), self.dialect()) {
            (Some(_), _) => merel_engine::TurnList::new(),
            (None, Dialect::Sanmill) => game.position().legal_actions(),
            (None, Dialect::Turn | Dialect::Gbgp) => game.position().legal_turns(),
        };
        let line: String = turns.iter().map(|turn| format!(" {turn}")).collect();
        self.output.lines(&format!("moves{line}"));
        Ok(())
    }

    pub(super) fn print_board(&self) -> Result<(), String> {
        let game = self.game()?;
        let position = game.position();
        let per_side = |count: fn(&Position, Color) -> u32| {
            let [white, black] = Color::ALL.map(|color| count(position, color));
            format!("White {white}, Black {black}")
        };
        let mut lines = vec![
            board::draw(position),
            format!("To move: {}", position.to_move()),
            format!("On the board: {}", per_side(|p, c| p.stones(c).len())),
            format!("In hand: {}", per_side(|p, c| p.hand(c).into())),
            format!("Captures due: {}", position.captures_due()),
            format!("Occurrences: {}", game.occurrences()),
            format!("Quiet turns: {}", position.quiet()),
            format!("Rules: {}", rules_text(position.rules())),
        ];
        if let Some(outcome) = game.outcome() {
            lines.push(format!("Result: {outcome}"));
        } else {
            lines.extend(self.table_lines(position));
        }
        lines.push(format!("FEN: {}", position.fen()));
        lines.push(format!("Key: {:016X}", position.key()));
        self.output.lines(&lines.join("\n"));
        Ok(())
    }

    /// What the endgame tables say of a position and of each turn, best first. A position that they
    /// do not hold, with the last stone to be placed or a capture due, is worth its best turn.
    fn table_lines(&self, position: &Position) -> Vec<String> {
        let tables = self.engine.tables();
        let turns = tables.turns(position).unwrap_or_default();
        let best = turns.first().map(|&(_, worth)| worth);
        let worth = match (tables.dtw(position).or(best), tables.wdl(position)) {
            (Some(distance), _) => board::distance_text(distance),
            (None, Some(value)) => board::value_text(value).to_owned(),
            (None, None) => "no value".to_owned(),
        };
        let mut lines = vec![format!("Table: {worth}")];
        if turns.is_empty() {
            let values = tables.values(position).unwrap_or_default();
            let line = |(turn, value)| format!("  {turn}: {}", board::value_text(value));
            lines.extend(values.into_iter().map(line));
        } else {
            let line = |(turn, worth)| format!("  {turn}: {}", board::distance_text(worth));
            lines.extend(turns.into_iter().map(line));
        }
        lines
    }

    /// The static evaluation: for people by terms, and always in one line from the view of the
    /// dialect's scores.
    pub(super) fn print_evaluation(&self) -> Result<(), String> {
        let game = self.game()?;
        let position = game.position();
        let format = self.format(position.to_move());
        let mut lines = Vec::new();
        let score = if let Some(outcome) = game.outcome() {
            lines.push(format!("info string result {outcome}"));
            format.final_score(outcome)
        } else {
            let explanation = eval::explain(position);
            if format.dialect != Dialect::Sanmill {
                lines.push("Static evaluation in hundredths (White, Black, difference)".to_owned());
                lines.extend(explanation.terms.iter().map(|term| {
                    let difference = term.white - term.black;
                    format!(
                        "{:<24} {:>6} {:>6} {difference:>+6}",
                        term.name, term.white, term.black
                    )
                }));
                lines.push(format!("Total: {:+}, White's view", explanation.total_white));
                lines.push(format!("View of the line below: {}, to move", position.to_move()));
            }
            format.score(merel_engine::Score::Cp(eval::centi(eval::evaluate(position))))
        };
        lines.push(format!("info eval score {score}"));
        self.output.lines(&lines.join("\n"));
        Ok(())
    }
}

fn rules_text(rules: Rules) -> String {
    format!(
        "DoubleMill {}, NoImmediateReturn {}, Repetition {}, AllInMills {}, QuietLimit {}",
        rules.double_mill,
        rules.no_immediate_return,
        rules.repetition,
        rules.all_in_mills,
        rules.quiet_limit,
    )
}
