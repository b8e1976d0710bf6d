//! What `make soak` sets from outside: the number of cases, and the seed.

#![expect(clippy::disallowed_methods, reason = "the size comes from the environment")]

/// The number in the environment variable `name`, or `default`.
pub fn count(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| {
        number(&text).unwrap_or_else(|| panic!("{name} is not a number: {text}"))
    })
}

/// The seed in `HONNIN_SEED`, or a fresh one.
pub fn seed() -> u64 {
    count("HONNIN_SEED", rand::random())
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
