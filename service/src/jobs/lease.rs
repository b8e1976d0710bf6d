//! How long a worker holds a job.

use domain::time::Millis;

/// Duration of a lease, renewed at a third of it: with the poll of another node, the jobs of a killed node continue within 20
/// seconds.
pub const LEASE: Millis = Millis::seconds(15);
