//! The fields of a form or query, by name; a name may occur more than once.

use crate::parts::Mistake;
use axum::{
    Form,
    extract::{FromRequest, Request},
};
use url::form_urlencoded;

/// A form or query that none of our pages sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The fields of a form or query.
#[derive(Clone, Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// From a request's body.
    pub(crate) async fn of_body(request: Request) -> Result<Self, Malformed> {
        let Form(fields) = Form::<Vec<(String, String)>>::from_request(request, &())
            .await
            .map_err(|_| Malformed)?;
        Self::checked(fields)
    }

    fn checked(fields: Vec<(String, String)>) -> Result<Self, Malformed> {
        // Nobody types NUL, and PostgreSQL accepts no text that contains it.
        if fields.iter().any(|(_, value)| value.contains('\0')) {
            return Err(Malformed);
        }
        Ok(Self(fields))
    }

    /// From a body, whatever its content type.
    pub(crate) fn of_bytes(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// From a query.
    pub(super) fn of_query(query: &str) -> Result<Self, Malformed> {
        Self::checked(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// The first value of a name, trimmed; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        self.raw(name).trim().to_owned()
    }

    /// The first value of a name as it was sent: for passwords.
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    /// Every value of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Every field except these, in the order sent.
    pub(crate) fn without<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(|(name, _)| !names.contains(name))
    }

    /// Whether there is a non-empty value of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.raw(name).is_empty()
    }

    /// The lines of a value, trimmed, without empty lines.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        self.raw(name)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The URL of a list's next page: these fields with a new cursor.
    pub(crate) fn next_page(&self, path: &str, after: &str) -> String {
        self.with(path, "after", after)
    }

    /// The URL of `path` with these fields, and `new` as the value of `name`.
    pub(crate) fn with(&self, path: &str, name: &str, new: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (key, value) in self.0.iter().filter(|(key, value)| key != name && !value.is_empty()) {
            query.append_pair(key, value);
        }
        query.append_pair(name, new);
        format!("{path}?{}", query.finish())
    }
}

/// One mistake.
pub(crate) fn mistake(field: &str, sentence: impl Into<String>) -> Mistake {
    Mistake {
        field: field.to_owned(),
        sentence: sentence.into(),
    }
}
