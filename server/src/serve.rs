//! The life of a serving process: listen, work, stop in the right order.

use crate::{
    config::{Config, Tls},
    edge::{self, Certificate, TlsError},
    router::router,
    state::App,
};
use service::{
    Honnin, sweep,
    worker::{Lane, Worker},
};
use std::{io, net::SocketAddr, sync::Arc};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// Webhooks on their way at a time: they wait for others.
const DELIVERIES: usize = 128;
/// Deadlines and erasures at a time.
const HOUSEKEEPING: usize = 4;

/// Why the process cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// TLS.
    #[error("TLS: {0}")]
    Tls(#[from] TlsError),
    /// Signals.
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
}

/// A server that listens and does not serve yet.
pub struct Listening {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    /// Where it listens, with the real port.
    pub address: SocketAddr,
    /// SHA-256 of a self-signed certificate.
    pub fingerprint: Option<String>,
}

/// Opens the port, with TLS where it is configured.
///
/// # Errors
/// [`ListenError`].
pub async fn listen(config: &Config) -> Result<Listening, ListenError> {
    let certificate = match &config.tls {
        Tls::Off => None,
        Tls::Files(files) => Some(files.clone()),
        Tls::SelfSigned => {
            let host = config
                .base_url
                .host_str()
                .map(|host| host.trim_matches(['[', ']']).to_owned());
            let names: Vec<_> = host.into_iter().collect();
            Some(Certificate::self_signed(&config.tls_dir(), &names)?)
        }
    };
    let tls = certificate.as_ref().map(edge::acceptor).transpose()?;
    let fingerprint = match (&config.tls, &certificate) {
        (Tls::SelfSigned, Some(made)) => Some(made.fingerprint()?),
        _ => None,
    };
    let bind = |source| ListenError::Bind {
        address: config.listen,
        source,
    };
    let listener = TcpListener::bind(config.listen).await.map_err(bind)?;
    let address = listener.local_addr().map_err(bind)?;
    Ok(Listening {
        listener,
        tls,
        address,
        fingerprint,
    })
}

/// Serves until `app.stopping` is cancelled; then requests finish, then jobs, then the databases close.
pub async fn serve(app: App, listening: Listening) {
    let stop = app.stopping.clone();
    plan_sweep(&app.honnin).await;
    let workers = if app.config.worker.embedded {
        work(&app, &CancellationToken::new())
    } else {
        Workers::none()
    };
    let limits = app.config.limits;
    if !edge::serve(listening.listener, listening.tls, router(app.clone()), limits, stop).await {
        tracing::warn!("some requests were cut off");
    }
    workers.stop().await;
    close(&app).await;
}

/// Does background work alone until `app.stopping` is cancelled.
pub async fn work_only(app: App) {
    plan_sweep(&app.honnin).await;
    let workers = work(&app, &CancellationToken::new());
    app.stopping.cancelled().await;
    workers.stop().await;
    close(&app).await;
}

async fn close(app: &App) {
    if let Err(error) = app.honnin.close().await {
        tracing::warn!(%error, "closing");
    }
    tracing::info!("stopped");
}

/// Background work of this process.
struct Workers {
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

impl Workers {
    fn none() -> Self {
        Self {
            stop: CancellationToken::new(),
            tasks: Vec::new(),
        }
    }

    /// Claims nothing more and waits for what runs.
    async fn stop(self) {
        self.stop.cancel();
        for task in self.tasks {
            drop(task.await);
        }
    }
}

/// Plans the hourly sweep. A database that does not answer now is asked again at the next start: sweeping can wait.
async fn plan_sweep(honnin: &Honnin) {
    if let Err(error) = sweep::plan(honnin).await {
        tracing::warn!(%error, "the hourly sweep could not be planned");
    }
}

/// A worker for each lane. A ring of the database wakes one waiter only, so it is passed on to all of them.
fn work(app: &App, stop: &CancellationToken) -> Workers {
    let mut tasks = Vec::new();
    let mut bells = Vec::new();
    for lane in Lane::ALL {
        let slots = match lane {
            Lane::Decide => app.config.worker.concurrency,
            Lane::Deliver => DELIVERIES,
            Lane::Housekeeping => HOUSEKEEPING,
        };
        let bell = Arc::new(Notify::new());
        bells.push(Arc::clone(&bell));
        let (worker, stop) = (Worker::new(app.honnin.clone(), lane, slots), stop.clone());
        tasks.push(tokio::spawn(async move { worker.run(stop, &bell).await }));
    }
    let (changed, stopped) = (Arc::clone(app.honnin.db().jobs_changed()), stop.clone());
    tasks.push(tokio::spawn(async move {
        loop {
            tokio::select! {
                () = changed.notified() => bells.iter().for_each(|bell| bell.notify_one()),
                () = stopped.cancelled() => break,
            }
        }
    }));
    Workers {
        stop: stop.clone(),
        tasks,
    }
}

/// Cancels `stopping` at SIGTERM or ctrl-c; a second signal ends the process at once.
///
/// # Errors
/// When signals cannot be listened for.
pub fn stop_on_signal(stopping: CancellationToken) -> Result<(), ListenError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).map_err(ListenError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ListenError::Signals)?;
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if first {
                tracing::info!("stopping: what runs is finished first");
                stopping.cancel();
            } else {
                std::process::exit(130);
            }
        }
    });
    Ok(())
}
