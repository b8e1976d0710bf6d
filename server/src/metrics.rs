//! The metrics of this process. Labels are route templates, statuses and words from fixed vocabularies: no tenants, no ids, no
//! personal data.

use domain::time::Timestamp;
use http::Method;
use prometheus_client::{
    encoding::text::encode,
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use service::privacy::secret_age::SecretAge;
use std::{fmt, time::Duration};
use store::{
    Db,
    jobs::{Backlog, JobKind},
};

type Words<const N: usize> = [(&'static str, String); N];
type ByKind = Family<[(&'static str, &'static str); 1], Gauge>;
type ByDirective = Family<[(&'static str, &'static str); 1], Counter>;

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
    secret_ages: ByKind,
    csp_violations: ByDirective,
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

impl Requests {
    /// Records a response. `route` is a template, `-` if none matches; methods unknown to HTTP share one label.
    pub fn note(&self, route: &str, method: &Method, status: u16, took: Duration) {
        let known = [
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
            Method::OPTIONS,
        ];
        let method = if known.contains(method) {
            method.as_str()
        } else {
            "other"
        };
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
        let requests = Requests {
            answered: Family::default(),
            seconds: Family::new_with_constructor(durations),
        };
        let (connections, jobs_due, jobs_oldest) = (Gauge::default(), ByKind::default(), ByKind::default());
        registry.register(
            "http_requests",
            "Requests answered, by route template, method and status",
            requests.answered.clone(),
        );
        registry.register(
            "http_request_seconds",
            "Time from receiving a request's head to sending the response's head, by route template",
            requests.seconds.clone(),
        );
        registry.register("http_connections", "Open connections", connections.clone());
        registry.register(
            "jobs_due",
            "Background jobs that are due and not done",
            jobs_due.clone(),
        );
        registry.register(
            "jobs_oldest_seconds",
            "Time since the oldest due job became due",
            jobs_oldest.clone(),
        );
        let secret_ages = ByKind::default();
        registry.register(
            "secret_age_seconds",
            "Time since the oldest secret of each kind came into use",
            secret_ages.clone(),
        );
        let csp_violations = ByDirective::default();
        registry.register(
            "csp_violations",
            "Violations of the Content-Security-Policy that browsers report, by directive",
            csp_violations.clone(),
        );
        db.metrics().register(&mut registry);
        Self {
            registry,
            requests,
            connections,
            jobs_due,
            jobs_oldest,
            secret_ages,
            csp_violations,
        }
    }

    /// Counts a violation of the Content-Security-Policy that a browser has reported.
    pub(crate) fn note_csp_violation(&self, directive: &'static str) {
        self.csp_violations.get_or_create(&[("directive", directive)]).inc();
    }

    /// Records the backlog; a kind that is not in `backlog` has none.
    pub fn note_backlog(&self, backlog: &[Backlog]) {
        for kind in JobKind::ALL {
            let found = backlog.iter().find(|waiting| waiting.kind == kind);
            let label = [("kind", kind.as_str())];
            self.jobs_due
                .get_or_create(&label)
                .set(found.map_or(0, |found| found.due));
            let oldest = found.map_or(0, |found| found.oldest.0 / 1000);
            self.jobs_oldest.get_or_create(&label).set(oldest);
        }
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
