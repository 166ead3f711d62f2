//! The rule options and the four presets.

use std::fmt;

/// Declares a fieldless enum whose values have fixed option texts.
macro_rules! option_values {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$value_doc])* $value),+ }

        impl $name {
            /// Every value, in the order in which an option lists them.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The text of the value in options and tags.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $text),+ }
            }

            /// The value with this text, in either case.
            #[must_use]
            pub fn from_name(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name().eq_ignore_ascii_case(text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

option_values! {
    /// How many stones a placement that completes two mills captures.
    DoubleMill {
        /// One stone, as everywhere else.
        One = "one",
        /// Two stones, one after the other, each judged on the board as it then stands.
        Two = "two",
    }
}

option_values! {
    /// Whether the third occurrence of a position ends the game.
    Repetition {
        /// It is a draw.
        Third = "third",
        /// The game goes on. Endless play is still worth a draw to the search.
        Off = "off",
    }
}

option_values! {
    /// What may be captured when every opposing stone stands in a mill.
    AllInMills {
        /// Any stone.
        Any = "any",
        /// None: no capture takes place.
        None = "none",
    }
}

option_values! {
    /// A named set of rules.
    Preset {
        /// Tournament rules, under which the game was solved: one capture, draw by repetition.
        Standard = "standard",
        /// PlayOK (kurnik): two captures for a double mill, draw by repetition.
        Playok = "playok",
        /// One capture, no draw rule.
        Ivory = "ivory",
        /// One capture; a game that nobody wins is a draw.
        Millgame = "millgame",
    }
}

/// The rules of a game. They are fixed while it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Captures for a double mill.
    pub double_mill: DoubleMill,
    /// Whether a stone may not go back, on its player's next turn, to the point it just left.
    pub no_immediate_return: bool,
    /// Draw by repetition.
    pub repetition: Repetition,
    /// Captures when all opposing stones are in mills.
    pub all_in_mills: AllInMills,
    /// Draw after this many turns (plies) without placement or capture; 0 for no such rule.
    pub quiet_limit: u16,
}

impl Rules {
    /// The largest `quiet_limit`, in plies.
    pub const MAX_QUIET_LIMIT: u16 = 1000;
}

impl Default for Rules {
    fn default() -> Self {
        Preset::Standard.into()
    }
}

impl From<Preset> for Rules {
    fn from(preset: Preset) -> Self {
        let standard = Self {
            double_mill: DoubleMill::One,
            no_immediate_return: false,
            repetition: Repetition::Third,
            all_in_mills: AllInMills::Any,
            quiet_limit: 0,
        };
        match preset {
            Preset::Standard | Preset::Millgame => standard,
            Preset::Playok => Self { double_mill: DoubleMill::Two, ..standard },
            Preset::Ivory => Self { repetition: Repetition::Off, ..standard },
        }
    }
}
