//! Whether the database can be written is shown by writing.

use store::write_checks;
use testkit::databases::{backends, number_at};

const DONE: &str = "SELECT done FROM write_checks";

#[tokio::test]
async fn each_check_writes_the_one_row_of_its_database_anew() {
    for backend in backends().await {
        let vault = backend.vault().await;
        for done in 1..=3 {
            let unit = backend.db.write(async |tx| write_checks::write(tx).await);
            unit.await.unwrap();
            vault.check().await.unwrap();
            for url in [&backend.url, &backend.keys_url] {
                assert_eq!(number_at(url, DONE).await, done, "{}", backend.name);
            }
        }
    }
}
