//! The secrets in the configuration, whose ages are kept.

use crate::{
    config::{Config, MasterKey},
    master_key::{self, MasterKeyError},
};
use domain::{secret::Secret, secret_kind::SecretKind};
use std::mem;
use url::Url;
use zeroize::Zeroizing;

/// Each secret that the configuration holds.
///
/// # Errors
/// If the file of one cannot be read.
pub(crate) fn held(config: &Config) -> Result<Vec<(SecretKind, Secret<String>)>, MasterKeyError> {
    let all = [
        (SecretKind::DatabasePassword, database_passwords(config)),
        (SecretKind::BucketKey, bucket_key(config)),
        (SecretKind::OpenIdClientSecret, client_secret(config)),
        (SecretKind::KeyServiceToken, key_service_token(config)?),
    ];
    Ok(all
        .into_iter()
        .filter_map(|(kind, secret)| Some((kind, secret?)))
        .collect())
}

/// Of both databases: who replaces one usually replaces the other.
fn database_passwords(config: &Config) -> Option<Secret<String>> {
    let urls = [&config.database_url, &config.keys_url];
    // Room for all of it: growing would leave copies behind.
    let room = urls.iter().map(|url| url.len() + 1).sum();
    let mut passwords = Zeroizing::new(String::with_capacity(room));
    for url in urls.into_iter().filter_map(|url| Url::parse(url).ok()) {
        if let Some(password) = url.password() {
            if !passwords.is_empty() {
                passwords.push('\n');
            }
            passwords.push_str(password);
        }
        drop(Zeroizing::new(String::from(url)));
    }
    (!passwords.is_empty()).then(|| Secret::new(mem::take(&mut *passwords)))
}

fn bucket_key(config: &Config) -> Option<Secret<String>> {
    let (_, secret) = config.s3.credentials.as_ref()?;
    Some(secret.clone())
}

fn client_secret(config: &Config) -> Option<Secret<String>> {
    config.openid.provider.as_ref()?.client_secret.clone()
}

fn key_service_token(config: &Config) -> Result<Option<Secret<String>>, MasterKeyError> {
    let MasterKey::Service(service) = &config.master_key else {
        return Ok(None);
    };
    let token = service.token_file.as_ref().map(|path| master_key::read(path));
    Ok(token.transpose()?.map(|token| Secret::new(token.trim().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layers;

    fn config(toml: &str) -> Config {
        let mut layers = Layers::defaults();
        layers.add_file("my.toml", toml);
        Config::read(&layers).unwrap()
    }

    fn kinds(toml: &str) -> Vec<SecretKind> {
        let held = held(&config(toml)).unwrap().into_iter();
        held.map(|(kind, _)| kind).collect()
    }

    #[test]
    fn the_passwords_of_both_databases_are_one_secret() {
        for (data, keys, wanted) in [
            ("postgres://a:one@h/d", "postgres://a:two@h/k", Some("one\ntwo")),
            ("postgres://a@h/d", "postgres://a:two@h/k", Some("two")),
            ("postgres://a@h/d", "postgres://a@h/k", None),
        ] {
            let config = config(&format!("[database]\nurl = \"{data}\"\nkeys_url = \"{keys}\"\n"));
            let found = database_passwords(&config);
            assert_eq!(found.as_ref().map(|secret| secret.expose().as_str()), wanted);
        }
    }

    #[test]
    fn a_token_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        let config = config(&format!(
            "[master_key]\nsource = \"service\"\nurl = \"https://keys.example.com/honnin\"\ntoken_file = {token:?}\n"
        ));
        let error = held(&config).unwrap_err().to_string();
        assert!(error.contains("token: No such file"), "{error}");
    }

    #[test]
    fn each_secret_of_the_configuration_is_held() {
        assert_eq!(kinds(""), []);
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, "hush\n").unwrap();
        let all = kinds(&format!(
            "[database]\nurl = \"postgres://honnin:hush@localhost/honnin\"\nkeys_url = \"postgres://honnin@localhost/keys\"\n\
             [s3]\nbucket = \"pictures\"\nregion = \"eu-west-1\"\naccess_key_id = \"id\"\nsecret_access_key = \"hush\"\n\
             [openid]\nissuer = \"https://login.example.com\"\nclient_id = \"honnin\"\nclient_secret = \"hush\"\n\
             [master_key]\nsource = \"service\"\nurl = \"https://keys.example.com/honnin\"\ntoken_file = {token:?}\n"
        ));
        let wanted = [
            SecretKind::DatabasePassword,
            SecretKind::BucketKey,
            SecretKind::OpenIdClientSecret,
            SecretKind::KeyServiceToken,
        ];
        assert_eq!(all, wanted);
    }
}
