//! The demonstration: a separate tenant, its key stored in the data folder, and links to try.

use super::{Failure, say};
use crate::{config::Tls, state::App};
use domain::{decision::Policy, scope::Scope, secret::Secret, session::Step, tenant::TenantSettings};
use serde::{Deserialize, Serialize};
use service::{
    access::{AccessError, Operator, Tenant, tenant_by_key},
    session::create::create_session,
    settings::create_tenant::{NewTenant, create_tenant},
};
use std::{fs, io::Write as _, net::IpAddr, path::Path};

/// The content of `demo.json`, readable by its owner only.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    tenant: String,
    api_key: String,
    webhook_secret: String,
}

/// Creates the tenant if there is none, and prints its key, a ready-made command and a new link.
pub(super) async fn announce(app: &App) -> Result<(), Failure> {
    let path = app.config.data_dir.join("demo.json");
    let kept: Option<Kept> = fs::read_to_string(&path)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok());
    let (key, tenant) = match known(app, kept).await? {
        Some(found) => found,
        None => make(app, &path).await?,
    };
    let created = create_session(&app.honnin, &tenant, b"{}").await?;
    let insecure = if matches!(app.config.tls, Tls::SelfSigned) {
        " -k"
    } else {
        ""
    };
    let url = app.config.base_url.join("v1/verification-sessions")?;
    say(format_args!(
        "API              {url} (described at {}docs)",
        app.config.base_url
    ))?;
    say(format_args!("Demo API key     {}", key.expose()))?;
    say(format_args!(
        "Create a session curl{insecure} -X POST {url} -H 'Authorization: Bearer {}'",
        key.expose()
    ))?;
    say(format_args!("Verification URL {}", created.verification_url.expose()))
}

/// The stored tenant, if its key is still valid.
async fn known(app: &App, kept: Option<Kept>) -> Result<Option<(Secret<String>, Tenant)>, Failure> {
    let Some(kept) = kept else { return Ok(None) };
    match tenant_by_key(&app.honnin, &kept.api_key, IpAddr::from([127, 0, 0, 1]), Scope::Create).await {
        Ok(tenant) => Ok(Some((Secret::new(kept.api_key), tenant))),
        Err(AccessError::Unauthorized) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

async fn make(app: &App, path: &Path) -> Result<(Secret<String>, Tenant), Failure> {
    let settings = TenantSettings {
        steps: Step::ALL.to_vec(),
        // A demonstration accepts specimens, since nobody should have to show a real document to try it.
        policy: Policy {
            accept_specimens: true,
            ..Policy::default()
        },
        ..TenantSettings::default()
    };
    let new = NewTenant {
        name: "Honnin Demo".to_owned(),
        settings,
        livemode: true,
    };
    let created = create_tenant(&app.honnin, &Operator::at_command_line(), new).await?;
    let kept = Kept {
        tenant: created.id.to_string(),
        api_key: created.key.expose().clone(),
        webhook_secret: created.webhook_secret.expose().clone(),
    };
    write_private(path, &serde_json::to_vec_pretty(&kept)?)?;
    let tenant = tenant_by_key(
        &app.honnin,
        created.key.expose(),
        IpAddr::from([127, 0, 0, 1]),
        Scope::Create,
    )
    .await?;
    Ok((created.key, tenant))
}

fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(content)
}
