//! Recordings of selfies in folders: one folder for each kind, in it one for each recording with its frames.

use super::Failure;
use domain::{
    findings::{Asked, Challenge, Colour, Commitment, Flash, LiveFindings},
    live::COPY_SIDE,
};
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};
use vision::{Picture, Vision, frame_print, normalise};

/// Name of the folder with selfies of living people.
pub(super) const GENUINE: &str = "genuine";
/// Text file of a recording: the movements that were asked for, separated by commas.
const MOVEMENTS: &str = "movements";
/// Text file of a recording: for each movement the numbers of the frames that the server saw when it asked for it and when it was followed, all
/// separated by commas.
const WATCHED: &str = "watched";
/// Text file of a recording: the folder of one that another session has sent before, from the folder of all of them.
const SENT_BEFORE: &str = "sent-before";
/// Text file of a recording: for each frame that was taken while the screen shone in a colour, a line with its number and the colour.
const COLOURS: &str = "colours";

/// Whether a folder of this name holds selfies of living people.
pub(super) fn is_genuine(kind: &str) -> bool {
    kind.starts_with(GENUINE)
}

/// Folders by name, each with the folders of its recordings.
pub(super) fn kinds(dir: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, Failure> {
    let mut kinds = Vec::new();
    for folder in folders(dir)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        kinds.push((name, folders(&folder)?));
    }
    if kinds.iter().all(|(_, recordings)| recordings.is_empty()) {
        return Err(format!(
            "{}: no recordings; expected folders such as {GENUINE}/001 and screen/001, each with the frames of one selfie",
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
    let entries = fs::read_dir(recording).map_err(|error| format!("{}: {error}", recording.display()))?;
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

/// What was asked for in a recording of those in `dir`; the server counts as having watched it.
pub(super) fn asked(vision: &Vision, dir: &Path, recording: &Path, frames: &[Picture]) -> Result<Asked, Failure> {
    let text = text(&recording.join(MOVEMENTS))?.unwrap_or_default();
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let parse = |name: &str| {
        Challenge::parse(name).ok_or_else(|| format!("{}: {name} is not a movement", recording.display()).into())
    };
    let movements: Vec<Challenge> = names.map(parse).collect::<Result<_, Failure>>()?;
    let flashes = flashes(vision, recording, frames)?;
    let watched = watched(recording)?;
    let repeated_frames = repeated(dir, recording, frames)?;
    Ok(Asked {
        live: (!movements.is_empty()).then(|| LiveFindings {
            answered_ms: Vec::new(),
            same_frames: true,
            watched,
            commitment: Some(Commitment::Kept),
            run: 1,
            repeated_frames,
            unseen_turns: 0,
            flashes,
        }),
        movements,
    })
}

/// The frames that the server saw at each movement; `None` if the recording does not say.
fn watched(recording: &Path) -> Result<Option<Vec<u32>>, Failure> {
    let Some(text) = text(&recording.join(WATCHED))? else {
        return Ok(None);
    };
    let parse = |number: &str| {
        let wrong = |_| format!("{}: {number} is not a frame number", recording.display()).into();
        number.trim().parse().map_err(wrong)
    };
    text.split(',').map(parse).collect::<Result<_, Failure>>().map(Some)
}

/// How many frames another session has sent before.
fn repeated(dir: &Path, recording: &Path, sent: &[Picture]) -> Result<u32, Failure> {
    let Some(earlier) = text(&recording.join(SENT_BEFORE))? else {
        return Ok(0);
    };
    let earlier = frames(&dir.join(earlier.trim()))?;
    let known: HashSet<_> = earlier.iter().map(|frame| frame_print(frame).0).collect();
    let repeated = sent
        .iter()
        .filter(|frame| known.contains(&frame_print(frame).0))
        .count();
    Ok(u32::try_from(repeated).unwrap_or(u32::MAX))
}

/// The frames of the screen's colours, with what the camera's small copies would have shown; `None` if there were no colours.
fn flashes(vision: &Vision, recording: &Path, frames: &[Picture]) -> Result<Option<Vec<Flash>>, Failure> {
    let Some(text) = text(&recording.join(COLOURS))? else {
        return Ok(None);
    };
    let parse = |line: &str| -> Result<Flash, Failure> {
        let wrong = || format!("{}: {line} is not a frame and its colour", recording.display());
        let (number, colour) = line.split_once(' ').ok_or_else(wrong)?;
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let frame = frames.get(number as usize).ok_or_else(wrong)?;
        let copy = Picture::from_raster(frame.rgb.shrunk(COPY_SIDE).into_owned())?;
        Ok(Flash {
            colour: Colour::parse(colour).ok_or_else(wrong)?,
            frame: Some(number),
            tint: vision.glance(&normalise(&copy.jpeg)?).and_then(|glance| glance.tint),
        })
    };
    let flashes = text.lines().map(parse).collect::<Result<_, Failure>>()?;
    Ok(Some(flashes))
}

/// A text file's content; `None` if there is none.
fn text(file: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", file.display()).into()),
    }
}

/// Whether a file is a picture, by its name.
pub(super) fn is_picture(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["jpg", "jpeg", "png", "webp"].contains(&ending.to_ascii_lowercase().as_str())
}
