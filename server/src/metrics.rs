//! The metrics of this process. Labels are route templates, statuses and words from fixed vocabularies: no tenants, no ids, no
//! personal data.

use domain::time::Timestamp;
use http::Method;
use prometheus_client::{
    encoding::{EncodeMetric, MetricEncoder, text::encode},
    metrics::{
        MetricType,
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::{Metric, Registry},
};
use service::privacy::secret_age::SecretAge;
use std::{
    fmt,
    ops::RangeInclusive,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use store::{
    Db,
    jobs::{Backlog, JobKind},
};

type Words<const N: usize> = [(&'static str, String); N];
type ByKind = Family<[(&'static str, &'static str); 1], Gauge>;
type ByDirective = Family<[(&'static str, &'static str); 1], Counter>;

/// A gauge that is left out while its value is unknown.
#[derive(Clone, Debug, Default)]
struct OptionalGauge(Arc<Mutex<Option<i64>>>);

impl OptionalGauge {
    fn set(&self, known: Option<i64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    fn known(&self) -> Option<i64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EncodeMetric for OptionalGauge {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        self.known().map_or(Ok(()), |known| encoder.encode_gauge(&known))
    }

    fn is_empty(&self) -> bool {
        self.known().is_none()
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

/// The metrics of this process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests answered.
    pub requests: Requests,
    /// Connections open now.
    pub connections: Gauge,
    jobs_due: ByKind,
    jobs_oldest: ByKind,
    jobs_failing: ByKind,
    clock_steady: Gauge,
    secret_ages: ByKind,
    audit_export_backlog: OptionalGauge,
    certificate_not_before: OptionalGauge,
    certificate_expires: OptionalGauge,
    csp_violations: ByDirective,
    csp_reports_unlogged: Counter,
}

/// Requests answered, and their durations.
#[derive(Clone, Debug)]
pub struct Requests {
    answered: Family<Words<3>, Counter>,
    seconds: Family<Words<1>, Histogram, fn() -> Histogram>,
}

/// From a millisecond to half a minute.
fn durations() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 16))
}

/// The name of a method in metrics and logs. Those unknown to HTTP share one: a client can make up any number of them, as long as a whole head.
pub(crate) fn name_of(method: &Method) -> &str {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    if known.contains(method) {
        method.as_str()
    } else {
        "other"
    }
}

/// A new metric, registered under `name`.
fn registered<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

impl Requests {
    fn registered(registry: &mut Registry) -> Self {
        let requests = Self {
            answered: registered(
                registry,
                "http_requests",
                "Requests answered, by route template, method and status",
            ),
            seconds: Family::new_with_constructor(durations),
        };
        registry.register(
            "http_request_seconds",
            "Time from receiving a request's head to sending the response's head, by route template",
            requests.seconds.clone(),
        );
        requests
    }

    /// Records a response. `route` is a template, `-` if none matches.
    pub fn note(&self, route: &str, method: &Method, status: u16, took: Duration) {
        let method = name_of(method);
        let route = || ("route", route.to_owned());
        let labels = [route(), ("method", method.to_owned()), ("status", status.to_string())];
        self.answered.get_or_create(&labels).inc();
        self.seconds.get_or_create(&[route()]).observe(took.as_secs_f64());
    }
}

impl Metrics {
    /// The metrics of a process that works on `db`.
    #[must_use]
    pub fn new(db: &Db) -> Self {
        let mut registry = Registry::with_prefix("honnin");
        let mut metrics = Self {
            requests: Requests::registered(&mut registry),
            connections: registered(&mut registry, "http_connections", "Open connections"),
            jobs_due: registered(&mut registry, "jobs_due", "Background jobs that are due and not done"),
            jobs_oldest: registered(
                &mut registry,
                "jobs_oldest_seconds",
                "Time since the oldest due job became due",
            ),
            jobs_failing: registered(
                &mut registry,
                "jobs_failing",
                "Background jobs that have failed for half an hour and wait for their next run",
            ),
            clock_steady: registered(
                &mut registry,
                "clock_steady",
                "Whether the clock is trusted: 0 until it has been steady for ten minutes after a jump",
            ),
            secret_ages: registered(
                &mut registry,
                "secret_age_seconds",
                "Time since the oldest secret of each kind came into use",
            ),
            audit_export_backlog: registered(
                &mut registry,
                "audit_export_backlog",
                "Entries of the audit log that are not exported yet",
            ),
            certificate_not_before: registered(
                &mut registry,
                "tls_certificate_not_before_timestamp_seconds",
                "When the validity of the certificate begins that this process serves, in seconds since 1970",
            ),
            certificate_expires: registered(
                &mut registry,
                "tls_certificate_expires_timestamp_seconds",
                "When the certificate expires that this process serves, in seconds since 1970",
            ),
            csp_violations: registered(
                &mut registry,
                "csp_violations",
                "Violations of the Content-Security-Policy that browsers report, by directive",
            ),
            csp_reports_unlogged: registered(
                &mut registry,
                "csp_reports_unlogged",
                "Reports of such violations that have no line in the log, because there were too many",
            ),
            registry,
        };
        db.metrics().register(&mut metrics.registry);
        metrics
    }

    /// Counts a violation of the Content-Security-Policy that a browser has reported.
    pub(crate) fn note_csp_violation(&self, directive: &'static str) {
        self.csp_violations.get_or_create(&[("directive", directive)]).inc();
    }

    /// Counts a report of such a violation that has no line in the log.
    pub(crate) fn note_unlogged_csp_report(&self) {
        self.csp_reports_unlogged.inc();
    }

    /// Records the backlog; a kind that is not in `backlog` has none.
    pub fn note_backlog(&self, backlog: &[Backlog]) {
        for &kind in JobKind::ALL {
            let found = backlog.iter().find(|waiting| waiting.kind == kind);
            let label = [("kind", kind.as_str())];
            self.jobs_due
                .get_or_create(&label)
                .set(found.map_or(0, |found| found.due));
            let oldest = found.map_or(0, |found| found.oldest.0 / 1000);
            self.jobs_oldest.get_or_create(&label).set(oldest);
        }
    }

    /// Records how many jobs fail; of a kind that is not in `failing`, none does.
    pub(crate) fn note_failing(&self, failing: &[(JobKind, i64)]) {
        for &kind in JobKind::ALL {
            let found = failing.iter().find(|(of, _)| *of == kind);
            self.jobs_failing
                .get_or_create(&[("kind", kind.as_str())])
                .set(found.map_or(0, |(_, count)| *count));
        }
    }

    /// Shows no backlog: what it is cannot be read, and the last one says nothing any more.
    pub(crate) fn forget_backlog(&self) {
        self.jobs_due.clear();
        self.jobs_oldest.clear();
        self.jobs_failing.clear();
    }

    /// Records whether the clock is trusted.
    pub fn note_clock(&self, is_steady: bool) {
        self.clock_steady.set(i64::from(is_steady));
    }

    /// Records how old the oldest secret of each kind is; a kind that is not in `ages` is not shown.
    pub fn note_secret_ages(&self, ages: &[SecretAge], now: Timestamp) {
        self.secret_ages.clear();
        for age in ages {
            let seconds = (now.as_millis() - age.since.as_millis()) / 1000;
            self.secret_ages
                .get_or_create(&[("secret", age.kind.as_str())])
                .set(seconds.max(0));
        }
    }

    /// Shows no age of a secret, for the same reason.
    pub(crate) fn forget_secret_ages(&self) {
        self.secret_ages.clear();
    }

    /// Records how many entries of the audit log wait to be exported, if it is known.
    pub fn note_audit_export_backlog(&self, entries: Option<i64>) {
        self.audit_export_backlog.set(entries);
    }

    /// Records from when until when the served certificate is valid, if that is known.
    pub(crate) fn note_certificate(&self, valid: Option<RangeInclusive<Timestamp>>) {
        let [begins, ends] = match valid {
            Some(valid) => [valid.start(), valid.end()].map(|at| Some(at.as_seconds())),
            None => [None; 2],
        };
        self.certificate_not_before.set(begins);
        self.certificate_expires.set(ends);
    }

    /// All metrics in the OpenMetrics text format.
    ///
    /// # Errors
    /// None in practice: it writes to memory.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
