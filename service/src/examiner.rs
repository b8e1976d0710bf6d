//! Who looks at pictures: the vision pipeline in production, a script in tests.

/// Looks at pictures.
pub trait Examiner: Send + Sync + 'static {}
