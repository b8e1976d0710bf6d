//! A tenant's sessions as its server lists them, without personal data.

use super::search::{LOOKED_AT, before, within_reach};
use crate::{Honnin, access::Tenant};
use domain::{cursor::After, ids::SessionId, json, outcome::Verdict, session::Status, time::Timestamp};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, sync::Arc};
pub use store::session::search::SessionSummary;
use store::{
    StoreError,
    session::search::{self, Filter, Order, Page},
};

/// Rows read from the database at a time while looking for metadata.
const BATCH: u32 = 200;
/// Batches read for one page. A page may therefore be shorter than its limit, even empty, although another one follows.
const BATCHES: usize = 10;

/// Which sessions to list. `None` and an empty list do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionQuery {
    /// Status as readers see it now.
    pub status: Option<Status>,
    /// Verdict of the current decision.
    pub verdict: Option<Verdict>,
    /// Created at or after.
    pub from: Option<Timestamp>,
    /// Created before.
    pub until: Option<Timestamp>,
    /// Members of the metadata with their values: a string's content, or the JSON of any other value.
    pub metadata: Vec<(String, String)>,
    /// The last session of the previous page.
    pub after: Option<After<SessionId>>,
    /// Maximum number of sessions.
    pub limit: u32,
}

/// A page of sessions.
#[derive(Clone, Debug)]
pub struct SessionList {
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
    /// Where the next page starts; `None` on the last one.
    pub next: Option<After<SessionId>>,
}

/// A page of the tenant's sessions, newest first.
///
/// # Errors
/// If storage fails.
pub async fn list_of_tenant(honnin: &Honnin, tenant: &Tenant, query: SessionQuery) -> Result<SessionList, StoreError> {
    tenant.record_use(honnin).await?;
    let (id, now) = (tenant.id().clone(), honnin.now());
    let (mut filter, mut reach) = (query.filter(), None);
    if filter.looks_at_each() {
        let (id, after) = (id.clone(), query.after.clone());
        let unit = honnin
            .db
            .read(async move |tx| within_reach(tx, &id, filter.clone(), after.as_ref(), LOOKED_AT).await);
        (filter, reach) = unit.await?;
    }
    let filter = Arc::new(filter);
    let limit = query.limit as usize;
    let size = if query.metadata.is_empty() {
        query.limit + 1
    } else {
        BATCH
    };
    let (mut sessions, mut after) = (Vec::new(), query.after.clone());
    for _ in 0..BATCHES {
        let page = Page {
            order: Order::Newest,
            after: after.clone(),
            limit: size,
        };
        let (id, filter) = (id.clone(), Arc::clone(&filter));
        // Metadata is parsed between the units: few of them run at a time, and they are everybody's.
        let rows = honnin
            .db
            .read(async move |tx| search::list(tx, &id, &filter, &page, now).await)
            .await?;
        let is_last = rows.len() < size as usize;
        for row in rows {
            if sessions.len() == limit {
                return Ok(SessionList { sessions, next: after });
            }
            after = Some((row.created_at, row.id.clone()));
            if query.admits(&row) {
                sessions.push(row);
            }
        }
        if is_last {
            let next = reach.map(before);
            return Ok(SessionList { sessions, next });
        }
    }
    Ok(SessionList { sessions, next: after })
}

impl SessionQuery {
    /// What the database filters.
    fn filter(&self) -> Filter {
        let mut values = self.metadata.iter().map(|(_, value)| value);
        Filter {
            status: self.status,
            verdict: self.verdict,
            from: self.from,
            until: self.until,
            metadata: values.find(|value| is_plain(value)).cloned(),
            or_escaped: true,
            ..Filter::default()
        }
    }

    /// What the database does not filter exactly.
    fn admits(&self, row: &SessionSummary) -> bool {
        (self.verdict.is_none() || row.verdict() == self.verdict) && self.admits_metadata(row.metadata.as_deref())
    }

    fn admits_metadata(&self, compact: Option<&str>) -> bool {
        if self.metadata.is_empty() {
            return true;
        }
        let Some(Ok(members)) = compact.map(serde_json::from_str::<BTreeMap<String, &RawValue>>) else {
            return false;
        };
        let is_wanted =
            |(name, wanted): &(String, String)| members.get(name).is_some_and(|value| matches(value, wanted));
        self.metadata.iter().all(is_wanted)
    }
}

/// Whether a member is the string `wanted`, or the JSON `wanted`, however the characters of its strings are escaped.
fn matches(value: &RawValue, wanted: &str) -> bool {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => text == wanted,
        Err(_) => json::with_plain_strings(value.get()) == json::with_plain_strings(wanted),
    }
}

/// Whether `text` is written in JSON as it is, or with escapes of the form `\u002d`, so that the database can look for it.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_matches_by_the_content_of_its_string_or_by_its_json() {
        let of = |name: &str, value: &str| SessionQuery {
            metadata: vec![(name.to_owned(), value.to_owned())],
            ..SessionQuery::default()
        };
        let stored = r#"{"order":"A-17","n":4711,"name":"\u5c71\u7530","in":{"order":"B"},"none":null,"list":[1,{"a":"\u00e9\/"}]}"#;
        for (name, value, expected) in [
            ("order", "A-17", true),
            ("order", "A-1", false),
            ("order", "B", false),
            ("n", "4711", true),
            ("n", "471", false),
            ("name", "山田", true),
            ("in", r#"{"order":"B"}"#, true),
            ("none", "null", true),
            ("list", r#"[1,{"a":"é/"}]"#, true),
            ("list", r#"[1,{"a":"\u00E9\/"}]"#, true),
            ("list", r#"[1,{"a":"e/"}]"#, false),
            ("list", r#"[1,{"a":"é/"#, false),
            ("absent", "null", false),
        ] {
            assert_eq!(
                of(name, value).admits_metadata(Some(stored)),
                expected,
                "{name}={value}"
            );
        }
        assert!(!of("order", "A-17").admits_metadata(None));
        assert!(SessionQuery::default().admits_metadata(None));
    }
}
