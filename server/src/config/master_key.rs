//! Where the master key comes from.

use super::read::Reader;
use std::{
    fmt,
    path::{Path, PathBuf},
};
use url::Url;

/// Where the master key comes from.
#[derive(Clone, Debug)]
pub enum MasterKey {
    /// A file, generated at the first start.
    File(PathBuf),
    /// A credential that systemd passes to the service.
    Credential {
        /// Its name.
        name: String,
        /// The folder of credentials; `None` if systemd passes none to this process.
        folder: Option<PathBuf>,
    },
    /// What a program prints: the program and its arguments.
    Command(Vec<String>),
    /// What an HTTPS service answers.
    Service(KeyService),
}

/// An HTTPS service that answers with the master key.
#[derive(Clone, Debug)]
pub struct KeyService {
    /// What is asked for with GET.
    pub url: Url,
    /// File with the bearer token, if it wants one.
    pub token_file: Option<PathBuf>,
    /// PEM file with certificate authorities to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

impl MasterKey {
    /// The setting to look at if something is wrong.
    #[must_use]
    pub const fn setting(&self) -> &'static str {
        match self {
            Self::File(_) => "storage.master_key_file",
            Self::Credential { .. } => "master_key.credential",
            Self::Command(_) => "master_key.command",
            Self::Service(_) => "master_key.url",
        }
    }
}

/// Without the arguments of a command and the query of a URL, which may be secret.
impl fmt::Display for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Credential { name, .. } => write!(f, "the credential {name}"),
            Self::Command(command) => write!(f, "the command {}", command.first().map_or("", String::as_str)),
            Self::Service(service) => {
                let url = &service.url;
                write!(
                    f,
                    "the key service {}{}",
                    url.origin().ascii_serialization(),
                    url.path()
                )
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Source {
    File,
    Credential,
    Command,
    Service,
}

pub(super) fn read(reader: &mut Reader<'_>, data_dir: &Path) -> Option<MasterKey> {
    let file = data_dir.join(reader.filled("storage.master_key_file"));
    let sources = [
        ("file", Source::File),
        ("credential", Source::Credential),
        ("command", Source::Command),
        ("service", Source::Service),
    ];
    match reader.choice("master_key.source", &sources)? {
        Source::File => Some(MasterKey::File(file)),
        Source::Credential => Some(MasterKey::Credential {
            name: credential(reader)?,
            folder: reader.credentials().map(Path::to_owned),
        }),
        Source::Command => command(reader).map(MasterKey::Command),
        Source::Service => service(reader).map(MasterKey::Service),
    }
}

fn credential(reader: &mut Reader<'_>) -> Option<String> {
    const KEY: &str = "master_key.credential";
    let name = reader.filled(KEY);
    if name.contains('/') {
        reader.fault(KEY, "must be the name of a credential, not a path");
        return None;
    }
    Some(name)
}

fn command(reader: &mut Reader<'_>) -> Option<Vec<String>> {
    const KEY: &str = "master_key.command";
    let command = reader.texts(KEY);
    if command.first().is_none_or(String::is_empty) {
        reader.fault(
            KEY,
            "must be a program and its arguments if master_key.source is \"command\"",
        );
        return None;
    }
    Some(command)
}

fn service(reader: &mut Reader<'_>) -> Option<KeyService> {
    const KEY: &str = "master_key.url";
    let url = Url::parse(&reader.text(KEY))
        .ok()
        .filter(|url| url.scheme() == "https" && url.has_host());
    if url.is_none() {
        reader.fault(KEY, "must be an https URL if master_key.source is \"service\"");
    }
    let mut file = |key| {
        Some(reader.text(key))
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    let (token_file, ca_file) = (file("master_key.token_file"), file("master_key.ca_file"));
    Some(KeyService {
        url: url?,
        token_file,
        ca_file,
    })
}
