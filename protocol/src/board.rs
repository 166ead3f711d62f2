//! The drawing of the board.

use merel_engine::tablebase::{Distance, Value};
use merel_engine::{Color, Point, Position};

/// The lines of the board from rank 7 down; each `+` is a point, four columns a file.
const LINES: [&str; 13] = [
    "+-----------+-----------+",
    "|           |           |",
    "|   +-------+-------+   |",
    "|   |       |       |   |",
    "|   |   +---+---+   |   |",
    "|   |   |       |   |   |",
    "+---+---+       +---+---+",
    "|   |   |       |   |   |",
    "|   |   +---+---+   |   |",
    "|   |       |       |   |",
    "|   +-------+-------+   |",
    "|           |           |",
    "+-----------+-----------+",
];

/// Draws the stones with rank and file labels: `O` White, `@` Black, `.` empty.
pub(crate) fn draw(position: &Position) -> String {
    let mut drawing = String::new();
    for (row, line) in LINES.iter().enumerate() {
        // Every second line has points.
        if row % 2 == 0 {
            drawing.push_str(&format!("{}  ", 7 - row / 2));
        } else {
            drawing.push_str("   ");
        }
        drawing.extend(line.chars().enumerate().map(|(column, c)| match c {
            '+' => point_at(row, column).map_or(c, |point| symbol(position, point)),
            _ => c,
        }));
        drawing.push('\n');
    }
    drawing.push_str("   a   b   c   d   e   f   g");
    drawing
}

fn point_at(row: usize, column: usize) -> Option<Point> {
    let file = "abcdefg".chars().nth(column / 4)?;
    format!("{file}{}", 7 - row / 2).parse().ok()
}

fn symbol(position: &Position, point: Point) -> char {
    if position.stones(Color::White).contains(point) {
        'O'
    } else if position.stones(Color::Black).contains(point) {
        '@'
    } else {
        '.'
    }
}

/// A value from endgame tables, for the side to move.
pub(crate) const fn value_text(value: Value) -> &'static str {
    match value {
        Value::Win => "won",
        Value::Draw => "drawn",
        Value::Loss => "lost",
    }
}

/// The same with its distance.
pub(crate) fn distance_text(distance: Distance) -> String {
    let value = value_text(distance.value());
    match distance.plies() {
        Some(plies) => format!("{value} in {plies} plies"),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{Game, Rules};

    #[test]
    fn all_points_are_drawn_where_their_names_say() {
        let mut seen = Vec::new();
        for (row, line) in LINES.iter().enumerate() {
            for (column, c) in line.chars().enumerate() {
                if c == '+' {
                    seen.push(point_at(row, column).unwrap());
                }
            }
        }
        seen.sort_unstable();
        assert!(seen.into_iter().eq(Point::all()));
    }

    #[test]
    fn a_stone_on_a7_stands_in_the_top_left_corner() {
        let mut game = Game::start(Rules::default());
        game.play_text("a7").unwrap();
        game.play_text("c3").unwrap();
        let drawing = draw(game.position());
        let lines: Vec<&str> = drawing.lines().collect();
        assert_eq!(lines[0], "7  O-----------.-----------.");
        assert_eq!(lines[8], "3  |   |   @---.---.   |   |");
        assert_eq!(lines[13], "   a   b   c   d   e   f   g");
    }
}
