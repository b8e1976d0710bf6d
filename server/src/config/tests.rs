//! Layers and faults.

use super::*;

fn faults(file: &str, environment: &[(&str, &str)]) -> Vec<String> {
    let mut layers = Layers::defaults();
    layers.add_file("my.toml", file);
    layers.add_environment(
        environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    Config::read(&layers)
        .err()
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn config(file: &str, environment: &[(&str, &str)]) -> Config {
    let mut layers = Layers::defaults();
    layers.add_file("my.toml", file);
    layers.add_environment(
        environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    Config::read(&layers).unwrap()
}

#[test]
fn the_defaults_make_sense() {
    let config = config("", &[]);
    assert_eq!(config.base_url.as_str(), "http://localhost:3000/");
    assert_eq!(config.database_url, "sqlite://data/honnin.db");
    assert_eq!(config.keys_url, "sqlite://data/keys.db");
    assert!(matches!(&config.master_key, MasterKey::File(path) if path == Path::new("data/master.key")));
}

#[test]
fn every_default_is_documented() {
    // Each of these shares the comment of the setting above it.
    let shared = [
        "region",
        "secret_access_key",
        "key",
        "requests_per_tenant",
        "creation_burst",
    ];
    let mut above = "";
    for line in DEFAULTS.lines() {
        let is_setting = !line.is_empty() && !line.starts_with(['[', '#']);
        let name = line.split(' ').next().unwrap();
        let is_commented = above.starts_with('#') || shared.contains(&name) && !above.is_empty();
        assert!(!is_setting || is_commented, "{line} has no comment");
        above = line;
    }
}

#[test]
fn the_environment_overrides_the_file_and_the_file_the_defaults() {
    let file = "listen = \"0.0.0.0:1\"\n[http]\nmax_requests = 7\ntrusted_proxies = [\"10.0.0.0/8\"]\n";
    let config = config(
        file,
        &[
            ("HONNIN_HTTP_MAX_REQUESTS", "9"),
            (
                "HONNIN_HTTP_TRUSTED_PROXIES",
                "192.0.2.1, fd00::/8, ::ffff:198.51.100.0/120",
            ),
        ],
    );
    assert_eq!(config.listen.to_string(), "0.0.0.0:1");
    assert_eq!(config.max_requests, 9);
    let trusted: Vec<_> = config.proxies.trusted.iter().map(ToString::to_string).collect();
    assert_eq!(
        trusted,
        ["192.0.2.1/32", "fd00::/8", "198.51.100.0/24"],
        "IPv4-mapped networks are IPv4"
    );
}

#[test]
fn what_a_client_is_told_by_the_environment_is_no_setting() {
    let of_clients = ["HONNIN_URL", "HONNIN_API_KEY", "HONNIN_WEBHOOK_SECRET"];
    assert_eq!(faults("", &of_clients.map(|name| (name, "x"))), [""; 0]);
}

#[test]
fn what_kubernetes_says_of_the_service_in_front_is_no_setting() {
    let of_kubernetes = [
        ("HONNIN_SERVICE_HOST", "10.0.0.1"),
        ("HONNIN_SERVICE_PORT", "80"),
        ("HONNIN_SERVICE_PORT_HTTP", "80"),
        ("HONNIN_PORT", "tcp://10.0.0.1:80"),
        ("HONNIN_PORT_80_TCP", "tcp://10.0.0.1:80"),
        ("HONNIN_PORT_80_TCP_PROTO", "tcp"),
        ("HONNIN_PORT_80_TCP_PORT", "80"),
        ("HONNIN_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("HONNIN_METRICS_SERVICE_HOST", "10.0.0.2"),
        ("HONNIN_METRICS_PORT", "tcp://10.0.0.2:9464"),
    ];
    assert_eq!(faults("", &of_kubernetes), [""; 0]);
    // Somebody may take it for the port to listen on.
    assert_eq!(faults("", &[("HONNIN_PORT", "3001")]).len(), 1);
}

#[test]
fn a_fault_names_the_setting_and_where_its_value_comes_from() {
    for (file, environment, wanted) in [
        (
            "listen = \"here\"",
            vec![],
            "listen (from my.toml): must be an address and a port, such as 127.0.0.1:3000",
        ),
        ("listen = 3000", vec![], "listen (from my.toml): must be of type string"),
        (
            "listn = \"x\"",
            vec![],
            "listn (from my.toml): unknown setting; run `honnin check-config` for the list",
        ),
        (
            "listen =",
            vec![],
            "(file) (from my.toml): is not valid TOML at line 1: string values must be quoted, expected literal string",
        ),
        (
            "",
            vec![("HONNIN_LISTN", "x")],
            "HONNIN_LISTN (from HONNIN_LISTN): unknown setting; run `honnin check-config` for the list",
        ),
        (
            "",
            vec![("HONNIN_HTTP_MAX_REQUESTS", "many")],
            "http.max_requests (from HONNIN_HTTP_MAX_REQUESTS): must be a whole number",
        ),
        (
            "",
            vec![("HONNIN_HTTP_MAX_REQUESTS", "-1")],
            "http.max_requests (from HONNIN_HTTP_MAX_REQUESTS): must be a whole number from 1 to 1000000",
        ),
        (
            "",
            vec![("HONNIN_HTTP_TRUSTED_PROXIES", "10.0.0.0/99")],
            "http.trusted_proxies (from HONNIN_HTTP_TRUSTED_PROXIES): \"10.0.0.0/99\" is not a network such as 10.0.0.0/8 or fd00::/8",
        ),
        (
            "[uploads]\npatience = 60",
            vec![],
            "uploads.patience (from my.toml): must be a whole number from 1 to 50",
        ),
        (
            "[uploads]\nspill_dir = \"/nowhere\"",
            vec![],
            "uploads.spill_dir (from my.toml): must be a folder that exists",
        ),
        (
            "[tls]\nmode = \"on\"",
            vec![],
            "tls.mode (from my.toml): must be \"off\" or \"self-signed\" or \"files\"",
        ),
        (
            "base_url = \"https://x.example/path\"",
            vec![],
            "base_url (from my.toml): must consist of http:// or https://, a host and optionally a port, and nothing else",
        ),
        (
            "",
            vec![("HONNIN_DATABASE_URL", "mysql://u:secret@h/d")],
            "database.url (from HONNIN_DATABASE_URL): must begin with sqlite: or postgres:",
        ),
        (
            "",
            vec![("HONNIN_DATABASE_URL", "postgres://u:pa/ss@h/d")],
            "database.url (from HONNIN_DATABASE_URL): must be a URL such as postgres://USER:PASSWORD@HOST/NAME; percent-encode the password",
        ),
        (
            "",
            vec![("HONNIN_DATABASE_URL", "postgres:u:secret@h/d")],
            "database.url (from HONNIN_DATABASE_URL): must be a URL such as postgres://USER:PASSWORD@HOST/NAME; percent-encode the password",
        ),
        (
            "[log]\nlevel = \"a=b=c\"",
            vec![],
            "log.level (from my.toml): must be error, warn, info, debug, trace, or a filter such as info,service=debug",
        ),
        (
            "[log]\nlevel = \"warning\"",
            vec![],
            "log.level (from my.toml): must be error, warn, info, debug, trace, or a filter such as info,service=debug",
        ),
    ] {
        let faults = faults(file, &environment);
        assert!(
            faults.iter().any(|fault| fault == wanted),
            "{faults:#?}\nshould have\n{wanted}"
        );
    }
}

#[test]
fn all_faults_are_told_at_once() {
    assert_eq!(
        faults(
            "listen = \"x\"\n[worker]\nconcurrency = -1\n",
            &[("HONNIN_LOG_FORMAT", "xml")]
        )
        .len(),
        3
    );
}

#[test]
fn a_fault_hides_none_of_the_settings_after_it() {
    let file = "[http]\nforwarding_header = \"x\"\ntrusted_proxies = [\"y\"]\n[master_key]\nsource = \"z\"\n\
                [s3]\nendpoint = \"s\"\n[worker]\nconcurrency = 9999\n[log]\nformat = \"xml\"\nlevel = \"loud\"\n";
    let found = faults(file, &[("HONNIN_DATABASE_URL", "mysql://h/d")]).join("\n");
    for key in [
        "http.forwarding_header",
        "http.trusted_proxies",
        "master_key.source",
        "s3.endpoint",
        "worker.concurrency",
        "log.format",
        "log.level",
        "database.url",
    ] {
        assert_eq!(found.matches(key).count(), 1, "{key}: {found}");
    }
    assert!(!found.contains("keys_url"), "{found}");
}

#[test]
fn a_filter_of_the_log_names_levels() {
    for level in [
        "info",
        "WARN",
        "off",
        "info,service=debug",
        "info,service",
        "server::edge=trace",
        "[request]",
        "3",
    ] {
        let config = config(&format!("[log]\nlevel = \"{level}\""), &[]);
        assert_eq!(config.log.level, level);
    }
    for word in ["warning", "verbose", "server,service", "warning,", "inf"] {
        let found = faults(&format!("[log]\nlevel = \"{word}\""), &[]);
        assert!(
            matches!(&found[..], [fault] if fault.starts_with("log.level")),
            "{word}: {found:?}"
        );
    }
}

#[test]
fn postgres_needs_a_second_address_for_the_keys() {
    let wanted = "database.keys_url (default): must be set if database.url is a PostgreSQL address";
    assert_eq!(faults("[database]\nurl = \"postgres://u@h/d\"", &[]), [wanted]);
    let same = "[database]\nurl = \"postgres://u@h/d\"\nkeys_url = \"postgres://u@h/d\"";
    assert_eq!(
        faults(same, &[]),
        ["database.keys_url (from my.toml): must differ from database.url"]
    );
}

#[test]
fn metrics_have_an_address_of_their_own_or_none() {
    let of = |toml: &str| config(toml, &[]).metrics_listen;
    assert_eq!(of(""), None);
    assert_eq!(
        of("metrics_listen = \"[::1]:9464\""),
        Some("[::1]:9464".parse().unwrap())
    );
    assert_eq!(
        faults("metrics_listen = \"9464\"", &[]),
        ["metrics_listen (from my.toml): must be an address and a port, such as 127.0.0.1:9464"]
    );
    assert_eq!(
        faults("metrics_listen = \"127.0.0.1:3000\"", &[]),
        ["metrics_listen (from my.toml): must differ from listen, because /metrics has no authentication"]
    );
}

#[test]
fn passwords_are_not_shown() {
    let mut layers = Layers::defaults();
    layers.add_file("my.toml", "[database]\nurl = \"postgres://u:sesame@h/d\"");
    let shown: Vec<_> = layers.shown().map(|(key, value, _)| format!("{key}={value}")).collect();
    assert!(
        shown.iter().any(|line| line == "database.url=\"postgres://u:***@h/d\""),
        "{shown:?}"
    );
    assert!(!shown.concat().contains("sesame"));
}

/// How `check-config` shows a setting.
fn shown(file: &str, key: &str) -> String {
    let mut layers = Layers::defaults();
    layers.add_file("my.toml", file);
    let mut all = layers.shown();
    all.find(|(name, ..)| *name == key).unwrap().1
}

#[test]
fn the_password_of_a_database_is_shown_wherever_it_is_in_the_address_as_stars() {
    for (given, wanted) in [
        (
            "postgres://u@h/d?sslmode=require&password=sesame",
            "postgres://u@h/d?sslmode=require&password=***",
        ),
        ("postgres://u:ses%2Fame@h/d", "postgres://u:***@h/d"),
        (
            "postgres://u@h/d?host=/run/postgresql",
            "postgres://u@h/d?host=/run/postgresql",
        ),
        ("postgres://u:ses@me@h/d", "postgres://u:***@h/d"),
        ("postgres://u:ses/ame@h/d", "***"),
        ("postgres://u:5/sesame@h/d", "***"),
        ("postgres://u:5?sesame@h/d", "***"),
        ("postgres://u:5#sesame@h/d", "***"),
        ("postgres:u:sesame@h/d", "***"),
        ("sqlite://my data/honnin.db", "sqlite://my data/honnin.db"),
    ] {
        for key in ["url", "keys_url"] {
            let file = format!("[database]\n{key} = \"{given}\"");
            let told = shown(&file, &format!("database.{key}"));
            assert_eq!(told, format!("\"{wanted}\""), "{given}");
        }
    }
}

#[test]
fn what_may_be_secret_in_the_source_of_the_master_key_is_not_shown() {
    for (setting, given, wanted) in [
        (
            "url",
            r#""https://me:sesame@kms.example/honnin?sesame""#,
            r#""https://kms.example/honnin?***""#,
        ),
        (
            "url",
            r#""https://kms.example/honnin""#,
            r#""https://kms.example/honnin""#,
        ),
        ("url", r#""sesame""#, r#""***""#),
        ("url", r#""""#, r#""""#),
        (
            "command",
            r#"["kms", "--password", "sesame"]"#,
            r#"["kms", "***", "***"]"#,
        ),
        ("command", "[]", "[]"),
    ] {
        let file = format!("[master_key]\n{setting} = {given}");
        assert_eq!(shown(&file, &format!("master_key.{setting}")), wanted, "{given}");
    }
}

#[test]
fn variables_that_are_not_utf_8_are_ignored_unless_they_are_settings() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt as _};
    let broken = || OsString::from_vec(vec![b'a', 0xff]);
    let mut layers = Layers::defaults();
    let variables = [
        (OsString::from("LS_COLORS"), broken()),
        (broken(), OsString::from("x")),
        (OsString::from("HONNIN_TEST_FOLDER"), broken()),
        (OsString::from("CREDENTIALS_DIRECTORY"), broken()),
    ];
    layers.add_environment(variables.into_iter());
    assert!(layers.faults().is_empty(), "{:?}", layers.faults());
    assert_eq!(layers.credentials().map(Path::as_os_str), Some(broken().as_os_str()));
    for name in ["HONNIN_LISTEN", "HONNIN_API_KEY"] {
        layers.add_environment([(name, broken())].into_iter());
        let fault = layers.faults().last().unwrap().to_string();
        assert_eq!(fault, format!("{name} (from {name}): must be UTF-8"));
    }
}

#[test]
fn the_variables_of_a_role_on_aws_reach_the_bucket_and_no_others_of_aws() {
    let role = |name: &str, value: &str| config("", &[(name, value)]).s3.role;
    for name in ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
        assert_eq!(role(name, "/x"), [(name.to_owned(), "/x".to_owned())]);
    }
    for (name, value) in [("AWS_ROLE_ARN", ""), ("AWS_ACCESS_KEY_ID", "AKIA"), ("AWS_BUCKET", "b")] {
        assert!(role(name, value).is_empty(), "{name}");
    }
}

#[test]
fn pictures_are_in_a_folder_or_in_a_bucket_whose_secret_is_not_shown() {
    let PictureStore::Folder(folder) = config("", &[]).pictures else {
        panic!("a bucket")
    };
    assert_eq!(folder, Path::new("data/pictures"));
    let file = "[s3]\nbucket = \"pictures\"\nendpoint = \"https://s3.example/\"\nprefix = \"/honnin/\"\naccess_key_id = \"AKIA\"";
    let secret = [("HONNIN_S3_SECRET_ACCESS_KEY", "sesame")];
    let found = config(file, &secret);
    let PictureStore::Bucket(bucket) = &found.pictures else {
        panic!("a folder")
    };
    assert_eq!((bucket.name.as_str(), bucket.prefix.as_str()), ("pictures", "honnin"));
    assert_eq!(found.s3.endpoint.as_deref(), Some("https://s3.example"));
    assert!(!format!("{:?}", found.s3).contains("sesame"));
    let mut layers = Layers::defaults();
    layers.add_file("my.toml", "[s3]\nsecret_access_key = \"sesame\"");
    assert!(!layers.shown().any(|(_, value, _)| value.contains("sesame")));
    assert_eq!(
        faults(file, &[]),
        ["s3.secret_access_key (default): must be set if s3.access_key_id is"]
    );
    assert_eq!(
        faults("[s3]\nbucket = \"b\"\nendpoint = \"s3.example\"", &[]),
        ["s3.endpoint (from my.toml): must be a URL such as https://s3.example.com"]
    );
}

#[test]
fn the_master_key_can_come_from_elsewhere() {
    let of = |toml: &str| config(toml, &[("CREDENTIALS_DIRECTORY", "/run/credentials/honnin.service")]).master_key;
    for (toml, shown, setting) in [
        ("", "data/master.key", "storage.master_key_file"),
        (
            "[master_key]\nsource = \"credential\"",
            "the credential honnin-master-key",
            "master_key.credential",
        ),
        (
            "[master_key]\nsource = \"command\"\ncommand = [\"kms\", \"--password=sesame\"]",
            "the command kms",
            "master_key.command",
        ),
        (
            "[master_key]\nsource = \"service\"\nurl = \"https://kms.example/honnin?sesame\"",
            "the key service https://kms.example/honnin",
            "master_key.url",
        ),
    ] {
        let key = of(toml);
        assert_eq!((key.to_string().as_str(), key.setting()), (shown, setting));
    }
    let MasterKey::Credential { folder, .. } = of("[master_key]\nsource = \"credential\"") else {
        panic!("another source")
    };
    assert_eq!(folder.as_deref(), Some(Path::new("/run/credentials/honnin.service")));
    for (toml, wanted) in [
        (
            "[master_key]\nsource = \"vault\"",
            "master_key.source (from my.toml): must be \"file\" or \"credential\" or \"command\" or \"service\"",
        ),
        (
            "[master_key]\nsource = \"command\"",
            "master_key.command (default): must be a program and its arguments if master_key.source is \"command\"",
        ),
        (
            "[master_key]\nsource = \"service\"\nurl = \"http://kms.example\"",
            "master_key.url (from my.toml): must be an https URL if master_key.source is \"service\"",
        ),
        (
            "[master_key]\nsource = \"credential\"\ncredential = \"/etc/key\"",
            "master_key.credential (from my.toml): must be the name of a credential, not a path",
        ),
    ] {
        assert_eq!(faults(toml, &[]), [wanted]);
    }
}

#[test]
fn retention_is_in_days_and_bounded() {
    let kept = config("[retention]\naudit_days = 3650", &[]).retention;
    assert_eq!((kept.audit, kept.deliveries), (Millis::days(3650), Millis::days(90)));
    assert_eq!(
        config("", &[]).retention,
        Retention::default(),
        "the documented defaults are the real ones"
    );
    assert_eq!(
        config("[retention]\nrequests_per_tenant = 0", &[])
            .retention
            .requests
            .most,
        0
    );
    assert_eq!(
        faults("[retention]\ndeliveries_days = 2", &[]),
        ["retention.deliveries_days (from my.toml): must be a whole number from 7 to 36500"]
    );
}

#[test]
fn an_openid_provider_is_an_https_url_of_one_organisation_and_its_secret_is_not_shown() {
    let file = |issuer: &str, more: &str| format!("[openid]\nissuer = \"{issuer}\"\nclient_id = \"honnin\"\n{more}");
    for good in [
        "https://login.bank.example/realms/staff",
        "https://accounts.google.com",
        "https://login.microsoftonline.com/0d2c7e35-6d1c-4c5f-9a55-3d8f6c9f1c11/v2.0",
        // For development and tests.
        "http://127.0.0.1:4000",
        "http://localhost:4000/",
    ] {
        let found = config(&file(good, ""), &[("HONNIN_OPENID_CLIENT_SECRET", "hush")]).openid;
        let provider = found.provider.unwrap();
        assert_eq!(provider.issuer, good);
        assert!(provider.client_secret.is_some() && found.local_sign_in && !provider.trusts_emails);
    }
    for bad in [
        "login.bank.example",
        "http://login.bank.example",
        "https://login.bank.example?x=1",
        "https://me@login.bank.example",
        "https://login.microsoftonline.com/common/v2.0",
        "https://login.microsoftonline.com/organizations/v2.0",
    ] {
        let told = faults(&file(bad, ""), &[]);
        assert!(
            told.iter().any(|fault| fault.starts_with("openid.issuer (")),
            "{bad}: {told:?}"
        );
    }
    for (more, key) in [
        ("client_id = \"\"", "openid.client_id"),
        ("scopes = [\"email\"]", "openid.scopes"),
        ("name = \"\"", "openid.name"),
    ] {
        let file = format!("[openid]\nissuer = \"https://a.example\"\n{more}\n");
        let told = faults(&file, &[]);
        assert!(told.iter().any(|fault| fault.starts_with(key)), "{more}: {told:?}");
    }
    let alone = faults("[openid]\nlocal_sign_in = false\n", &[]);
    assert_eq!(alone.len(), 1, "{alone:?}");
    assert!(alone[0].starts_with("openid.local_sign_in"), "{alone:?}");
    let mut layers = Layers::defaults();
    layers.add_file("my.toml", "[openid]\nclient_secret = \"hush\"\n");
    assert!(layers.shown().all(|(_, value, _)| !value.contains("hush")));
}
