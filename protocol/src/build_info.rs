//! What the program is and what it was built with.

/// Name and version, as in `id name`.
pub(crate) const NAME: &str = concat!("Merel ", env!("CARGO_PKG_VERSION"));

pub(crate) const AUTHOR: &str = "the Merel authors";

/// Version and, when it is known, the commit.
pub(crate) const VERSION: &str = env!("MEREL_VERSION");

pub(crate) const LICENSE: &str = concat!(
    "Merel is free software, licensed under ",
    env!("CARGO_PKG_LICENSE"),
    ", at your option. It comes without any warranty."
);

/// The processor features that matter here and that the compiler was allowed to use.
fn features() -> String {
    let features = [
        (cfg!(target_feature = "sse4.2"), "sse4.2"),
        (cfg!(target_feature = "popcnt"), "popcnt"),
        (cfg!(target_feature = "bmi1"), "bmi1"),
        (cfg!(target_feature = "bmi2"), "bmi2"),
        (cfg!(target_feature = "avx2"), "avx2"),
        (cfg!(target_feature = "avx512f"), "avx512f"),
        (cfg!(target_feature = "neon"), "neon"),
    ];
    let used: Vec<&str> = features.iter().filter(|(on, _)| *on).map(|&(_, name)| name).collect();
    if used.is_empty() { "none".to_owned() } else { used.join(" ") }
}

/// The answer to `compiler`.
pub(crate) fn compiler() -> String {
    let known = |text: &'static str| if text.is_empty() { "unknown" } else { text };
    let checks = if cfg!(debug_assertions) { "on" } else { "off" };
    format!(
        "Version: Merel {VERSION}\nCompiler: {}\nTarget: {}\nProfile: {}, debug assertions {checks}\n\
         Processor features: {}",
        known(env!("MEREL_RUSTC")),
        known(env!("MEREL_TARGET")),
        known(env!("MEREL_PROFILE")),
        features(),
    )
}
