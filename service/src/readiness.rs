//! Whether what the verbs stand on answers.

use crate::Honnin;
use store::{StoreError, users};

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// The main database.
    pub database: bool,
    /// The store of pictures.
    pub pictures: bool,
}

/// Asks each for something small.
pub async fn readiness(honnin: &Honnin) -> Readiness {
    let database = honnin
        .db
        .read::<_, StoreError, _>(|tx| Box::pin(async move { users::exist(tx).await }));
    Readiness {
        database: database.await.is_ok(),
        pictures: honnin.pictures.check().await.is_ok(),
    }
}
