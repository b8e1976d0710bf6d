//! Types that keep their content out of logs, errors, jobs and URLs: they have no `Display`, no `Serialize`, and a `Debug`
//! without the content.

use std::fmt;
use zeroize::Zeroize;

/// Data about a person. Accessed only explicitly, with [`Personal::expose`], to encrypt it, judge it or send it to its tenant.
#[derive(Clone, PartialEq, Eq)]
pub struct Personal<T>(T);

impl<T> Personal<T> {
    /// Wraps personal data.
    pub const fn new(value: T) -> Self {
        Self(value)
    }
    /// The data itself.
    pub const fn expose(&self) -> &T {
        &self.0
    }
    /// The data itself, owned.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Personal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[personal]")
    }
}

/// A credential: shown once, wiped from memory when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Wraps a credential.
    pub const fn new(value: T) -> Self {
        Self(value)
    }
    /// The credential itself.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// A tenant's own text, `state` or `metadata`: readable like any text, but kept out of logs of the values that contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct Unlogged(String);

impl From<String> for Unlogged {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl std::ops::Deref for Unlogged {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Unlogged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[unlogged]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_prints_its_content() {
        assert_eq!(format!("{:?}", Personal::new("Erika")), "[personal]");
        assert_eq!(format!("{:?}", Secret::new("hn_live_x".to_owned())), "[secret]");
        assert_eq!(format!("{:?}", Unlogged::from("order 7".to_owned())), "[unlogged]");
    }
}
