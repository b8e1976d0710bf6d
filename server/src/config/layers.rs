//! The value of each setting and its origin. Takes the names and types of the settings from the default file, without knowing
//! their meaning.

use super::{DEFAULTS, Fault};
use domain::secret::Secret;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};
use store::capture::bucket::ROLE_VARIABLES;
use toml::{Table, Value};
use url::{Position, Url};

/// What is shown instead of a secret.
const MASK: &str = "***";

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
    /// `HONNIN_URL`.
    pub url: Option<String>,
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
            "URL" => self.url = Some(text.to_owned()).filter(|text| !text.is_empty()),
            _ => return false,
        }
        true
    }
}

/// Whether Kubernetes sets a variable, named without its prefix, in every pod because of a Service whose name begins with `honnin`: `SERVICE_HOST`,
/// `SERVICE_PORT_HTTP`, `PORT`, `PORT_80_TCP_ADDR`. A pod that refused them would not start once there is the Service in front of it.
fn is_service_link(name: &str, text: &str) -> bool {
    let is_of_service = name.ends_with("SERVICE_HOST") || name.contains("SERVICE_PORT");
    let is_address = name.ends_with("PORT") && text.contains("://");
    let is_of_port = name.contains("PORT_") && name.split('_').any(|word| matches!(word, "TCP" | "UDP" | "SCTP"));
    is_of_service || is_address || is_of_port
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
    /// How this process gets the credentials of its role on AWS.
    role: Vec<(String, String)>,
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
            role: Vec::new(),
            client: ClientVariables::default(),
        }
    }

    /// Defaults, overridden by the file, overridden by this process's environment.
    ///
    /// # Errors
    /// If the file cannot be read.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn load(file: Option<&Path>) -> Result<Self, std::io::Error> {
        let mut layers = Self::defaults();
        if let Some(path) = file {
            layers.add_file(&path.display().to_string(), &std::fs::read_to_string(path)?);
        }
        layers.add_environment(std::env::vars_os());
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

    /// Adds environment variables that begin with `HONNIN_`, the one in which systemd names its folder of credentials, and those of a role on AWS. An
    /// unknown name is a fault, since a misspelt limit would otherwise have no effect; `HONNIN_TEST_..` is reserved for tests, and the variables of
    /// clients and of Kubernetes are no settings. Other variables are not Honnin's and need not be UTF-8.
    pub fn add_environment(&mut self, variables: impl Iterator<Item = (impl Into<OsString>, impl Into<OsString>)>) {
        for (name, value) in variables {
            let (name, value): (OsString, OsString) = (name.into(), value.into());
            let Ok(name) = name.into_string() else { continue };
            if name == "CREDENTIALS_DIRECTORY" {
                self.credentials = Some(value.into());
                continue;
            }
            if ROLE_VARIABLES.contains(&name.as_str()) {
                let text = value.into_string().ok().filter(|text| !text.is_empty());
                self.role.extend(text.map(|text| (name, text)));
                continue;
            }
            let Some(rest) = name.strip_prefix("HONNIN_").filter(|rest| !rest.starts_with("TEST_")) else {
                continue;
            };
            let origin = Origin::Environment(name.clone());
            let Ok(text) = value.into_string() else {
                self.note(&name, origin, "must be UTF-8".to_owned());
                continue;
            };
            if self.client.take(rest, &text) {
                continue;
            }
            let known = self
                .values
                .iter()
                .find(|(key, _)| key.to_uppercase().replace('.', "_") == rest);
            match known.map(|(key, (value, _))| (key.clone(), typed(value, &text))) {
                None if is_service_link(rest, &text) => {}
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

    /// The variables in which AWS says how this process gets the credentials of its role.
    #[must_use]
    pub fn role(&self) -> &[(String, String)] {
        &self.role
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

    /// Every setting, by name, with passwords, secret keys, and what may be one masked.
    pub fn shown(&self) -> impl Iterator<Item = (&str, String, &Origin)> {
        self.values
            .iter()
            .map(|(key, (value, origin))| (key.as_str(), masked(key, value).to_string(), origin))
    }
}

fn masked(key: &str, value: &Value) -> Value {
    let text = value.as_str().unwrap_or_default();
    let is_secret = [".secret_access_key", ".client_secret"]
        .iter()
        .any(|secret| key.ends_with(secret));
    match (key, value) {
        ("master_key.command", Value::Array(command)) => {
            let arguments = command.iter().skip(1).map(|_| Value::from(MASK));
            Value::Array(command.iter().take(1).cloned().chain(arguments).collect())
        }
        _ if text.is_empty() => value.clone(),
        _ if is_secret => MASK.into(),
        ("master_key.url", _) => without_query(text).into(),
        ("database.url" | "database.keys_url", _) => without_password(text).into(),
        _ => with_hidden_password(text).map_or_else(|| value.clone(), Value::from),
    }
}

/// A URL, if it has a password, with that masked.
fn with_hidden_password(text: &str) -> Option<String> {
    let mut url = Url::parse(text).ok().filter(|url| url.password().is_some())?;
    url.set_password(Some(MASK)).ok()?;
    Some(url.into())
}

/// The address of a database without its password, which is before the host or a parameter. What is not a URL may have it anywhere, and so may one that
/// has an `@` after the host: a password with `/`, `?` or `#` in it ends too early.
fn without_password(text: &str) -> String {
    if text.starts_with("sqlite:") {
        return with_hidden_password(text).unwrap_or_else(|| text.to_owned());
    }
    let Some(mut url) = Url::parse(text).ok().filter(|url| !url.cannot_be_a_base()) else {
        return MASK.to_owned();
    };
    let parameters: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    if parameters.iter().any(|(name, _)| name == "password") {
        let hidden = parameters.iter().map(|(name, value)| match name.as_str() {
            "password" => (name.as_str(), MASK),
            _ => (name.as_str(), value.as_str()),
        });
        url.query_pairs_mut().clear().extend_pairs(hidden);
    }
    if url[Position::BeforeHost..].contains('@') {
        return MASK.to_owned();
    }
    with_hidden_password(url.as_str()).unwrap_or_else(|| url.into())
}

/// The address of a key service without what may be secret in it.
fn without_query(text: &str) -> String {
    let Some(url) = Url::parse(text).ok().filter(Url::has_host) else {
        return MASK.to_owned();
    };
    let query = url.query().map_or_else(String::new, |_| format!("?{MASK}"));
    format!("{}{}{query}", url.origin().ascii_serialization(), url.path())
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
