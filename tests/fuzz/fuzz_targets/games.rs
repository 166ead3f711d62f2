//! A game file of any form, and each good game of it written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merel_protocol::games::{Form, Reader};

fuzz_target!(|input: &[u8]| {
    for entry in Reader::new(input, None) {
        match entry.expect("bytes in memory can be read").game {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(record) => {
                for form in Form::ALL {
                    let Ok(text) = form.write(&record) else { continue };
                    let mut again = Reader::new(text.as_bytes(), None);
                    let game = again.next().expect("a game").expect("bytes in memory").game;
                    let game = game.unwrap_or_else(|error| panic!("{error}\n{text}"));
                    assert!(again.next().is_none(), "{text}");
                    assert!(
                        game.turns()
                            .iter()
                            .map(|t| t.turn)
                            .eq(record.turns().iter().map(|t| t.turn))
                    );
                    assert_eq!(form.write(&game), Ok(text));
                }
            }
        }
    }
});
