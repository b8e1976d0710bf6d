//! Recordings of selfies in folders: one folder for each kind, in it one for each recording with its frames.

use super::Failure;
use domain::findings::{Asked, Challenge, LiveFindings};
use std::{
    fs,
    path::{Path, PathBuf},
};
use vision::{Picture, normalise};

/// Name of the folder with selfies of living people.
pub(super) const GENUINE: &str = "genuine";
/// Text file of a recording: the movements that were asked for, separated by commas.
const MOVEMENTS: &str = "movements";

/// Folders by name, each with the folders of its recordings.
pub(super) fn kinds(dir: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, Failure> {
    let mut kinds = Vec::new();
    for folder in folders(dir)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        kinds.push((name, folders(&folder)?));
    }
    if kinds.iter().all(|(_, recordings)| recordings.is_empty()) {
        return Err(format!(
            "{}: no recordings; wanted are folders such as {GENUINE}/001 and screen/001, each with the frames of one selfie",
            dir.display()
        )
        .into());
    }
    Ok(kinds)
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    found.retain(|path| path.is_dir());
    found.sort();
    Ok(found)
}

/// The frames of a recording, in the order of their names.
pub(super) fn frames(recording: &Path) -> Result<Vec<Picture>, Failure> {
    let entries = fs::read_dir(recording)?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| is_picture(path));
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no pictures", recording.display()).into());
    }
    let open = |path: &PathBuf| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        normalise(&bytes).map_err(|fault| format!("{}: {fault}", path.display()).into())
    };
    files.iter().map(open).collect()
}

/// What was asked for; the frames count as watched.
pub(super) fn asked(recording: &Path) -> Result<Asked, Failure> {
    let file = recording.join(MOVEMENTS);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", file.display()).into()),
    };
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let parse =
        |name: &str| Challenge::parse(name).ok_or_else(|| format!("{}: {name} is no movement", file.display()).into());
    let movements: Vec<Challenge> = names.map(parse).collect::<Result<_, Failure>>()?;
    Ok(Asked {
        live: (!movements.is_empty()).then(|| LiveFindings {
            answered_ms: Vec::new(),
            same_frames: true,
            run: 1,
            repeated_frames: 0,
        }),
        movements,
    })
}

/// Whether a file is a picture, by its name.
pub(super) fn is_picture(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["jpg", "jpeg", "png", "webp"].contains(&ending.to_ascii_lowercase().as_str())
}
