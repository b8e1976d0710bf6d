//! Fuzz target for the query strings of lists: see docs/TESTING.md.

use super::query::Query;
use domain::{cursor, ids::SessionId};
use std::{collections::BTreeSet, str::from_utf8};

/// Nothing is passed over in silence, and a cursor that is taken leads back to where it points.
#[test]
fn api_queries() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        let mut query = Query::new(Some(text));
        let limit = query.limit();
        let after = query.after(SessionId::parse);
        query.time("createdFrom");
        let members = query.members("metadata");
        let names: BTreeSet<_> = members.iter().map(|(name, _)| name).collect();
        assert!(
            names.len() == members.len() && !names.contains(&String::new()),
            "{members:?}"
        );
        assert!((1..=100).contains(&limit));
        if query.finish(()).is_err() {
            return;
        }
        if let Some(after) = after {
            let mut again = Query::new(Some(&format!("cursor={}", cursor::write(&after))));
            assert_eq!(again.after(SessionId::parse), Some(after));
        }
    });
}
