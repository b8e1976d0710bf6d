//! The files of the repository that are served as pages. They are embedded in the program; there is no second copy.

/// Pages that belong together in the list of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// What a new integrator reads.
    Start,
    /// What the API promises.
    Reference,
    /// One subject each.
    Guides,
    /// For operators.
    Installation,
}

impl Group {
    /// In the order of the list.
    pub(super) const ALL: [Self; 4] = [Self::Start, Self::Reference, Self::Guides, Self::Installation];

    /// Its heading.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Reference => "Reference",
            Self::Guides => "Guides",
            Self::Installation => "Installation",
        }
    }
}

/// A page made from a file.
pub(super) struct Guide {
    /// Its name in the address.
    pub(super) name: &'static str,
    /// Its name in the list of pages.
    pub(super) title: &'static str,
    /// Where it is listed.
    pub(super) group: Group,
    /// Its file in the repository.
    pub(super) file: &'static str,
    /// Its content, Markdown.
    pub(super) source: &'static str,
}

macro_rules! guides {
    ($($group:ident $name:literal $title:literal $file:literal;)+) => {
        &[$(Guide {
            name: $name,
            title: $title,
            group: Group::$group,
            file: $file,
            source: include_str!(concat!("../../../", $file)),
        }),+]
    };
}

/// In the order of the list.
pub(super) static GUIDES: &[Guide] = guides! {
    Start "tutorial" "Tutorial" "docs/TUTORIAL.md";
    Start "going-live" "Going live" "docs/GOING-LIVE.md";
    Reference "api" "API guide" "docs/API.md";
    Reference "api-changes" "API changes" "docs/API-CHANGES.md";
    Guides "webhooks" "Webhooks" "docs/WEBHOOKS.md";
    Guides "callbacks" "Callbacks" "docs/CALLBACKS.md";
    Guides "retries" "Retries" "docs/RETRIES.md";
    Guides "review" "Review" "docs/REVIEW.md";
    Guides "erasure" "Erasure" "docs/ERASURE.md";
    Guides "sandbox" "Sandbox" "docs/SANDBOX.md";
    Installation "operations" "Operations" "docs/OPERATIONS.md";
    Installation "backup" "Backup and restore" "docs/BACKUP.md";
    Installation "master-key" "Master key" "docs/MASTER-KEY.md";
    Installation "accounts" "Accounts" "docs/ACCOUNTS.md";
    Installation "retention" "Retention, audit log" "docs/RETENTION.md";
    Installation "scaling" "Scaling" "docs/SCALING.md";
    Installation "limits" "Limits" "docs/LIMITS.md";
    Installation "models" "Models and decisions" "docs/MODELS.md";
    Installation "monitoring" "Monitoring" "docs/MONITORING.md";
    Installation "security" "Security" "docs/SECURITY.md";
    Installation "changes" "Product changes" "CHANGELOG.md";
};

impl Guide {
    /// The path of its page.
    pub(super) fn path(&self) -> String {
        format!("/docs/{}", self.name)
    }

    /// Its file without the folder.
    pub(super) fn file_name(&self) -> &'static str {
        self.file.rsplit('/').next().unwrap_or(self.file)
    }
}

/// The guide of a name in an address.
pub(super) fn find(name: &str) -> Option<&'static Guide> {
    GUIDES.iter().find(|guide| guide.name == name)
}

/// The collection for Postman and other clients, format 2.1.
pub const COLLECTION: &str = include_str!("../../../docs/honnin.postman_collection.json");

/// Where an installation serves [`COLLECTION`].
pub const COLLECTION_PATH: &str = "/docs/honnin.postman_collection.json";

/// What the repository has in `docs` and an installation at another address: file and path.
pub(super) const SERVED: [(&str, &str); 3] = [
    ("docs/openapi.json", "/v1/openapi.json"),
    ("docs/openapi-3.0.json", "/v1/openapi-3.0.json"),
    ("docs/honnin.postman_collection.json", COLLECTION_PATH),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{
        decision::Policy,
        tenant::{Bounds, TenantSettings},
        time::{Millis, Span},
    };

    #[test]
    fn the_guides_name_the_bounds_of_the_settings() {
        let from_to = |Bounds { least, most }: Bounds<Millis>| {
            let [least, most] = [least, most].map(Span::up_to_years);
            format!("from {least} to {most}")
        };
        let entries = TenantSettings::MAX_LISTED;
        let (liveness, face) = (Policy::LEAST_LIVENESS_ACCEPT, Policy::LEAST_MATCH_ACCEPT);
        for (guide, told) in [
            ("api", from_to(TenantSettings::LINK_LIFETIME)),
            ("api", from_to(TenantSettings::SESSION_LIFETIME)),
            ("erasure", from_to(TenantSettings::RETENTION)),
            ("callbacks", format!("at most {entries} entries")),
            (
                "security",
                format!("accepted below {liveness:.2} and a face match not below {face:.2}"),
            ),
        ] {
            assert!(find(guide).unwrap().source.contains(&told), "{guide}: {told}");
        }
    }
}
