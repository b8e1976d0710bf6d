//! The request log: what the tenant's servers called, and how it was answered.

mod view;

use super::{
    layout::NavigationItem,
    request::{PageResult, Request, signed_in},
};
use crate::page::Fields;
use domain::{cursor, ids::ApiKeyId};
use leptos::prelude::*;
use service::{
    access::Developer,
    request_log::{kept, list, operations},
    settings::api_keys::list_keys,
    stored::{LoggedRequest, RequestFilter, RequestedOperation},
};
use std::ops::RangeInclusive;
use view::{RequestsView, Row, render};

const HERE: &str = "/admin/requests";

/// Rows per page. On a phone each is a card of its own.
const PAGE: u32 = 50;

/// The request log.
#[component]
pub fn RequestsPage() -> impl IntoView {
    signed_in(NavigationItem::Requests, load, render)
}

/// A status such as 404, or a class such as 4xx.
fn statuses(text: &str) -> Option<RangeInclusive<u16>> {
    if let Some(class) = text.strip_suffix("xx") {
        let class: u16 = class.parse().ok().filter(|class| (1..=5).contains(class))?;
        return Some(class * 100..=class * 100 + 99);
    }
    let status: u16 = text.parse().ok()?;
    Some(status..=status)
}

/// The filter of a query; what does not parse filters nothing.
fn filter(fields: &Fields) -> RequestFilter {
    RequestFilter {
        request: Some(fields.text("request")).filter(|id| !id.is_empty()),
        key: ApiKeyId::parse(&fields.text("key")),
        status: statuses(&fields.text("status")),
        operation: operation(&fields.text("operation")),
    }
}

/// An operation such as `GET /v1/events`.
fn operation(text: &str) -> Option<RequestedOperation> {
    let (method, route) = text.split_once(' ')?;
    Some(RequestedOperation {
        method: method.to_owned(),
        route: route.to_owned(),
    })
}

fn row(logged: LoggedRequest) -> Row {
    let entry = logged.entry;
    Row {
        at: entry.at,
        method: entry.method,
        route: entry.route,
        status: entry.status,
        error: entry.error,
        key: logged.key_name.unwrap_or_else(|| entry.key.to_string()),
        address: entry.address,
        duration_ms: entry.duration_ms,
        request: entry.request.to_string(),
    }
}

async fn load(request: Request) -> PageResult<RequestsView> {
    let fields = request.query()?;
    let developer = Developer::of(request.staff())?;
    let honnin = request.honnin();
    let before = fields.text("after").parse().ok();
    let found = list(honnin, &developer, filter(fields), before, PAGE + 1).await?;
    let (found, more) = cursor::page_of(found, PAGE);
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &last.number.to_string()));
    let keys = list_keys(honnin, &developer).await?;
    let operations = operations(honnin, &developer).await?;
    Ok(RequestsView {
        rows: found.into_iter().map(row).collect(),
        next,
        request: fields.text("request"),
        status: fields.text("status"),
        operation: fields.text("operation"),
        operations: operations
            .into_iter()
            .map(|of| format!("{} {}", of.method, of.route))
            .collect(),
        key: fields.text("key"),
        keys: keys.into_iter().map(|key| (key.id.to_string(), key.name)).collect(),
        kept: kept(honnin),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_number_or_a_class() {
        for (text, expected) in [
            ("404", Some(404..=404)),
            ("4xx", Some(400..=499)),
            ("", None),
            ("xx", None),
            ("9xx", None),
            ("all", None),
        ] {
            assert_eq!(statuses(text), expected, "{text}");
        }
    }
}
