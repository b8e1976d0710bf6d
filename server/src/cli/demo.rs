//! The demonstration: a live tenant and a sandbox tenant, their keys stored in the data folder, and links to try.

use super::{Failure, say};
use crate::{
    config::{Config, Tls},
    edge::SELF_SIGNED,
    serve::Listening,
    state::App,
};
use app::demo::{CALLBACK_PATH, INBOX_PATH, INBOX_URL};
use domain::{
    decision::Policy,
    ids::TenantId,
    role::Role,
    scope::Scope,
    secret::Secret,
    session::Step,
    tenant::{Mode, TenantSettings},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use service::{
    access::{AccessError, CommandLine, Operator, Tenant, tenant_by_key},
    people::{
        NewPerson,
        invite::{InviteError, Offer, invite_from_here},
    },
    session::create::create_session,
    settings::{
        callbacks::allow_callback_from_here,
        create_tenant::{NewTenant, create_tenant},
    },
};
use std::{
    fs,
    io::Write as _,
    net::IpAddr,
    path::{Path, absolute},
};
use url::Url;

const FILE: &str = "demo.json";
/// The port of the callback page if the demonstration has no TLS. With TLS, the demonstration itself listens on it.
const CALLBACK_PORT: u16 = 3443;

/// The content of `demo.json`, readable by its owner only.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// Where it was last started; `None` if an earlier version did.
    #[serde(default)]
    pub(super) url: Option<Url>,
    pub(super) live: KeptTenant,
    pub(super) sandbox: KeptTenant,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeptTenant {
    tenant: String,
    pub(super) api_key: String,
    webhook_secret: String,
}

impl Kept {
    /// The demonstration of a data folder.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(folder.join(FILE)).ok()?).ok()
    }

    fn write(&self, folder: &Path) -> Result<(), Failure> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(folder.join(FILE))?;
        Ok(file.write_all(&serde_json::to_vec_pretty(self)?)?)
    }
}

/// The URL of the callback page; none if its port is in use. A callback URL must be `https`, so without TLS there is a port for it.
pub(super) fn callback_url(config: &Config, listening: &mut Listening) -> Option<Url> {
    if config.base_url.scheme() == "https" {
        return config.base_url.join(CALLBACK_PATH).ok();
    }
    match listening.add_https(config, CALLBACK_PORT) {
        Ok(port) => Url::parse(&format!("https://localhost:{port}{CALLBACK_PATH}")).ok(),
        Err(error) => {
            tracing::warn!(%error, "this demonstration has no callback page");
            None
        }
    }
}

/// Creates the tenants if there are none, and prints their keys and secrets, commands to copy and a new link.
pub(super) async fn announce(app: &App, callback: Option<&Url>) -> Result<(), Failure> {
    let folder = &app.config.data_dir;
    let mut kept = match known(app, Kept::read(folder)).await? {
        Some(kept) => kept,
        None => make(app, folder).await?,
    };
    let url = Some(app.config.base_url.clone());
    if kept.url != url {
        kept.url = url;
        kept.write(folder)?;
    }
    if let Some(inbox) = &app.inbox {
        inbox.trust("live", &kept.live.webhook_secret);
        inbox.trust("sandbox", &kept.sandbox.webhook_secret);
    }
    if let Some(callback) = callback {
        for tenant in [&kept.live.tenant, &kept.sandbox.tenant] {
            allow(app, tenant, callback).await?;
        }
    }
    // Only now, with the callback page on its allow-list.
    let link = first_link(app, &kept.live.api_key, callback).await;
    print_access(app, &kept, callback).await?;
    match link {
        Ok(link) => say(format_args!("Verification URL {}", link.expose())),
        // Somebody has tried out settings: an allow-list without this machine, for example. They change them back in the console.
        Err(error) => say(format_args!("Verification URL none, because {error}")),
    }
}

/// A link to try.
async fn first_link(app: &App, key: &str, callback: Option<&Url>) -> Result<Secret<String>, Failure> {
    let live = tenant(app, key).await?;
    let created = create_session(&app.honnin, &live, &first_session(app, callback)).await?;
    Ok(created.verification_url)
}

/// Prints the addresses, the keys and secrets of the tenants, commands to copy, and the ways into their consoles.
async fn print_access(app: &App, kept: &Kept, callback: Option<&Url>) -> Result<(), Failure> {
    let insecure = if matches!(app.config.tls, Tls::SelfSigned) {
        " -k"
    } else {
        ""
    };
    let url = app.config.base_url.join("v1/verification-sessions")?;
    let base = &app.config.base_url;
    let Kept { live, sandbox, .. } = kept;
    say(format_args!("API              {url} (described at {base}docs)"))?;
    say(format_args!(
        "Live tenant      {} webhook secret {}",
        live.api_key, live.webhook_secret
    ))?;
    say(format_args!(
        "Sandbox tenant   {} webhook secret {}",
        sandbox.api_key, sandbox.webhook_secret
    ))?;
    say(format_args!(
        "Webhook inbox    {} (open it on this machine)",
        inbox_page(app)?
    ))?;
    if let Some(callback) = callback {
        let once = if app.config.base_url.scheme() == "https" {
            ""
        } else {
            "; the browser warns once of its certificate"
        };
        say(format_args!("Callback page    {callback} (a callbackUrl to try{once})"))?;
    }
    say(format_args!(
        "Create a session curl{insecure} -X POST {url} -H 'Authorization: Bearer {}'",
        sandbox.api_key
    ))?;
    say(format_args!(
        "Complete it      curl{insecure} -X POST {base}v1/sandbox/verification-sessions/ID/complete -d '{{\"outcome\":\"approved\"}}' \
         -H 'Authorization: Bearer {}'",
        sandbox.api_key
    ))?;
    say(format_args!(
        "Your receiver    {}",
        listen_command(app, &sandbox.api_key)?
    ))?;
    for console in [Console::live(live), Console::sandbox(sandbox)] {
        say(console.line(app).await?)?;
    }
    Ok(())
}

/// The body of the first session. The browser of whoever opens its link has accepted the certificate already, if it returns by HTTPS.
fn first_session(app: &App, callback: Option<&Url>) -> Vec<u8> {
    let back = callback.filter(|_| app.config.base_url.scheme() == "https");
    let body = back.map_or_else(
        || json!({}),
        |url| json!({"callbackUrl": url.as_str(), "state": "demo"}),
    );
    body.to_string().into_bytes()
}

/// Adds the callback page to a tenant's allow-list.
async fn allow(app: &App, tenant: &str, callback: &Url) -> Result<(), Failure> {
    if let Some(tenant) = TenantId::parse(tenant) {
        allow_callback_from_here(&app.honnin, CommandLine::here(), tenant, callback.as_str()).await?;
    }
    Ok(())
}

/// Runs from any folder, with this program wherever it is.
fn listen_command(app: &App, key: &str) -> Result<String, Failure> {
    let program = std::env::current_exe().map_or_else(|_| "honnin".to_owned(), |path| path.display().to_string());
    let trust = match app.config.tls {
        Tls::SelfSigned => format!(
            " --trust {}",
            absolute(app.config.tls_dir().join(SELF_SIGNED))?.display()
        ),
        _ => String::new(),
    };
    let url = app.config.base_url.as_str().trim_end_matches('/');
    Ok(format!(
        "HONNIN_API_KEY={key} {program} listen --url {url}{trust} --forward-to http://localhost:8080/hooks"
    ))
}

/// The console of a tenant, and its first account. An account works in one tenant, so each tenant has its own; they are invited independently of
/// each other, whereas the set-up link of an installation is closed by its first account.
struct Console<'a> {
    name: &'static str,
    tenant: &'a str,
    operator: bool,
    person: NewPerson,
    becomes: &'static str,
}

impl<'a> Console<'a> {
    fn live(kept: &'a KeptTenant) -> Self {
        Self {
            name: "Console",
            tenant: &kept.tenant,
            operator: true,
            person: NewPerson {
                email: "live@demo.example".to_owned(),
                name: "Live admin".to_owned(),
            },
            becomes: "the live tenant's admin, who is also the operator",
        }
    }

    fn sandbox(kept: &'a KeptTenant) -> Self {
        Self {
            name: "Sandbox console",
            tenant: &kept.tenant,
            operator: false,
            person: NewPerson {
                email: "sandbox@demo.example".to_owned(),
                name: "Sandbox admin".to_owned(),
            },
            becomes: "the sandbox tenant's admin",
        }
    }

    /// How to come in: by a new link, or by signing in once it was used.
    async fn line(self, app: &App) -> Result<String, Failure> {
        let Self {
            name,
            tenant,
            operator,
            person,
            becomes,
        } = self;
        let email = person.email.clone();
        let way_in = match invitation(app, tenant, operator, person).await? {
            Some(link) => format!("{} (one-time link to create {becomes})", link.expose()),
            None => format!("{}admin (sign in as {email})", app.config.base_url),
        };
        Ok(format!("{name:<16} {way_in}"))
    }
}

/// A link for an account, unless there is one.
async fn invitation(
    app: &App,
    tenant: &str,
    operator: bool,
    person: NewPerson,
) -> Result<Option<Secret<String>>, Failure> {
    let Some(tenant) = TenantId::parse(tenant) else {
        return Ok(None);
    };
    let offer = Offer {
        operator,
        ..Offer::of(tenant, Role::Admin)
    };
    match invite_from_here(&app.honnin, CommandLine::here(), offer, person).await {
        Ok(invited) => Ok(Some(invited.link)),
        // It was used.
        Err(InviteError::Bad(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The inbox is shown to this machine only, which may know itself by another name than the local network does.
fn inbox_page(app: &App) -> Result<Url, Failure> {
    let mut page = app.config.base_url.join(INBOX_PATH)?;
    page.set_host(Some("localhost"))?;
    Ok(page)
}

async fn tenant(app: &App, key: &str) -> Result<Tenant, AccessError> {
    tenant_by_key(&app.honnin, key, IpAddr::from([127, 0, 0, 1]), Scope::Create).await
}

/// The stored tenants, if their keys are still valid.
async fn known(app: &App, kept: Option<Kept>) -> Result<Option<Kept>, Failure> {
    let Some(kept) = kept else { return Ok(None) };
    let found = async {
        tenant(app, &kept.sandbox.api_key).await?;
        tenant(app, &kept.live.api_key).await
    };
    match found.await {
        // An allow-list without this machine says nothing about the keys.
        Ok(_) | Err(AccessError::IpNotAllowed) => Ok(Some(kept)),
        Err(AccessError::Unauthorized) => Ok(None),
        Err(AccessError::Store(error)) => Err(error.into()),
    }
}

async fn make(app: &App, folder: &Path) -> Result<Kept, Failure> {
    let kept = Kept {
        url: Some(app.config.base_url.clone()),
        live: make_tenant(app, "Honnin Demo", Mode::Live).await?,
        sandbox: make_tenant(app, "Honnin Demo (sandbox)", Mode::Sandbox).await?,
    };
    kept.write(folder)?;
    Ok(kept)
}

async fn make_tenant(app: &App, name: &str, mode: Mode) -> Result<KeptTenant, Failure> {
    let settings = TenantSettings {
        steps: Step::ALL.to_vec(),
        webhook_url: Some(INBOX_URL.to_owned()),
        callback_urls: vec!["https://shop.example/verified".to_owned()],
        // A demonstration accepts specimens, since nobody should have to show a real document to try it.
        policy: Policy {
            accept_specimens: true,
            ..Policy::default()
        },
        ..TenantSettings::default()
    };
    let new = NewTenant {
        name: name.to_owned(),
        settings,
        mode,
    };
    let created = create_tenant(&app.honnin, &Operator::at_command_line(), new).await?;
    Ok(KeptTenant {
        tenant: created.id.to_string(),
        api_key: created.key.expose().clone(),
        webhook_secret: created.webhook_secret.expose().clone(),
    })
}
