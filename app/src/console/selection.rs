//! The part of the queue that a reviewer works on. The addresses of the queue and of its cases carry it, so that the next case is
//! one of the same part.

use crate::page::{Fields, with_query};
use domain::{document::DocumentType, ids::UserId, reasons::Reason};
use service::session::search::Filter;
use url::form_urlencoded::Serializer;

/// The address of the queue.
pub(super) const QUEUE: &str = "/admin/review";
/// Query parameter: only cases assigned to the person themselves.
const ASSIGNED: &str = "assigned";
/// Value of [`ASSIGNED`].
const ME: &str = "me";

/// Which cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Only with this reason.
    pub(super) reason: Option<Reason>,
    /// Only with this kind of document.
    pub(super) document: Option<DocumentType>,
    /// Only those assigned to the person themselves.
    pub(super) mine: bool,
}

impl Selection {
    /// As the address says it; what it does not know selects nothing.
    pub(super) fn of(fields: &Fields) -> Self {
        Self {
            reason: Reason::parse(&fields.text("reason")),
            document: DocumentType::parse(&fields.text("document")),
            mine: fields.raw(ASSIGNED) == ME,
        }
    }

    /// Whether it is the whole queue.
    pub(super) fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// For the search.
    pub(super) fn filter(&self, me: &UserId) -> Filter {
        Filter {
            reason: self.reason,
            document_type: self.document,
            assigned_to: self.mine.then(|| me.clone()),
            ..Filter::default()
        }
    }

    /// The address of `path` within this part of the queue, after this case of a list.
    pub(super) fn href_after(&self, path: &str, after: &str) -> String {
        let path = self.href(path);
        if after.is_empty() {
            return path;
        }
        with_query(&path, "after", after)
    }

    /// With another reason, or with none.
    pub(super) const fn with_reason(self, reason: Option<Reason>) -> Self {
        Self { reason, ..self }
    }

    /// Only those of the person themselves, or of all.
    pub(super) const fn with_mine(self, mine: bool) -> Self {
        Self { mine, ..self }
    }

    /// The address of `path` within this part of the queue.
    pub(super) fn href(&self, path: &str) -> String {
        if self.is_all() {
            return path.to_owned();
        }
        let mut query = Serializer::new(String::new());
        if let Some(reason) = self.reason {
            query.append_pair("reason", reason.as_str());
        }
        if let Some(document) = self.document {
            query.append_pair("document", document.as_str());
        }
        if self.mine {
            query.append_pair(ASSIGNED, ME);
        }
        format!("{path}?{}", query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_carries_what_is_selected_and_nothing_unknown() {
        let of = |query: &str| Selection::of(&Fields::of_bytes(query.as_bytes()).unwrap());
        for (query, href) in [
            ("", "/q"),
            ("reason=nonsense&document=", "/q"),
            ("document=passport", "/q?document=passport"),
            (
                "document=id_card&reason=document_expired&after=1.x",
                "/q?reason=document_expired&document=id_card",
            ),
            ("assigned=me&document=passport", "/q?document=passport&assigned=me"),
            ("assigned=usr_somebody", "/q"),
        ] {
            assert_eq!(of(query).href("/q"), href, "{query}");
        }
        assert_eq!(of("reason=document_expired").with_reason(None), Selection::default());
    }
}
