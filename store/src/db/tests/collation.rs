//! Ids are found and ordered by their bytes. A PostgreSQL database may order texts by the rules of a language, unless these change the order of ids.

use super::*;
use testkit::databases::{empty_in, postgres_server};

#[tokio::test]
async fn a_database_in_whose_language_ids_are_in_another_order_is_refused() {
    let Some(server) = postgres_server() else { return };
    for (language, is_refused) in [("de", false), ("da", true), ("nb", true), ("cy", true)] {
        let opened = Db::open(&empty_in(&server, language).await, OPTIONS).await;
        let refusal = opened.err().map(|error| error.to_string());
        let says_why = refusal.as_ref().is_some_and(|reason| reason.contains("its collation"));
        assert_eq!(
            (refusal.is_some(), says_why),
            (is_refused, is_refused),
            "{language}: {refusal:?}"
        );
    }
}
