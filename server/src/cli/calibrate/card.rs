//! Completes the model card of a task, keeping its comments and order.

use super::Failure;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};
use toml_edit::{DocumentMut, Item};

/// Sets values in the table `task` of the card that has it. Returns the card's path.
pub(super) fn complete(models: &Path, task: &str, set: impl FnOnce(&mut Item)) -> Result<PathBuf, Failure> {
    let (path, mut card) = find(models, task)?.ok_or_else(|| {
        format!(
            "{}: no model card with [{task}]; the networks that come with Honnin are already calibrated",
            models.display()
        )
    })?;
    set(&mut card[task]);
    // Written beside it and renamed: an interruption leaves the old card or the new one.
    let staged = path.with_extension("new");
    let mut file = fs::File::create(&staged)?;
    file.write_all(card.to_string().as_bytes())?;
    file.set_permissions(fs::metadata(&path)?.permissions())?;
    file.sync_all()?;
    fs::rename(&staged, &path)?;
    Ok(path)
}

fn find(models: &Path, task: &str) -> Result<Option<(PathBuf, DocumentMut)>, Failure> {
    for entry in fs::read_dir(models)? {
        let path = entry?.path();
        if !path.to_string_lossy().ends_with(".card.toml") {
            continue;
        }
        let card: DocumentMut = fs::read_to_string(&path)?
            .parse()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        if card.contains_table(task) {
            return Ok(Some((path, card)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml_edit::value;

    #[test]
    fn a_card_keeps_its_comments_and_gets_the_values() {
        let models = tempfile::tempdir().unwrap();
        fs::write(
            models.path().join("a.card.toml"),
            "name = \"passive\"\n[liveness]\ncrop = 2.7\n",
        )
        .unwrap();
        let card = "# From the makers.\nname = \"faces\"\n\n[face]\nlength = 3 # numbers\n\n[face.calibration]\nmiddle = 1.0\nslope = 2.0\n";
        fs::write(models.path().join("b.card.toml"), card).unwrap();
        let path = complete(models.path(), "face", |face| face["calibration"]["middle"] = value(0.5)).unwrap();
        let written = fs::read_to_string(path).unwrap();
        assert_eq!(written, card.replace("middle = 1.0", "middle = 0.5"));
        let missing = complete(models.path(), "other", |_| ()).unwrap_err().to_string();
        assert!(missing.contains("no model card with [other]"), "{missing}");
    }
}
