//! The fields of a form or query, by name; a name may occur more than once.

use crate::parts::Mistake;
use axum::{
    Form,
    extract::{FromRequest, Multipart, Request, multipart::Field},
};
use http::header::CONTENT_TYPE;
use url::form_urlencoded;

/// A form or query that none of our pages sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A file of a form.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum File {
    /// Its bytes; empty if none was chosen.
    Whole(Vec<u8>),
    /// Larger than [`MAX_FILE`]; not kept.
    TooLarge,
}

/// The largest file that a form may contain, which is a logo. Photos are not sent by these forms.
pub(crate) const MAX_FILE: usize = service::settings::logo::MAX_UPLOAD;

/// Files may contain personal data.
impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "File({} bytes)", bytes.len()),
            Self::TooLarge => f.write_str("File(too large)"),
        }
    }
}

impl File {
    /// Reads a file to its end, so that the browser sees the response, but keeps no more than allowed.
    async fn read(mut field: Field<'_>) -> Result<Self, Malformed> {
        let mut bytes = Vec::new();
        let mut too_large = false;
        while let Some(chunk) = field.chunk().await.map_err(|_| Malformed)? {
            too_large |= bytes.len() + chunk.len() > MAX_FILE;
            if too_large {
                bytes.clear();
            } else {
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok(if too_large { Self::TooLarge } else { Self::Whole(bytes) })
    }
}

/// The fields of a form or query.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    values: Vec<(String, String)>,
    files: Vec<(String, File)>,
}

impl Fields {
    /// From a request's body.
    pub(crate) async fn of_body(request: Request) -> Result<Self, Malformed> {
        let kind = request.headers().get(CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/form-data")) {
            return Self::of_multipart(request).await;
        }
        let Form(fields) = Form::<Vec<(String, String)>>::from_request(request, &())
            .await
            .map_err(|_| Malformed)?;
        Self::checked(fields)
    }

    async fn of_multipart(request: Request) -> Result<Self, Malformed> {
        let mut form = Multipart::from_request(request, &()).await.map_err(|_| Malformed)?;
        let (mut values, mut files) = (Vec::new(), Vec::new());
        while let Some(field) = form.next_field().await.map_err(|_| Malformed)? {
            let name = field.name().unwrap_or_default().to_owned();
            if field.file_name().is_some() {
                files.push((name, File::read(field).await?));
            } else {
                values.push((name, field.text().await.map_err(|_| Malformed)?));
            }
        }
        let checked = Self::checked(values)?;
        Ok(Self { files, ..checked })
    }

    fn checked(fields: Vec<(String, String)>) -> Result<Self, Malformed> {
        // Nobody types NUL, and PostgreSQL accepts no text that contains it.
        if fields.iter().any(|(_, value)| value.contains('\0')) {
            return Err(Malformed);
        }
        Ok(Self {
            values: fields,
            files: Vec::new(),
        })
    }

    /// From a query, or a body of whatever content type.
    pub(crate) fn of_bytes(encoded: &[u8]) -> Result<Self, Malformed> {
        Self::checked(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The first value of a name, trimmed; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        self.raw(name).trim().to_owned()
    }

    /// The first value of a name as it was sent: for passwords.
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.values
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    /// The first file of a name; an empty one if there is none.
    pub(crate) fn file(&self, name: &str) -> File {
        let file = self.files.iter().find(|(key, _)| key == name);
        file.map_or_else(|| File::Whole(Vec::new()), |(_, file)| file.clone())
    }

    /// Every value of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.values
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Every field except these, in the order sent.
    pub(crate) fn without<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
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

    /// The URL of a list with another filter, from its beginning on.
    pub(crate) fn filtered(&self, path: &str, name: &str, new: &str) -> String {
        self.url(path, &[name, "after"], (name, new))
    }

    /// The URL of a list's next page: these fields with a new cursor.
    pub(crate) fn next_page(&self, path: &str, after: &str) -> String {
        self.with(path, "after", after)
    }

    /// The URL of `path` with these fields, and `new` as the value of `name`; without a value, the field is left out.
    pub(crate) fn with(&self, path: &str, name: &str, new: &str) -> String {
        self.url(path, &[name], (name, new))
    }

    /// The URL of `path` with those of these fields that have one of the `names`.
    pub(crate) fn kept(&self, path: &str, names: &[&str]) -> String {
        names.iter().fold(path.to_owned(), |url, name| match self.raw(name) {
            "" => url,
            value => with_query(&url, name, value),
        })
    }

    fn url(&self, path: &str, without: &[&str], new: (&str, &str)) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let set = self.without(without).chain([new]);
        query.extend_pairs(set.filter(|(_, value)| !value.is_empty()));
        format!("{path}?{}", query.finish())
    }
}

/// The URL with one more query parameter.
pub(crate) fn with_query(url: &str, name: &str, value: &str) -> String {
    let mark = if url.contains('?') { '&' } else { '?' };
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{url}{mark}{}", query.append_pair(name, value).finish())
}

/// One mistake.
pub(crate) fn mistake(field: &str, sentence: impl Into<String>) -> Mistake {
    Mistake {
        field: field.to_owned(),
        sentence: sentence.into(),
    }
}
