//! The body of `POST /v1/verification-sessions`, parsed at the edge into a type that the rest of the code can rely on.

use crate::{
    callback::CallbackUrl,
    civil_date,
    json::{self, Raw, raw},
    secret::{Personal, Unlogged},
    user_input::{ADDRESS_LIMIT, Gender, NAME_LIMIT},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Metadata as compact JSON, in bytes. An escape counts as the character it stands for, unless JSON requires it.
const METADATA_LIMIT: usize = 8192;
/// `callbackUrl` with `state` appended, or `state` alone, in bytes.
const CALLBACK_LIMIT: usize = 8000;

/// Keys in error responses are cut at this many characters.
const KEY_LIMIT: usize = 64;

/// A parsed creation request.
#[derive(Clone, Debug, PartialEq)]
pub struct CreationRequest {
    /// As given; the tenant's settings decide whether it is allowed.
    pub callback_url: Option<String>,
    /// Echoed on return.
    pub state: Option<Unlogged>,
    /// Compact JSON object, keys and numbers as written.
    pub metadata: Option<Unlogged>,
    /// What the tenant pre-registered.
    pub pre_registered: Option<Personal<PreRegistered>>,
}

/// What is known about the person, to be compared with the document and with what the user types. At least one field.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = PreRegisteredInfo, min_properties = 1))]
#[serde(rename_all = "camelCase")]
pub struct PreRegistered {
    /// `YYYY-MM-DD`, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub birth_date: Option<String>,
    /// Family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, min_length = 1, max_length = 128))]
    pub last_name: Option<String>,
    /// Given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, min_length = 1, max_length = 128))]
    pub first_name: Option<String>,
    /// Address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, min_length = 1, max_length = 512))]
    pub address: Option<String>,
    /// Gender.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub gender: Option<Gender>,
}

impl std::fmt::Debug for PreRegistered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PreRegistered([personal])")
    }
}

/// One problem with the request. Never repeats a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Issue {
    /// `Missing`, `Type`, `Limit`, `Format` or `Syntax`; more may be added.
    #[serde(rename = "_tag")]
    pub tag: &'static str,
    /// Path to the faulty value: keys from the root of the body, with array positions as digits; empty for the body as a whole. For a fault
    /// outside the body: the name of the query parameter or header. Keys are cut at 64 characters.
    pub path: Vec<String>,
    /// What is wrong, for developers: a sentence, or a predicate for what `path` names ("must be a string"). Do not parse it: the wording may
    /// change.
    pub message: String,
}

/// A session to be created. Unknown fields are ignored; a described field that is null and any duplicate key are refused.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(example = json!({
    "metadata": {"order": 4711},
    "preRegisteredInfo": {"lastName": "Mustermann", "firstName": "Erika", "birthDate": "1964-08-12"}
})))]
pub struct NewSession<'a> {
    /// Where the user is sent back to: an `https` URL of the tenant's allow-list, without query and fragment. `sessionId` and
    /// `state` are appended on return. At most 8000 bytes with `state` appended.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, nullable = false, format = "uri"))]
    #[serde(borrow, default, deserialize_with = "raw")]
    callback_url: Raw<'a>,
    /// Echoed unchanged on the return URL. At most 8000 bytes, together with `callbackUrl` if that is given.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, nullable = false, max_length = 8000))]
    #[serde(borrow, default, deserialize_with = "raw")]
    state: Raw<'a>,
    /// At most 8192 bytes as compact JSON, in which an escape counts as the character it stands for. Returned as given. No personal data.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>, nullable = false))]
    #[serde(borrow, default, deserialize_with = "raw")]
    metadata: Raw<'a>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<PreRegistered>, nullable = false))]
    #[serde(borrow, default, deserialize_with = "raw")]
    pre_registered_info: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PersonBody<'a> {
    #[serde(borrow, default, deserialize_with = "raw")]
    birth_date: Raw<'a>,
    #[serde(borrow, default, deserialize_with = "raw")]
    last_name: Raw<'a>,
    #[serde(borrow, default, deserialize_with = "raw")]
    first_name: Raw<'a>,
    #[serde(borrow, default, deserialize_with = "raw")]
    address: Raw<'a>,
    #[serde(borrow, default, deserialize_with = "raw")]
    gender: Raw<'a>,
}

/// Collects issues while fields are parsed, so that all of them are reported together.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) issues: Vec<Issue>,
}

impl Reader {
    pub(crate) fn issue(&mut self, tag: &'static str, path: &[&str], message: impl Into<String>) {
        self.issues.push(Issue {
            tag,
            path: path.iter().map(|&key| key.to_owned()).collect(),
            message: message.into(),
        });
    }

    pub(crate) fn string(&mut self, value: Raw<'_>, path: &[&str]) -> Option<String> {
        let value = value?;
        let text = serde_json::from_str::<String>(value.get()).ok();
        if text.is_none() {
            self.issue("Type", path, "must be a string");
        }
        text
    }

    /// The fields of a whole body, which must be one JSON object without duplicate keys; an empty body is `{}`.
    pub(crate) fn body<'a, T: Deserialize<'a>>(&mut self, body: &'a [u8]) -> Option<T> {
        let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
        let repeated = match json::check(body) {
            Ok(repeated) => repeated,
            Err(error) => {
                self.issue("Syntax", &[], describe(body, &error));
                return None;
            }
        };
        for path in &repeated {
            self.given_twice(path);
        }
        // Which of two values is meant is not known, so that nothing else is said about them.
        if !repeated.is_empty() {
            return None;
        }
        // serde would also accept an array for a struct.
        let is_object = body.trim_ascii_start().first() == Some(&b'{');
        let fields = serde_json::from_slice(body).ok().filter(|_| is_object);
        if fields.is_none() {
            self.issue("Type", &[], "must be a JSON object");
        }
        fields
    }

    fn given_twice(&mut self, path: &[String]) {
        let path: Vec<String> = path.iter().map(|key| key.chars().take(KEY_LIMIT).collect()).collect();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let key = path.last().copied().unwrap_or_default();
        self.issue("Syntax", &path, format!("`{key}` is given twice"));
    }

    /// A string of 1 to `limit` characters.
    fn bounded(&mut self, value: Raw<'_>, path: &[&str], limit: usize) -> Option<String> {
        let text = self.string(value, path)?;
        if (1..=limit).contains(&text.chars().count()) {
            return Some(text);
        }
        self.issue("Limit", path, format!("must have 1 to {limit} characters"));
        None
    }

    fn object<'a>(&mut self, value: Raw<'a>, path: &[&str]) -> Option<&'a RawValue> {
        let value = value?;
        if value.get().starts_with('{') {
            return Some(value);
        }
        self.issue("Type", path, "must be an object");
        None
    }

    fn metadata(&mut self, value: Raw<'_>) -> Option<String> {
        let compact = json::compact(self.object(value, &["metadata"])?.get());
        let length = json::plain_length(&compact);
        if length > METADATA_LIMIT {
            let message = format!("must be at most {METADATA_LIMIT} bytes of compact JSON, but is {length}");
            self.issue("Limit", &["metadata"], message);
            return None;
        }
        Some(compact)
    }

    fn person(&mut self, value: Raw<'_>) -> Option<Personal<PreRegistered>> {
        const AT: &str = "preRegisteredInfo";
        let object = self.object(value, &[AT])?;
        let body: PersonBody<'_> = serde_json::from_str(object.get()).ok()?;
        let birth_date = self.string(body.birth_date, &[AT, "birthDate"]);
        if birth_date.as_deref().is_some_and(|text| !civil_date::has_form(text)) {
            self.issue("Format", &[AT, "birthDate"], "must have the form YYYY-MM-DD");
        }
        let gender = self.string(body.gender, &[AT, "gender"]).and_then(|text| {
            let gender = Gender::parse(&text);
            if gender.is_none() {
                self.issue("Format", &[AT, "gender"], "must be male or female");
            }
            gender
        });
        let present = [
            body.birth_date,
            body.last_name,
            body.first_name,
            body.address,
            body.gender,
        ];
        if present.iter().all(Option::is_none) {
            self.issue("Missing", &[AT], "must have at least one field");
        }
        Some(Personal::new(PreRegistered {
            birth_date,
            last_name: self.bounded(body.last_name, &[AT, "lastName"], NAME_LIMIT),
            first_name: self.bounded(body.first_name, &[AT, "firstName"], NAME_LIMIT),
            address: self.bounded(body.address, &[AT, "address"], ADDRESS_LIMIT),
            gender,
        }))
    }
}

impl CreationRequest {
    /// Parses a body. An empty or blank one is `{}`; unknown fields are ignored; an explicit `null` is a wrong type.
    ///
    /// # Errors
    /// Everything that violates the contract, at least one issue.
    pub fn parse(body: &[u8]) -> Result<Self, Vec<Issue>> {
        let mut reader = Reader::default();
        let Some(fields) = reader.body::<NewSession<'_>>(body) else {
            return Err(reader.issues);
        };
        let request = Self {
            callback_url: reader.string(fields.callback_url, &["callbackUrl"]),
            state: reader.string(fields.state, &["state"]).map(Unlogged::from),
            metadata: reader.metadata(fields.metadata).map(Unlogged::from),
            pre_registered: reader.person(fields.pre_registered_info),
        };
        request.check_return_length(&mut reader);
        if reader.issues.is_empty() {
            Ok(request)
        } else {
            Err(reader.issues)
        }
    }

    fn check_return_length(&self, reader: &mut Reader) {
        let state = self.state.as_deref();
        let (path, length, what) = match &self.callback_url {
            Some(url) => (
                "callbackUrl",
                CallbackUrl::returned_length(url, state),
                if state.is_some() {
                    "with the percent-encoded state appended "
                } else {
                    ""
                },
            ),
            None => ("state", state.map_or(0, str::len), ""),
        };
        if length > CALLBACK_LIMIT {
            reader.issue(
                "Limit",
                &[path],
                format!("{what}must be at most {CALLBACK_LIMIT} bytes"),
            );
        }
    }
}

/// What is wrong with a body that is not JSON: never a value of it.
fn describe(body: &[u8], error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    if body.starts_with(b"\xef\xbb\xbf") {
        return "the body begins with a byte order mark".to_owned();
    }
    if body.starts_with(b"\x1f\x8b") {
        return "the body is compressed with gzip; send it uncompressed".to_owned();
    }
    if let Err(fault) = std::str::from_utf8(body) {
        return format!("the body is not UTF-8 from byte {}", fault.valid_up_to() + 1);
    }
    // serde_json has no other way to identify some of its errors.
    let said = error.to_string();
    let deep = format!("is nested more than {} levels deep", json::DEPTH_LIMIT);
    let kind = match error.classify() {
        Category::Eof => "ends too early",
        _ if said.starts_with("recursion limit exceeded") => &deep,
        _ if said.contains("surrogate") || said.contains("end of hex escape") => "has one half of a surrogate pair",
        _ => "is not valid JSON",
    };
    format!("the body {kind} at line {}, column {}", error.line(), error.column())
}

#[cfg(test)]
mod tests;
