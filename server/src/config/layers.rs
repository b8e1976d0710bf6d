//! The value of each setting and where it comes from. Takes the names and types of the settings from the default file, and does
//! not know their meaning.

use super::{DEFAULTS, Fault};
use domain::secret::Secret;
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};
use toml::{Table, Value};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The defaults.
    Default,
    /// `--config FILE`.
    File(String),
    /// An environment variable.
    Environment(String),
    /// The command line.
    CommandLine,
}

/// Variables that clients read: those in `clients/`, the examples, the tutorial, `honnin listen`. They are no settings. A developer who has set
/// them for a client must be able to start a server in the same shell.
#[derive(Clone, Debug, Default)]
pub struct ClientVariables {
    /// `HONNIN_API_KEY`.
    pub api_key: Option<Secret<String>>,
    /// `HONNIN_WEBHOOK_SECRET`.
    pub webhook_secret: Option<Secret<String>>,
}

impl ClientVariables {
    /// Keeps a variable, named without its prefix. Returns whether it is one of them.
    fn take(&mut self, name: &str, text: &str) -> bool {
        let secret = || Some(Secret::new(text.to_owned())).filter(|_| !text.is_empty());
        match name {
            "API_KEY" => self.api_key = secret(),
            "WEBHOOK_SECRET" => self.webhook_secret = secret(),
            // Of the clients in `clients/` only.
            "URL" => {}
            _ => return false,
        }
        true
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "from {path}"),
            Self::Environment(name) => write!(f, "from {name}"),
            Self::CommandLine => f.write_str("from the command line"),
        }
    }
}

/// Every setting by its dotted name.
#[derive(Clone, Debug)]
pub struct Layers {
    values: BTreeMap<String, (Value, Origin)>,
    faults: Vec<Fault>,
    /// The folder in which systemd passes credentials.
    credentials: Option<PathBuf>,
    client: ClientVariables,
}

impl Layers {
    /// The defaults alone.
    #[must_use]
    pub fn defaults() -> Self {
        // The file is part of the program and tested; if it were broken, every setting would be reported as missing.
        let table = DEFAULTS.parse::<Table>().unwrap_or_default();
        let values = flatten(&table)
            .into_iter()
            .map(|(key, value)| (key, (value, Origin::Default)))
            .collect();
        Self {
            values,
            faults: Vec::new(),
            credentials: None,
            client: ClientVariables::default(),
        }
    }

    /// Defaults, overridden by the file, overridden by this process's environment.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load(file: Option<&Path>) -> Result<Self, std::io::Error> {
        let mut layers = Self::defaults();
        if let Some(path) = file {
            layers.add_file(&path.display().to_string(), &std::fs::read_to_string(path)?);
        }
        #[expect(clippy::disallowed_methods, reason = "this is the place that reads the environment")]
        layers.add_environment(std::env::vars());
        Ok(layers)
    }

    /// Adds the text of a file.
    pub fn add_file(&mut self, path: &str, text: &str) {
        let origin = Origin::File(path.to_owned());
        match text.parse::<Table>() {
            Err(error) => {
                // The error's own text quotes the line, which may contain a password.
                let line = error
                    .span()
                    .map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
                self.note(
                    "(file)",
                    origin,
                    format!("is not valid TOML at line {line}: {}", error.message()),
                );
            }
            Ok(table) => {
                for (key, value) in flatten(&table) {
                    self.add(&key, value, origin.clone());
                }
            }
        }
    }

    /// Adds environment variables that begin with `HONNIN_`, and the one in which systemd names its folder of credentials. An unknown name is a fault, since a misspelt limit would otherwise
    /// have no effect; `HONNIN_TEST_..` is reserved for tests, and the variables of clients are no settings.
    pub fn add_environment(&mut self, variables: impl Iterator<Item = (String, String)>) {
        for (name, text) in variables {
            if name == "CREDENTIALS_DIRECTORY" {
                self.credentials = Some(text.into());
                continue;
            }
            let Some(rest) = name.strip_prefix("HONNIN_").filter(|rest| !rest.starts_with("TEST_")) else {
                continue;
            };
            if self.client.take(rest, &text) {
                continue;
            }
            let origin = Origin::Environment(name.clone());
            let known = self
                .values
                .iter()
                .find(|(key, _)| key.to_uppercase().replace('.', "_") == rest);
            match known.map(|(key, (value, _))| (key.clone(), typed(value, &text))) {
                None => self.note(
                    &name,
                    origin,
                    "unknown setting; run `honnin check-config` for the list".to_owned(),
                ),
                Some((key, Ok(value))) => self.add(&key, value, origin),
                Some((key, Err(wanted))) => self.note(&key, origin, format!("must be {wanted}")),
            }
        }
    }

    /// Sets one value from the command line.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.add(key, value.into(), Origin::CommandLine);
    }

    fn add(&mut self, key: &str, value: Value, origin: Origin) {
        match self.values.get(key).map(|(known, _)| known.type_str()) {
            None => self.note(
                key,
                origin,
                "unknown setting; run `honnin check-config` for the list".to_owned(),
            ),
            Some(kind) if kind != value.type_str() => self.note(key, origin, format!("must be of type {kind}")),
            Some(_) => {
                self.values.insert(key.to_owned(), (value, origin));
            }
        }
    }

    fn note(&mut self, key: &str, origin: Origin, message: String) {
        self.faults.push(Fault {
            key: key.to_owned(),
            origin,
            message,
        });
    }

    /// The folder in which systemd passes credentials to this process, if it does.
    #[must_use]
    pub fn credentials(&self) -> Option<&Path> {
        self.credentials.as_deref()
    }

    /// What is set for clients.
    #[must_use]
    pub const fn client_variables(&self) -> &ClientVariables {
        &self.client
    }

    /// Faults in names and types.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// A setting's value and origin.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<(&Value, &Origin)> {
        self.values.get(key).map(|(value, origin)| (value, origin))
    }

    /// Every setting, by name, with passwords in database URLs and secret keys masked.
    pub fn shown(&self) -> impl Iterator<Item = (&str, String, &Origin)> {
        self.values
            .iter()
            .map(|(key, (value, origin))| (key.as_str(), masked(key, value).to_string(), origin))
    }
}

fn masked(key: &str, value: &Value) -> Value {
    const MASK: &str = "***";
    let text = value.as_str().unwrap_or_default();
    if [".secret_access_key", ".client_secret"]
        .iter()
        .any(|secret| key.ends_with(secret))
        && !text.is_empty()
    {
        return Value::from(MASK);
    }
    let url = url::Url::parse(text).ok().filter(|url| url.password().is_some());
    let hidden = url.and_then(|mut url| {
        url.set_password(Some(MASK)).ok()?;
        Some(Value::from(url.to_string()))
    });
    hidden.unwrap_or_else(|| value.clone())
}

/// `{http: {a: 1}}` as `http.a = 1`.
fn flatten(table: &Table) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                flat.extend(
                    flatten(inner)
                        .into_iter()
                        .map(|(rest, value)| (format!("{key}.{rest}"), value)),
                );
            }
            other => flat.push((key.clone(), other.clone())),
        }
    }
    flat
}

/// Parses text from the environment as the default's type.
fn typed(default: &Value, text: &str) -> Result<Value, &'static str> {
    match default {
        Value::Integer(_) => text
            .trim()
            .parse::<i64>()
            .map(Value::from)
            .map_err(|_| "a whole number"),
        Value::Boolean(_) => text
            .trim()
            .parse::<bool>()
            .map(Value::from)
            .map_err(|_| "true or false"),
        Value::Array(_) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Ok(Value::Array(items.map(Value::from).collect()))
        }
        _ => Ok(Value::from(text)),
    }
}
