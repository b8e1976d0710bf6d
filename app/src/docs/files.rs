//! The files of the folder `docs` that are pages. They are part of the program; the only copy of each is the file.

/// A guide.
pub(super) struct Guide {
    /// Its name in the address.
    pub(super) name: &'static str,
    /// Its name in the list of pages.
    pub(super) title: &'static str,
    /// Its file, as other files link to it.
    pub(super) file: &'static str,
    /// Its content, Markdown.
    pub(super) source: &'static str,
}

/// In the order in which an integrator needs them.
pub(super) static GUIDES: [Guide; 5] = [
    Guide {
        name: "tutorial",
        title: "Tutorial",
        file: "TUTORIAL.md",
        source: include_str!("../../../docs/TUTORIAL.md"),
    },
    Guide {
        name: "api",
        title: "API guide",
        file: "API.md",
        source: include_str!("../../../docs/API.md"),
    },
    Guide {
        name: "webhooks",
        title: "Webhooks",
        file: "WEBHOOKS.md",
        source: include_str!("../../../docs/WEBHOOKS.md"),
    },
    Guide {
        name: "going-live",
        title: "Going live",
        file: "GOING-LIVE.md",
        source: include_str!("../../../docs/GOING-LIVE.md"),
    },
    Guide {
        name: "changes",
        title: "Changes",
        file: "CHANGELOG.md",
        source: include_str!("../../../CHANGELOG.md"),
    },
];

impl Guide {
    /// The path of its page.
    pub(super) fn path(&self) -> String {
        format!("/docs/{}", self.name)
    }
}

/// The guide of a name in an address.
pub(super) fn find(name: &str) -> Option<&'static Guide> {
    GUIDES.iter().find(|guide| guide.name == name)
}
