//! Where encrypted pictures are, and how buckets are reached.

use super::read::Reader;
use domain::secret::Secret;
use std::path::{Path, PathBuf};
use url::Url;

/// Where encrypted pictures are.
#[derive(Clone, Debug)]
pub enum PictureStore {
    /// In a local folder.
    Folder(PathBuf),
    /// In a bucket.
    Bucket(BucketName),
}

/// A bucket by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketName {
    /// Its name.
    pub name: String,
    /// Precedes the names of all objects; empty for none.
    pub prefix: String,
}

/// The server on which buckets are: that of the pictures, and those of copies.
#[derive(Clone, Debug)]
pub struct S3 {
    /// URL of an S3 server; `None` means AWS.
    pub endpoint: Option<String>,
    /// The region.
    pub region: String,
    /// Whether a bucket's name is in the path instead of the host.
    pub path_style: bool,
    /// Access key id and secret access key; `None` means the role of the process or the machine.
    pub credentials: Option<(String, Secret<String>)>,
    /// The variables in which AWS says how to get the credentials of the process's role.
    pub role: Vec<(String, String)>,
    /// PEM file with certificate authorities to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

pub(super) fn read(reader: &mut Reader<'_>, data_dir: &Path) -> PictureStore {
    let folder = data_dir.join(reader.filled("storage.pictures_dir"));
    let (name, prefix) = (reader.text("s3.bucket"), reader.text("s3.prefix"));
    if name.is_empty() {
        return PictureStore::Folder(folder);
    }
    PictureStore::Bucket(BucketName {
        name,
        prefix: prefix.trim_matches('/').to_owned(),
    })
}

pub(super) fn read_server(reader: &mut Reader<'_>) -> Option<S3> {
    let (endpoint, credentials) = (endpoint(reader), credentials(reader));
    let ca_file = reader.text("s3.ca_file");
    Some(S3 {
        endpoint: endpoint?,
        region: reader.filled("s3.region"),
        path_style: reader.flag("s3.path_style"),
        credentials: credentials?,
        role: reader.role().to_vec(),
        ca_file: (!ca_file.is_empty()).then(|| ca_file.into()),
    })
}

fn endpoint(reader: &mut Reader<'_>) -> Option<Option<String>> {
    const KEY: &str = "s3.endpoint";
    let text = reader.text(KEY);
    if text.is_empty() {
        return Some(None);
    }
    let is_good = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host() && url.path() == "/";
    if !Url::parse(&text).is_ok_and(|url| is_good(&url)) {
        reader.fault(KEY, "must be a URL such as https://s3.example.com");
        return None;
    }
    Some(Some(text.trim_end_matches('/').to_owned()))
}

fn credentials(reader: &mut Reader<'_>) -> Option<Option<(String, Secret<String>)>> {
    let (id, secret) = (reader.text("s3.access_key_id"), reader.text("s3.secret_access_key"));
    match (id.is_empty(), secret.is_empty()) {
        (true, true) => Some(None),
        (false, false) => Some(Some((id, Secret::new(secret)))),
        (true, false) => {
            reader.fault("s3.access_key_id", "must be set if s3.secret_access_key is");
            None
        }
        (false, true) => {
            reader.fault("s3.secret_access_key", "must be set if s3.access_key_id is");
            None
        }
    }
}
