//! `honnin eval attacks`: recordings in, a report out.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// Frames of a face that looks straight: a photograph that comes with the models, and its mirror image over it. Each is `brighter` by this much at its right edge.
fn straight(recording: &Path, frames: usize, brighter: impl Fn(usize) -> usize) {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let photograph = fs::read(models.join("samples/sample3.jpg")).unwrap();
    let face = vision::normalise(&photograph).unwrap().rgb.crop(1000, 180, 320, 420);
    let face = face.unwrap();
    let mirrored = face.mirrored();
    let both = face.pixels().iter().zip(mirrored.pixels());
    let straight: Vec<u8> = both.map(|(a, b)| a.midpoint(*b)).collect();
    fs::create_dir_all(recording).unwrap();
    for frame in 0..frames {
        // Towards the right, as in light from there.
        let light = |at: usize| (brighter(frame) * (at / 3 % face.width()) / face.width()) as u8;
        let pixels = straight
            .iter()
            .enumerate()
            .map(|(at, value)| value.saturating_add(light(at)));
        let picture = vision::raster::Raster::new(face.width(), face.height(), pixels.collect()).unwrap();
        let jpeg = vision::Picture::from_raster(picture).unwrap().jpeg;
        fs::write(recording.join(format!("{frame:02}.jpg")), jpeg).unwrap();
    }
    fs::write(recording.join("movements"), "turn_left").unwrap();
}

fn honnin(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_honnin"))
        .args(arguments)
        .env(
            "HONNIN_MODELS_DIR",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../models"),
        )
        .output()
        .unwrap()
}

#[test]
fn recordings_are_judged_once_and_reported_by_kind() {
    let dir = tempfile::tempdir().unwrap();
    let (recordings, out) = (dir.path().join("recordings"), dir.path().join("report"));
    straight(&recordings.join("still/0001"), 3, |_| 0);
    straight(&recordings.join("genuine/0001"), 3, |frame| frame * 18);
    let replayed = recordings.join("replayed/0001");
    straight(&replayed, 3, |frame| frame * 18);
    fs::write(replayed.join("sent-before"), "genuine/0001").unwrap();
    let unasked = recordings.join("unasked/0001");
    straight(&unasked, 3, |frame| frame * 18);
    fs::write(unasked.join("watched"), "0,2").unwrap();
    let arguments = [
        "eval",
        "attacks",
        recordings.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    let first = honnin(&arguments);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let report: serde_json::Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let reasons = |kind: &str| {
        let reasons = report["kinds"][kind]["reasons"].as_object().unwrap();
        reasons.keys().cloned().collect::<Vec<_>>()
    };
    for (kind, rate) in [
        ("genuine", "BPCER"),
        ("still", "APCER"),
        ("replayed", "APCER"),
        ("unasked", "APCER"),
    ] {
        assert_eq!(report["kinds"][kind]["rate"], rate, "{kind}");
    }
    // Nobody turns in any of them, so that none is approved: they differ in the reason.
    for (kind, reason) in [
        ("still", "selfie_liveness_failed"),
        ("replayed", "selfie_injection_suspected"),
        ("unasked", "selfie_injection_suspected"),
    ] {
        let [found, genuine] = [reasons(kind), reasons("genuine")];
        assert!(found.contains(&reason.to_owned()), "{kind}: {found:?}");
        assert!(!genuine.contains(&reason.to_owned()), "{genuine:?}");
    }
    assert!(
        fs::read_to_string(out.join("report.html"))
            .unwrap()
            .contains("replayed")
    );
    // Run again, it judges nothing again; interrupted, it judges what is missing.
    let judged = out.join("recordings.jsonl");
    let lines = fs::read_to_string(&judged).unwrap();
    assert_eq!(lines.lines().count(), 4);
    assert!(honnin(&arguments).status.success());
    assert_eq!(fs::read_to_string(&judged).unwrap(), lines);
    let cut = lines.trim_end().rsplit_once('\n').unwrap().0;
    fs::write(&judged, format!("{cut}\n{{\"recording\":\"unas")).unwrap();
    assert!(honnin(&arguments).status.success());
    assert_eq!(fs::read_to_string(&judged).unwrap().lines().count(), 5);
}

#[test]
fn what_a_recording_lacks_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let recording = dir.path().join("screen/0001");
    straight(&recording, 1, |_| 0);
    // Beside the recordings, since every folder among them is a kind.
    let reports = tempfile::tempdir().unwrap();
    let out = reports.path().join("report");
    let arguments = [
        "eval",
        "attacks",
        dir.path().to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    for (file, text, wanted) in [
        ("movements", "jump", "jump is not a movement"),
        ("watched", "0,x", "x is not a frame number"),
        ("sent-before", "genuine/0009", "genuine/0009"),
    ] {
        let before = fs::read(recording.join(file)).ok();
        fs::write(recording.join(file), text).unwrap();
        let failed = honnin(&arguments);
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(!failed.status.success() && said.contains(wanted), "{file}: {said}");
        match before {
            Some(before) => fs::write(recording.join(file), before).unwrap(),
            None => fs::remove_file(recording.join(file)).unwrap(),
        }
    }
}
