//! What the renderer knows of its pictures.

use crate::Done;
use domain::document::{DocumentType, FieldName, Side};
use serde::Deserialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// One item as it stands on the document.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Field {
    pub(crate) name: FieldName,
    pub(crate) text: String,
    pub(crate) normalized: String,
    /// Whether a reader should find it.
    pub(crate) wanted: bool,
    /// Other forms that are as right.
    #[serde(default)]
    pub(crate) also: Vec<String>,
}

/// What was done to deceive.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Deceit {
    pub(crate) what: String,
    pub(crate) digital: bool,
}

/// The label of a picture.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Label {
    pub(crate) file: String,
    pub(crate) document: usize,
    pub(crate) person: usize,
    pub(crate) kind: DocumentType,
    pub(crate) layout: String,
    pub(crate) side: Side,
    pub(crate) condition: String,
    /// Reason codes that must be given.
    pub(crate) defects: Vec<String>,
    pub(crate) deceit: Option<Deceit>,
    pub(crate) fields: Vec<Field>,
    pub(crate) mrz: Vec<String>,
    /// The folder it lies in.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

impl Label {
    /// Whether the picture is fair: no defect was made, nothing was altered.
    pub(crate) fn is_fair(&self) -> bool {
        self.defects.is_empty() && self.deceit.is_none()
    }

    /// Where the picture is.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }
}

/// All labels of a folder that was rendered.
pub(crate) fn read(folder: &Path) -> Done<Vec<Label>> {
    let path = folder.join("labels.json");
    let text = fs::read(&path).map_err(|error| format!("{}: {error}; `make specimens` renders it", path.display()))?;
    let mut labels: Vec<Label> = serde_json::from_slice(&text)?;
    for label in &mut labels {
        folder.clone_into(&mut label.folder);
    }
    Ok(labels)
}
