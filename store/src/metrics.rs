//! Metrics for the operator: commits, and what they contain. Only what is committed is counted, so that a metric never exceeds
//! the database. Labels come from fixed vocabularies: no ids, no tenants, no personal data.

use domain::{
    outcome::{Source, Verdict},
    session::Status,
};
use prometheus_client::{
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

type Label = (&'static str, &'static str);

/// The metrics of one database.
#[derive(Debug)]
pub struct Metrics {
    commit_seconds: Histogram,
    commit_units: Histogram,
    sessions: Family<[Label; 1], Counter>,
    verdicts: Family<[Label; 2], Counter>,
    attempts: Family<[(&'static str, String); 1], Counter>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            // From a quarter of a millisecond, which only memory reaches, to four seconds, when the disk is in trouble.
            commit_seconds: Histogram::new(exponential_buckets(0.000_25, 2.0, 15)),
            // 1 to 128: as many as a group holds.
            commit_units: Histogram::new(exponential_buckets(1.0, 2.0, 8)),
            sessions: Family::default(),
            verdicts: Family::default(),
            attempts: Family::default(),
        }
    }
}

impl Metrics {
    /// Adds these metrics to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "commit_seconds",
            "Time of a durable commit of the main database",
            self.commit_seconds.clone(),
        );
        registry.register(
            "commit_units",
            "Units of work that shared a commit of the main database",
            self.commit_units.clone(),
        );
        registry.register(
            "session_transitions",
            "Session status transitions",
            self.sessions.clone(),
        );
        registry.register("verdicts", "Verdicts by source", self.verdicts.clone());
        registry.register(
            "webhook_attempts",
            "Webhook delivery attempts by result",
            self.attempts.clone(),
        );
    }

    pub(crate) fn session(&self, status: Status) -> Counter {
        self.sessions.get_or_create(&[("to", status.as_str())]).clone()
    }

    pub(crate) fn verdict(&self, verdict: Verdict, source: Source) -> Counter {
        let labels = [("verdict", verdict.as_str()), ("source", source.as_str())];
        self.verdicts.get_or_create(&labels).clone()
    }

    pub(crate) fn attempt(&self, fault: Option<&str>) -> Counter {
        let result = fault.unwrap_or("delivered").to_owned();
        self.attempts.get_or_create(&[("result", result)]).clone()
    }

    /// Counts a commit of `units` units that took `seconds`, and what they `counted`.
    pub(crate) fn committed(&self, units: usize, seconds: f64, counted: &[Counter]) {
        for counter in counted {
            counter.inc();
        }
        self.commit_seconds.observe(seconds);
        self.commit_units.observe(units as f64);
    }
}
