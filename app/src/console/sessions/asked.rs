//! The filters of the list, as its address has them.

use crate::page::Fields;

/// The filters as requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Session id.
    pub id: String,
    /// Status.
    pub status: String,
    /// Verdict.
    pub verdict: String,
    /// Reason code.
    pub reason: String,
    /// Kind of document.
    pub document: String,
    /// First day.
    pub from: String,
    /// Last day.
    pub to: String,
    /// Part of the metadata.
    pub metadata: String,
}

impl Asked {
    /// The filters of an address or a form.
    pub(super) fn of(fields: &Fields) -> Self {
        Self {
            id: fields.text("id"),
            status: fields.text("status"),
            verdict: fields.text("verdict"),
            reason: fields.text("reason"),
            document: fields.text("document"),
            from: fields.text("from"),
            to: fields.text("to"),
            metadata: fields.text("metadata"),
        }
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        *self != Self::default()
    }

    /// The filters that are set, with their names in [`of`](Self::of).
    pub(super) fn set(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("id", &self.id),
            ("status", &self.status),
            ("verdict", &self.verdict),
            ("reason", &self.reason),
            ("document", &self.document),
            ("from", &self.from),
            ("to", &self.to),
            ("metadata", &self.metadata),
        ];
        let set = all.into_iter().filter(|(_, value)| !value.is_empty());
        set.map(|(name, value)| (name, value.clone())).collect()
    }

    /// Whether there is one of those that are folded away.
    pub(super) fn more(&self) -> bool {
        [&self.reason, &self.document, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }
}
