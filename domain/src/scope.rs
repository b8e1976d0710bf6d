//! The scopes of API keys.

use crate::named::vocabulary;
use std::fmt;

vocabulary! {
    /// A group of operations of the API.
    Scope {
        /// Creating sessions; in a sandbox also completing them, which the holder of the link could do anyway.
        Create = "create",
        /// Reading personal data.
        Read = "read",
        /// Changing existing sessions.
        Manage = "manage",
    }
}

/// The scopes of a key. Written as their names separated by spaces, like `scope` in RFC 6749, section 3.3.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope.
    pub const ALL: Self = Self::NONE.with(Scope::Create).with(Scope::Read).with(Scope::Manage);
    /// No scope: no key has this.
    pub const NONE: Self = Self(0);

    const fn bit(scope: Scope) -> u8 {
        match scope {
            Scope::Create => 1,
            Scope::Read => 2,
            Scope::Manage => 4,
        }
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | Self::bit(scope))
    }

    /// Whether `scope` is one of them.
    #[must_use]
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & Self::bit(scope) != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Them, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// Parses what `Display` wrote; `None` for no scope or an unknown one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let scopes = text.split_whitespace().map(Scope::parse).collect::<Option<Self>>()?;
        (!scopes.is_empty()).then_some(scopes)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        scopes.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, scope) in self.iter().enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_read_as_it_is_written() {
        for bits in 1..8_u8 {
            let chosen = Scope::ALL
                .iter()
                .enumerate()
                .filter(|(position, _)| bits & (1 << position) != 0);
            let scopes: Scopes = chosen.map(|(_, scope)| *scope).collect();
            assert_eq!(Scopes::parse(&scopes.to_string()), Some(scopes));
            assert_eq!(scopes.iter().count(), bits.count_ones() as usize);
        }
        assert_eq!(Scopes::ALL.to_string(), "create read manage");
        assert_eq!(Scope::ALL.iter().copied().collect::<Scopes>(), Scopes::ALL);
    }

    #[test]
    fn nothing_else_is_a_set_of_scopes() {
        for bad in ["", " ", "read,create", "READ", "all", "read write"] {
            assert_eq!(Scopes::parse(bad), None, "{bad:?}");
        }
    }
}
