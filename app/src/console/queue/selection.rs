//! The part of the queue that a reviewer works on. The addresses of the queue and of its cases carry it, so that the next case is
//! one of the same part.

use crate::page::Fields;
use domain::{document::DocumentType, reasons::Reason};
use service::session::search::Filter;
use url::form_urlencoded::Serializer;

/// Which cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::console) struct Selection {
    /// Only with this reason.
    pub(super) reason: Option<Reason>,
    /// Only with this kind of document.
    pub(super) document: Option<DocumentType>,
}

impl Selection {
    /// As the address says it; what it does not know selects nothing.
    pub(in crate::console) fn of(fields: &Fields) -> Self {
        Self {
            reason: Reason::parse(&fields.text("reason")),
            document: DocumentType::parse(&fields.text("document")),
        }
    }

    /// Whether it is the whole queue.
    pub(in crate::console) fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// For the search.
    pub(in crate::console) fn filter(&self) -> Filter {
        Filter {
            reason: self.reason,
            document_type: self.document,
            ..Filter::default()
        }
    }

    /// With another reason, or with none.
    pub(super) const fn with_reason(self, reason: Option<Reason>) -> Self {
        Self { reason, ..self }
    }

    /// The address of `path` within this part of the queue.
    pub(in crate::console) fn href(&self, path: &str) -> String {
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
        format!("{path}?{}", query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_carries_what_is_selected_and_nothing_unknown() {
        let of = |query: &str| Selection::of(&Fields::of_bytes(query.as_bytes()));
        for (query, href) in [
            ("", "/q"),
            ("reason=nonsense&document=", "/q"),
            ("document=passport", "/q?document=passport"),
            (
                "document=id_card&reason=document_expired&after=1.x",
                "/q?reason=document_expired&document=id_card",
            ),
        ] {
            assert_eq!(of(query).href("/q"), href, "{query}");
        }
        assert_eq!(of("reason=document_expired").with_reason(None), Selection::default());
    }
}
