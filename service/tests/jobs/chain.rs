//! Linking the audit log, beside the other work of housekeeping.

use domain::{session::Step, time::Millis};
use service::jobs::worker::{Lane, Worker};
use sqlx::{Connection as _, PgConnection};
use std::time::Duration;
use testkit::{Harness, databases::OPTIONS};
use tokio::{sync::Notify, time::timeout};
use tokio_util::sync::CancellationToken;

/// As a node that vanished holds it until the server notices.
///
/// Planted fault that this test detects: a worker that claims nothing while it waits for the chain.
#[tokio::test]
async fn deadlines_are_kept_while_another_node_holds_the_chain() {
    let Some(harness) = Harness::on_postgres(&[Step::Selfie]).await else {
        return;
    };
    // Leaves an entry that is not linked yet.
    let id = harness.create().await.id;
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    let hold = "BEGIN; UPDATE audit_chain SET position = position WHERE id = 1";
    sqlx::raw_sql(hold).execute(&mut other).await.unwrap();
    harness.clock.advance(Millis::days(7));
    let worker = Worker::new(harness.honnin.clone(), Lane::Housekeeping, 2);
    let (stop, wake) = (CancellationToken::new(), Notify::new());
    let working = worker.run(stop.clone(), &wake);
    let expired = async {
        while harness.events(&id).await.is_empty() {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    // Less than the other node's lock would be waited for.
    let both = timeout(OPTIONS.timeout - Duration::from_secs(5), async {
        tokio::join!(working, expired)
    });
    both.await.expect("the deadline waits for the chain");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
}
