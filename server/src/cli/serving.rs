//! `serve`, `demo`, `worker`, `migrate`.

use super::{Failure, Settings, block_on, demo, end, logging, read, say};
use crate::{
    config::{Config, Tls},
    hold,
    open::{Purpose, open, open_demo, open_without_models},
    serve::{self, listen, read_again_on_hangup, stop_on_signal},
    service_manager, site,
    state::App,
};
use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use service::people::set_up::set_up_link;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

#[derive(Args)]
pub(super) struct ServeArgs {
    /// Create a demo tenant on first start and print links to try.
    #[arg(long)]
    demo: bool,
    #[command(flatten)]
    work: WorkerArgs,
}

#[derive(Args, Default)]
pub(super) struct WorkerArgs {
    /// Hold all webhooks until the next start without this option. Use it after restoring a backup.
    #[arg(long)]
    hold_deliveries: bool,
    /// Resume webhooks and the export of the audit log, which are held because this installation was restored from a backup.
    #[arg(long, conflicts_with = "hold_deliveries")]
    send_deliveries: bool,
}

impl WorkerArgs {
    fn load(&self, settings: &Settings) -> Result<Arc<Config>, Failure> {
        let mut layers = settings.layers()?;
        if self.hold_deliveries {
            layers.set("webhooks.hold", true);
        }
        read(&layers)
    }

    /// Ends the hold of a restored installation, if that is wanted.
    async fn release(&self, app: App) -> Result<App, Failure> {
        if !self.send_deliveries {
            return Ok(app);
        }
        hold::end(&app.honnin).await?;
        Ok(App { restored: false, ..app })
    }
}

#[derive(Args)]
pub(super) struct DemoArgs {
    /// `self-signed` also serves the local network, so that a phone can open the link.
    #[arg(long, value_name = "MODE")]
    tls: Option<String>,
    /// Pages reload by themselves after the next start; `make dev` sets it.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true)]
    reload: bool,
}

/// How a server is run.
#[derive(Default)]
struct Mode {
    demo: bool,
    #[cfg(debug_assertions)]
    reload: bool,
}

pub(super) fn serve(settings: &Settings, arguments: &ServeArgs) -> Result<(), Failure> {
    let mode = Mode {
        demo: arguments.demo,
        ..Mode::default()
    };
    run(arguments.work.load(settings)?, mode, &arguments.work)
}

pub(super) fn demo(settings: &Settings, arguments: &DemoArgs) -> Result<(), Failure> {
    let mut layers = settings.layers()?;
    if let Some(mode) = &arguments.tls {
        layers.set("tls.mode", mode.as_str());
        // The phone cannot reach this machine's loopback address.
        if layers
            .get("listen")
            .is_some_and(|(_, origin)| *origin == crate::config::Origin::Default)
        {
            layers.set("listen", "0.0.0.0:3443");
        }
    }
    let mode = Mode {
        demo: true,
        #[cfg(debug_assertions)]
        reload: arguments.reload,
    };
    run(read(&layers)?, mode, &WorkerArgs::default())
}

fn run(config: Arc<Config>, mode: Mode, work: &WorkerArgs) -> Result<(), Failure> {
    logging::start(&config.log);
    raise_descriptor_limit();
    block_on(async move {
        let opening = async {
            let app = if mode.demo {
                open_demo(Arc::clone(&config)).await?
            } else {
                open(Arc::clone(&config), Purpose::Serve).await?
            };
            work.release(app).await
        };
        let Some(app) = open_unless_stopped(opening).await? else {
            return Ok(());
        };
        #[cfg(debug_assertions)]
        let app = App {
            reload: mode.reload,
            ..app
        };
        let mut listening = listen(&config)?;
        let callback = mode.demo.then(|| demo::callback_url(&config, &mut listening)).flatten();
        read_again_on_hangup(listening.certificate(), app.clone())?;
        tracing::info!(address = %listening.address, "listening");
        if !site::is_built(&config.site_dir) {
            tracing::warn!("the browser assets are not built: capture pages offer only file upload");
        }
        let announced = async {
            announce(&app, listening.fingerprint.as_deref())?;
            if mode.demo {
                demo::announce(&app, callback.as_ref()).await
            } else {
                announce_console(&app).await
            }
        };
        match announced.await {
            // It serves all the same: the disk that its output goes to may be full.
            Err(error) if !mode.demo => tracing::warn!(%error, "cannot print where the console is"),
            other => other?,
        }
        service_manager::notify(app.stopping.clone());
        Ok(serve::serve(app, listening).await?)
    })
}

/// What `opening` opens, which a signal stops from now on; `None` if one came before it was open. That may take long, as when another process
/// migrates. The first process of a container is not ended by a signal that nobody listens for: it would start although it was told to stop.
async fn open_unless_stopped(opening: impl Future<Output = Result<App, Failure>>) -> Result<Option<App>, Failure> {
    let stopping = CancellationToken::new();
    stop_on_signal(stopping.clone())?;
    let Some(opened) = stopping.run_until_cancelled(opening).await else {
        return Ok(None);
    };
    Ok(Some(App { stopping, ..opened? }))
}

/// Prints what a person needs after starting the server.
fn announce(app: &App, fingerprint: Option<&str>) -> Result<(), Failure> {
    say(format_args!("Honnin           {}", app.config.base_url))?;
    if let Some(fingerprint) = fingerprint {
        say(format_args!("Certificate      self-signed, SHA-256 {fingerprint}"))?;
    }
    Ok(())
}

/// Prints where the console is, or how its first account is created.
async fn announce_console(app: &App) -> Result<(), Failure> {
    let link = set_up_link(&app.honnin).await.unwrap_or_else(|error| {
        // A full disk, for example: like a node on which it is full only later, this one serves what it can and says that it is not ready.
        tracing::warn!(%error, "cannot make the link that creates the first account; start again once the database can be written");
        None
    });
    match link {
        Some(link) => say(format_args!(
            "Console          {} (one-time link to create the first account)",
            link.expose()
        )),
        None => say(format_args!("Console          {}admin", app.config.base_url)),
    }
}

pub(super) fn worker(settings: &Settings, arguments: &WorkerArgs) -> Result<(), Failure> {
    let config = arguments.load(settings)?;
    logging::start(&config.log);
    block_on(async move {
        let opening = async { arguments.release(open(config, Purpose::Work).await?).await };
        let Some(app) = open_unless_stopped(opening).await? else {
            return Ok(());
        };
        read_again_on_hangup(None, app.clone())?;
        Ok(serve::work_only(app).await?)
    })
}

pub(super) fn migrate(settings: &Settings) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_without_models(config).await?;
        end(&app.honnin, say("the databases are up to date")).await
    })
}

/// Each connection needs a file descriptor; the usual soft limit of 1024 is for programs that use `select`.
fn raise_descriptor_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current < maximum
        && let Err(error) = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: maximum,
                maximum,
            },
        )
    {
        tracing::warn!(%error, ?current, "cannot raise the limit of open files");
    }
}

impl Config {
    /// Whether to send HSTS: not with a certificate that is only for evaluation.
    #[must_use]
    pub fn sends_hsts(&self) -> bool {
        self.base_url.scheme() == "https" && !matches!(self.tls, Tls::SelfSigned)
    }
}
