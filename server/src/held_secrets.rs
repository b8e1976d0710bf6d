//! The secrets in the configuration, whose ages are kept.

use crate::config::{Config, MasterKey};
use domain::{secret::Secret, secret_kind::SecretKind};
use std::fs;
use url::Url;

/// Each secret that the configuration holds.
pub(crate) fn held(config: &Config) -> Vec<(SecretKind, Secret<String>)> {
    let all = [
        (SecretKind::DatabasePassword, database_passwords(config)),
        (SecretKind::BucketKey, bucket_key(config)),
        (SecretKind::OpenIdClientSecret, client_secret(config)),
        (SecretKind::KeyServiceToken, key_service_token(config)),
    ];
    all.into_iter()
        .filter_map(|(kind, secret)| Some((kind, secret?)))
        .collect()
}

/// Of both databases: who replaces one usually replaces the other.
fn database_passwords(config: &Config) -> Option<Secret<String>> {
    let passwords: Vec<_> = [&config.database_url, &config.keys_url]
        .into_iter()
        .filter_map(|url| Url::parse(url).ok()?.password().map(str::to_owned))
        .collect();
    (!passwords.is_empty()).then(|| Secret::new(passwords.join("\n")))
}

fn bucket_key(config: &Config) -> Option<Secret<String>> {
    let (_, secret) = config.s3.credentials.as_ref()?;
    Some(secret.clone())
}

fn client_secret(config: &Config) -> Option<Secret<String>> {
    config.openid.provider.as_ref()?.client_secret.clone()
}

fn key_service_token(config: &Config) -> Option<Secret<String>> {
    let MasterKey::Service(service) = &config.master_key else {
        return None;
    };
    // It was read a moment ago; without it, there would be no master key.
    let token = fs::read_to_string(service.token_file.as_ref()?).ok()?;
    Some(Secret::new(token.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layers;

    fn kinds(toml: &str) -> Vec<SecretKind> {
        let mut layers = Layers::defaults();
        layers.add_file("my.toml", toml);
        let held = held(&Config::read(&layers).unwrap()).into_iter();
        held.map(|(kind, _)| kind).collect()
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
