//! The tag `Rules`: a preset, then the options that differ from it, as
//! `playok NoImmediateReturn=true QuietLimit=100`.

use std::fmt::Write as _;

use merel_engine::{Preset, Rules};

use crate::options::{self, Setting};
use crate::text::clip;

/// The text of the tag.
#[must_use]
pub fn rules_text(rules: Rules) -> String {
    let same = Preset::ALL.iter().find(|&&preset| Rules::from(preset) == rules);
    if let Some(preset) = same {
        return preset.name().to_owned();
    }
    let base = Rules::default();
    let mut text = Preset::Standard.name().to_owned();
    let mut option = |differs: bool, name: &str, value: &dyn std::fmt::Display| {
        if differs {
            // Writing to a string cannot fail.
            let _ = write!(text, " {name}={value}");
        }
    };
    option(rules.double_mill != base.double_mill, "DoubleMill", &rules.double_mill);
    option(
        rules.no_immediate_return != base.no_immediate_return,
        "NoImmediateReturn",
        &rules.no_immediate_return,
    );
    option(rules.repetition != base.repetition, "Repetition", &rules.repetition);
    option(rules.all_in_mills != base.all_in_mills, "AllInMills", &rules.all_in_mills);
    option(rules.quiet_limit != base.quiet_limit, "QuietLimit", &rules.quiet_limit);
    text
}

/// Reads the text of the tag.
///
/// # Errors
/// Which word of it is no preset and no rule option with a value it takes.
pub fn parse_rules(text: &str) -> Result<Rules, String> {
    let mut rules = Rules::default();
    for (index, word) in text.split_whitespace().enumerate() {
        let setting = match word.split_once('=') {
            Some((name, value)) => options::parse(name, Some(value)).map_err(|e| e.to_string())?,
            None if index == 0 => options::parse("Rules", Some(word)).map_err(|e| e.to_string())?,
            None => return Err(format!("'{}' is not an option=value", clip(word))),
        };
        match setting {
            Setting::Rule(rule) => rule.change(&mut rules),
            _ => return Err(format!("'{}' is not a rule option", clip(word))),
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{AllInMills, DoubleMill, Repetition};

    #[test]
    fn every_rule_set_reads_back() {
        for &double_mill in DoubleMill::ALL {
            for no_immediate_return in [false, true] {
                for &repetition in Repetition::ALL {
                    for &all_in_mills in AllInMills::ALL {
                        for quiet_limit in [0, 1, 1000] {
                            let rules = Rules {
                                double_mill,
                                no_immediate_return,
                                repetition,
                                all_in_mills,
                                quiet_limit,
                            };
                            assert_eq!(parse_rules(&rules_text(rules)), Ok(rules));
                        }
                    }
                }
            }
        }
        assert_eq!(rules_text(Preset::Playok.into()), "playok");
    }

    #[test]
    fn what_is_no_rule_is_named() {
        for (text, named) in [
            ("chess", "chess"),
            ("standard playok", "playok"),
            ("standard Hash=5", "Hash=5"),
            ("DoubleMill=three", "three"),
            ("QuietLimit=1001", "1001"),
        ] {
            let error = parse_rules(text).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
        assert_eq!(parse_rules(""), Ok(Rules::default()));
        assert_eq!(parse_rules("PlayOK"), Ok(Preset::Playok.into()));
    }
}
