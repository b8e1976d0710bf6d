//! Where encrypted pictures are.

use super::read::Reader;
use domain::secret::Secret;
use std::path::{Path, PathBuf};
use store::capture::bucket::Bucket;
use url::Url;

/// Where encrypted pictures are.
#[derive(Clone, Debug)]
pub enum PictureStore {
    /// In a local folder.
    Folder(PathBuf),
    /// In a bucket.
    Bucket {
        /// Which, without the authorities of `ca_file`.
        bucket: Bucket,
        /// PEM file with certificate authorities to trust in addition to the system's.
        ca_file: Option<PathBuf>,
    },
}

pub(super) fn read(reader: &mut Reader<'_>, data_dir: &Path) -> Option<PictureStore> {
    let folder = data_dir.join(reader.filled("storage.pictures_dir"));
    let name = reader.text("s3.bucket");
    if name.is_empty() {
        return Some(PictureStore::Folder(folder));
    }
    let endpoint = endpoint(reader)?;
    let credentials = credentials(reader)?;
    let ca_file = reader.text("s3.ca_file");
    Some(PictureStore::Bucket {
        bucket: Bucket {
            name,
            prefix: reader.text("s3.prefix").trim_matches('/').to_owned(),
            endpoint,
            region: reader.filled("s3.region"),
            path_style: reader.flag("s3.path_style"),
            credentials,
            extra_roots: Vec::new(),
        },
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
