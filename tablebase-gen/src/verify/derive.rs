//! Values of positions by the rules: from those of the positions that legal turns lead to.
//!
//! Positions and turns come from the rules of the game as the engine plays it. Nothing is shared
//! with the solver but the numbering of positions, which is that of the tables.

use std::collections::BTreeMap;

use merel_engine::Position;
use merel_engine::tablebase::Sector;

use super::decode::{DRAW, Values, WIN, is_loss};

/// The sectors in memory.
pub type Known = BTreeMap<Sector, Values>;

/// The code of a position: as in [`Values`], or 0 when the side to move has too few stones.
///
/// # Panics
/// If its sector is not in memory.
#[inline]
pub fn code(known: &Known, position: &Position) -> u8 {
    Sector::of(position).map_or(0, |sector| known[&sector].get(sector.number(position)))
}

/// How many plies the shortest win of a position takes, and whether a capture begins one; `None`
/// if no turn leads to a loss.
pub fn shortest_win(known: &Known, position: &Position) -> Option<(u8, bool)> {
    let mut shortest = None::<(u8, bool)>;
    for turn in position.legal_turns() {
        let code = code(known, &position.after(turn));
        if is_loss(code) {
            let (plies, captures) = shortest.unwrap_or((u8::MAX, false));
            shortest = Some((plies.min(code + 1), captures || turn.is_capture()));
        }
    }
    shortest
}

/// Checks what a table says of a position (`code`) against the losses that can be reached. Returns
/// the code that belongs there as far as these tell.
pub fn check_win(code: u8, shortest: Option<(u8, bool)>) -> Result<u8, String> {
    match shortest {
        None if code == WIN => Err("called won, but no turn leads to a loss".into()),
        None => Ok(code),
        Some((plies, _)) if is_loss(code) => {
            Err(format!("called lost in {code}, but it is won in {plies}"))
        }
        Some((plies, false)) if code == DRAW => {
            Err(format!("called drawn, but it is won in {plies} without a capture"))
        }
        Some((plies, _)) => Ok(plies),
    }
}

/// Checks a position that is not won against all positions that it can reach, whose codes
/// `code_of` tells.
pub fn check_rest(
    code: u8,
    position: &Position,
    code_of: impl Fn(&Position) -> u8,
) -> Result<(), String> {
    let mut longest = 0;
    for turn in position.legal_turns() {
        match code_of(&position.after(turn)) {
            DRAW if code == DRAW => return Ok(()),
            DRAW => return Err(format!("called lost in {code}, but {turn} draws")),
            loss if is_loss(loss) => return Err(format!("not called won, but {turn} wins")),
            // The largest number of plies a loss can have is 254.
            win => longest = longest.max(win.saturating_add(1)),
        }
    }
    if code == longest {
        Ok(())
    } else if code == DRAW {
        Err(format!("called drawn, but it is lost in {longest}"))
    } else {
        Err(format!("called lost in {code}, but it is lost in {longest}"))
    }
}
