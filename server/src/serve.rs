//! The life of a serving process: listen, work, stop in the right order.

use crate::{
    audit_export,
    config::{Config, Tls},
    edge::{self, Certificate, Limits, LiveCertificate, TlsError},
    metrics_endpoint,
    router::{largest_body, router},
    service_manager,
    state::App,
};
use futures::FutureExt as _;
use service::{
    Honnin,
    audit_export::{self as export, Sink, SinkError},
    jobs::{
        sweep,
        worker::{Lane, Worker},
    },
    privacy::secret_age,
    request_log,
    runtime::master_key,
};
use std::{
    io::{self, IsTerminal as _},
    net::{Ipv4Addr, SocketAddr},
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::Notify,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// Connections that may wait to be accepted. Linux limits it to `net.core.somaxconn`, of which this is the default; a client
/// beyond that is dropped and retries after one, three and seven seconds.
const BACKLOG: u32 = 4096;
/// Concurrent webhook deliveries, which mostly wait for receivers.
const DELIVERIES: usize = 128;
/// Concurrent housekeeping jobs, such as deadlines and erasures.
const HOUSEKEEPING: usize = 4;

/// Why the process cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}{advice}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
        /// Which setting chooses the address, if there is one.
        advice: &'static str,
    },
    /// TLS.
    #[error("TLS: {0}")]
    Tls(#[from] TlsError),
    /// The receiver of the audit log.
    #[error("audit.ca_file: {0}")]
    AuditExport(SinkError),
    /// Signals.
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
}

/// Why the process ends without having been stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A task has ended that must run as long as the process; the log has the details.
    #[error("stopped because a background task ended")]
    TaskEnded,
}

/// A server that listens but does not serve yet.
pub struct Listening {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    certificate: Option<Arc<LiveCertificate>>,
    metrics: Option<TcpListener>,
    audit: Option<Box<dyn Sink>>,
    callbacks: Option<(TcpListener, TlsAcceptor)>,
    /// Where it listens, with the actual port.
    pub address: SocketAddr,
    /// SHA-256 of a self-signed certificate.
    pub fingerprint: Option<String>,
}

/// Opens the port, with TLS if configured. Must be called within a tokio runtime.
///
/// # Errors
/// [`ListenError`].
pub fn listen(config: &Config) -> Result<Listening, ListenError> {
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
    let fingerprint = match (&config.tls, &certificate) {
        (Tls::SelfSigned, Some(made)) => Some(made.fingerprint()?),
        _ => None,
    };
    let certificate = certificate.map(LiveCertificate::read).transpose()?;
    let tls = certificate.as_ref().map(LiveCertificate::acceptor).transpose()?;
    let (listener, address) = bind(config.listen, ". HONNIN_LISTEN sets another address")?;
    Ok(Listening {
        listener,
        tls,
        certificate,
        metrics: listen_for_metrics(config)?,
        audit: audit_receiver(config)?,
        callbacks: None,
        address,
        fingerprint,
    })
}

fn bind(wanted: SocketAddr, advice: &'static str) -> Result<(TcpListener, SocketAddr), ListenError> {
    let fault = |source| ListenError::Bind {
        address: wanted,
        source,
        advice,
    };
    let socket = match wanted {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let socket = socket.map_err(fault)?;
    // A restarted node can bind its port again immediately.
    socket.set_reuseaddr(true).map_err(fault)?;
    socket.bind(wanted).map_err(fault)?;
    let listener = socket.listen(BACKLOG).map_err(fault)?;
    let address = listener.local_addr().map_err(fault)?;
    Ok((listener, address))
}

/// Opens the port for `/metrics`, if configured.
fn listen_for_metrics(config: &Config) -> Result<Option<TcpListener>, ListenError> {
    let Some(wanted) = config.metrics_listen else {
        return Ok(None);
    };
    let (listener, address) = bind(wanted, ". HONNIN_METRICS_LISTEN sets another address")?;
    tracing::info!(%address, "serving /metrics");
    Ok(Some(listener))
}

/// The receiver of the audit log, if configured.
fn audit_receiver(config: &Config) -> Result<Option<Box<dyn Sink>>, ListenError> {
    let Some(export) = &config.audit.export else {
        return Ok(None);
    };
    let host = config.base_url.host_str().unwrap_or("-");
    let sink = audit_export::sink(export, config.audit.ca_file.as_deref(), host);
    sink.map(Some).map_err(ListenError::AuditExport)
}

impl Listening {
    /// The address of `/metrics`, with the actual port.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.local_addr().ok()
    }

    /// The certificate that it serves, if it does.
    #[must_use]
    pub fn certificate(&self) -> Option<Arc<LiveCertificate>> {
        self.certificate.clone()
    }

    /// Serves this machine over HTTPS too, with a self-signed certificate: a demonstration without TLS needs it, because a callback URL
    /// must be `https`. Returns the port.
    ///
    /// # Errors
    /// [`ListenError`], for example because another program uses the port.
    pub fn add_https(&mut self, config: &Config, wanted: u16) -> Result<u16, ListenError> {
        let tls = LiveCertificate::read(Certificate::self_signed(&config.tls_dir(), &[])?)?.acceptor()?;
        let (listener, address) = bind(SocketAddr::from((Ipv4Addr::LOCALHOST, wanted)), "")?;
        self.callbacks = Some((listener, tls));
        Ok(address.port())
    }
}

/// Serves until `app.stopping` is cancelled; then requests finish, then jobs, then the databases are closed.
///
/// # Errors
/// [`ServeError::TaskEnded`].
pub async fn serve(app: App, listening: Listening) -> Result<(), ServeError> {
    let stop = app.stopping.clone();
    let vital = Vital::new(&app.stopping);
    if let Some(certificate) = &listening.certificate {
        note_expiry(&app, certificate);
    }
    plan_sweep(&app.honnin).await;
    // Comparing with the stored hashes takes longer than the rest of the start.
    tokio::spawn(note_secrets(app.honnin.clone()));
    let workers = if app.config.worker.embedded {
        work(&app, &vital)
    } else {
        Workers::default()
    };
    let metrics_server = MetricsServer::start(&app, listening.metrics);
    let log = Writer::start(&vital, "request log", |stop| request_log::run(app.honnin.clone(), stop));
    let audit = export_audit(&app, &vital, listening.audit);
    let proxies = Arc::new(app.config.proxies.clone());
    let router = router(app.clone());
    let serve_on = |listener, tls| {
        let limits = Limits {
            announced: largest_body,
            ..app.config.limits
        };
        let served = edge::Served {
            router: router.clone(),
            tls,
            limits,
            proxies: Arc::clone(&proxies),
            open: app.metrics.connections.clone(),
        };
        // Within a worker of the runtime, so that a new connection joins the worker's queue. What is spawned from another thread goes to a
        // common queue, at which busy workers seldom look.
        let serving = edge::serve(listener, served, stop.clone());
        AbortOnDropHandle::new(tokio::spawn(vital.clone().watch("connections", stop.clone(), serving)))
    };
    let callbacks = async {
        match listening.callbacks {
            Some((listener, tls)) => serve_on(listener, Some(tls)).await,
            None => Ok(Some(true)),
        }
    };
    let served = tokio::join!(serve_on(listening.listener, listening.tls), callbacks);
    if !matches!(served, (Ok(Some(true)), Ok(Some(true)))) {
        tracing::warn!("some requests were cut off");
    }
    log.finish().await;
    close(&app, workers, audit, metrics_server).await;
    vital.outcome()
}

/// Runs only background jobs until `app.stopping` is cancelled.
///
/// # Errors
/// [`ServeError`]: the port for `/metrics` cannot be opened, or a task has ended.
pub async fn work_only(app: App) -> Result<(), ServeError> {
    let vital = Vital::new(&app.stopping);
    let port = listen_for_metrics(&app.config)?;
    let sink = audit_receiver(&app.config)?;
    // A process is ready only once it has everything it needs.
    tracing::info!("working");
    service_manager::notify(app.stopping.clone());
    let metrics_server = MetricsServer::start(&app, port);
    plan_sweep(&app.honnin).await;
    // Comparing with the stored hashes takes longer than the rest of the start.
    tokio::spawn(note_secrets(app.honnin.clone()));
    let workers = work(&app, &vital);
    let audit = export_audit(&app, &vital, sink);
    app.stopping.cancelled().await;
    close(&app, workers, audit, metrics_server).await;
    vital.outcome()
}

/// Starts the export of the audit log, if it has a receiver. A restored installation exports nothing as long as it is held: it may be a rehearsal,
/// and its entries have positions that the receiver already has for other entries, or will get for them and then treat as repeated ones.
fn export_audit(app: &App, vital: &Vital, receiver: Option<Box<dyn Sink>>) -> Option<Writer> {
    let receiver = receiver?;
    if app.restored {
        tracing::warn!(
            "the audit log is not exported since this installation was restored: nothing is handed over until a start with --send-deliveries"
        );
        return None;
    }
    let honnin = app.honnin.clone();
    Some(Writer::start(vital, "audit export", |stop| {
        export::run(honnin, receiver, stop)
    }))
}

/// The tasks that must run as long as the process. If one of them ends before it is stopped, nothing else does its work: the process stops, and
/// whoever supervises it starts it again.
#[derive(Clone)]
struct Vital {
    /// Stops the process.
    stopping: CancellationToken,
    has_failed: Arc<AtomicBool>,
}

impl Vital {
    fn new(stopping: &CancellationToken) -> Self {
        Self {
            stopping: stopping.clone(),
            has_failed: Arc::default(),
        }
    }

    /// Runs a task that ends when `stop` is cancelled.
    fn spawn(
        &self,
        name: &'static str,
        stop: &CancellationToken,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> JoinHandle<()> {
        let watched = self.clone().watch(name, stop.clone(), task);
        tokio::spawn(async move {
            watched.await;
        })
    }

    /// The same within the caller's task. Returns what `task` returned; `None` if it panicked.
    async fn watch<T>(self, name: &'static str, stop: CancellationToken, task: impl Future<Output = T>) -> Option<T> {
        let done = AssertUnwindSafe(task).catch_unwind().await.ok();
        if done.is_none() || !stop.is_cancelled() {
            tracing::error!(
                task = name,
                panicked = done.is_none(),
                "a background task has ended, so the process stops"
            );
            self.has_failed.store(true, Ordering::Relaxed);
            self.stopping.cancel();
        }
        done
    }

    fn outcome(&self) -> Result<(), ServeError> {
        if self.has_failed.load(Ordering::Relaxed) {
            Err(ServeError::TaskEnded)
        } else {
            Ok(())
        }
    }
}

/// A task that records what others did, until they are done.
struct Writer {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Writer {
    fn start<F: Future<Output = ()> + Send + 'static>(
        vital: &Vital,
        name: &'static str,
        run: impl FnOnce(CancellationToken) -> F,
    ) -> Self {
        let stop = CancellationToken::new();
        let task = vital.spawn(name, &stop, run(stop.clone()));
        Self { stop, task }
    }

    /// Lets it write the rest.
    async fn finish(self) {
        self.stop.cancel();
        until_done(self.task).await;
    }
}

/// The port for `/metrics`, if configured. Served until requests and jobs are done.
struct MetricsServer {
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl MetricsServer {
    fn start(app: &App, port: Option<TcpListener>) -> Self {
        let stop = CancellationToken::new();
        let task = port.map(|port| tokio::spawn(metrics_endpoint::serve(app.clone(), port, stop.clone())));
        Self { stop, task }
    }

    async fn finish(self) {
        self.stop.cancel();
        if let Some(task) = self.task {
            until_done(task).await;
        }
    }
}

/// Waits for a task. One that has panicked is no longer running.
async fn until_done(task: JoinHandle<()>) {
    if let Err(error) = task.await {
        tracing::error!(%error, "a background task ended before it was stopped");
    }
}

/// Ends the background tasks, and then closes the databases.
async fn close(app: &App, workers: Workers, audit: Option<Writer>, metrics_server: MetricsServer) {
    workers.stop().await;
    if let Some(audit) = audit {
        audit.finish().await;
    }
    metrics_server.finish().await;
    if let Err(error) = app.honnin.close().await {
        tracing::warn!(%error, "closing");
    }
    tracing::info!("stopped");
}

/// The background workers of this process; by default none.
#[derive(Default)]
struct Workers {
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Claims no more jobs and waits for the running ones.
    async fn stop(self) {
        self.stop.cancel();
        for task in self.tasks {
            until_done(task).await;
        }
    }
}

/// Schedules the hourly sweep. If the database does not respond now, the next start tries again: the sweep can wait.
async fn plan_sweep(honnin: &Honnin) {
    if let Err(error) = sweep::plan(honnin).await {
        tracing::warn!(%error, "cannot schedule the hourly sweep");
    }
}

/// Shows in the metrics when the certificate is valid, and warns if it expires soon.
fn note_expiry(app: &App, certificate: &LiveCertificate) {
    let validity = certificate.validity();
    app.metrics
        .note_certificate(validity.map(|validity| validity.not_before..=validity.not_after));
    if let Some(warning) = validity.and_then(|validity| validity.warning(app.honnin.now())) {
        tracing::warn!("{warning}: renew it, and send SIGHUP");
    }
}

/// Notes since when the secrets have been in use, and says which versions of the master key are missing.
async fn note_secrets(honnin: Honnin) {
    if let Err(error) = master_key::warn_of_missing(&honnin).await {
        tracing::warn!(%error, "cannot tell whether a version of the master key is missing");
    }
    if let Err(error) = secret_age::note(&honnin).await {
        tracing::warn!(%error, "cannot note which secrets are new");
    }
}

/// A worker for each lane. A notification of the database wakes only one waiter, so it is passed on to all of them.
fn work(app: &App, vital: &Vital) -> Workers {
    let Workers { stop, mut tasks } = Workers::default();
    let mut bells = Vec::new();
    let held = app.config.webhooks.hold || app.restored;
    if app.restored {
        tracing::warn!(
            "webhooks are on hold since this installation was restored: none are sent until a start with --send-deliveries"
        );
    } else if held {
        tracing::warn!("webhooks are on hold: none are sent until a start without --hold-deliveries and webhooks.hold");
    }
    for lane in Lane::ALL {
        if lane == Lane::Deliver && held {
            continue;
        }
        let slots = match lane {
            Lane::Decide => app.config.worker.concurrency,
            Lane::Deliver => DELIVERIES,
            Lane::Housekeeping => HOUSEKEEPING,
        };
        let bell = Arc::new(Notify::new());
        bells.push(Arc::clone(&bell));
        let (worker, stopped) = (Worker::new(app.honnin.clone(), lane, slots), stop.clone());
        let run = async move { worker.run(stopped, &bell).await };
        tasks.push(vital.spawn(lane_name(lane), &stop, run));
    }
    let (changed, stopped) = (Arc::clone(app.honnin.db().jobs_changed()), stop.clone());
    let ring = async move {
        loop {
            tokio::select! {
                () = changed.notified() => bells.iter().for_each(|bell| bell.notify_one()),
                () = stopped.cancelled() => break,
            }
        }
    };
    tasks.push(vital.spawn("wake-up of the workers", &stop, ring));
    Workers { stop, tasks }
}

const fn lane_name(lane: Lane) -> &'static str {
    match lane {
        Lane::Decide => "worker: decisions",
        Lane::Deliver => "worker: webhooks",
        Lane::Housekeeping => "worker: housekeeping",
    }
}

/// Cancels `stopping` at SIGTERM or Ctrl-C; a second signal ends the process immediately.
///
/// # Errors
/// If signals cannot be listened for.
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
                tracing::info!("shutting down; waiting for running requests and jobs");
                stopping.cancel();
            } else {
                std::process::exit(130);
            }
        }
    });
    Ok(())
}

/// At SIGHUP, reads the certificate again if there is one, and does nothing else: by default, the signal would kill the process in the middle of its
/// work, and a service manager would take that for a clean exit. Somebody who closes the terminal in which the process runs wants it to stop: then
/// `app.stopping` is cancelled. Once it is closed, standard input is no longer a terminal.
///
/// # Errors
/// If the signal cannot be listened for.
pub fn read_again_on_hangup(certificate: Option<Arc<LiveCertificate>>, app: App) -> Result<(), ListenError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup()).map_err(ListenError::Signals)?;
    let in_a_terminal = io::stdin().is_terminal();
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            if in_a_terminal && !io::stdin().is_terminal() {
                tracing::info!("the terminal was closed; shutting down");
                app.stopping.cancel();
            } else if let Some(certificate) = &certificate {
                match certificate.read_again() {
                    Ok(()) => {
                        tracing::info!("the certificate was reloaded");
                        note_expiry(&app, certificate);
                    }
                    Err(error) => {
                        tracing::error!(%error, "the certificate was not reloaded: the previous one stays in use")
                    }
                }
            } else {
                tracing::info!("SIGHUP: nothing is reloaded; settings are read only at startup");
            }
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_ends_before_it_is_stopped_ends_the_process_with_an_error() {
        for panics in [false, true] {
            let (stopping, stop) = (CancellationToken::new(), CancellationToken::new());
            let vital = Vital::new(&stopping);
            let task = vital.spawn("planted", &stop, async move { assert!(!panics, "planted") });
            task.await.unwrap();
            assert!(stopping.is_cancelled(), "{panics}");
            assert!(matches!(vital.outcome(), Err(ServeError::TaskEnded)), "{panics}");
        }
    }

    #[tokio::test]
    async fn a_listener_whose_task_panics_ends_the_process_with_an_error_though_it_is_being_stopped() {
        for panics in [false, true] {
            let stopping = CancellationToken::new();
            stopping.cancel();
            let vital = Vital::new(&stopping);
            let task = async move {
                assert!(!panics, "planted");
                "whether all requests were answered"
            };
            let done = vital.clone().watch("planted", stopping.clone(), task).await;
            assert_eq!(done.is_none(), panics);
            assert_eq!(vital.outcome().is_err(), panics);
        }
    }

    #[tokio::test]
    async fn a_task_that_ends_when_it_is_stopped_is_no_error() {
        let (stopping, stop) = (CancellationToken::new(), CancellationToken::new());
        let vital = Vital::new(&stopping);
        let task = vital.spawn("planted", &stop, stop.clone().cancelled_owned());
        stop.cancel();
        task.await.unwrap();
        assert!(!stopping.is_cancelled());
        assert!(vital.outcome().is_ok());
    }
}
