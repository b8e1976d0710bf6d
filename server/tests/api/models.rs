//! Networks that an operator adds by a model card: how they judge, and how they are calibrated.

use domain::findings::{Asked, Face, FaceEngine, Unavailable};
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;
use testkit::network::mean_of_planes;
use vision::{Picture, Vision, raster::Raster};

/// Side of the pictures that the networks of these tests take.
const SIDE: usize = 32;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models")
}

/// A folder with the models that Honnin comes with and these cards, each for the network that gives the mean of each plane.
fn folder(cards: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path();
        symlink(
            fs::canonicalize(&path).unwrap(),
            dir.path().join(path.file_name().unwrap()),
        )
        .unwrap();
    }
    let network = mean_of_planes(SIDE);
    fs::write(dir.path().join("means.onnx"), &network).unwrap();
    let sha256 = hex::encode(Sha256::digest(&network));
    for (name, task) in cards {
        let card = format!(
            "name = \"{name}\"\nfile = \"means.onnx\"\nsha256 = \"{sha256}\"\nlicence = \"CC0-1.0\"\nsource = \"made for a test\"\n{task}"
        );
        fs::write(dir.path().join(format!("{name}.card.toml")), card).unwrap();
    }
    dir
}

const FACES: &str = "
[input]
side = 32
channels = \"bgr\"
scale = [0.00392157, 0.00392157, 0.00392157]

[face]
alignment = \"arcface5\"
length = 3
";

const PASSIVE: &str = "
[input]
side = 32
scale = [0.00392157, 0.00392157, 0.00392157]

[liveness]
crop = 1.0
living = 0
";

/// A face from the photographs that come with the models, each channel multiplied.
fn tinted(tint: [f32; 3]) -> Picture {
    let photograph = fs::read(models().join("samples/sample1.jpg")).unwrap();
    let sample = vision::normalise(&photograph)
        .unwrap()
        .rgb
        .crop(1380, 80, 420, 500)
        .unwrap();
    let pixels = sample.pixels().chunks_exact(3).flat_map(|pixel| {
        let of = |channel: usize| (f32::from(pixel[channel]) * tint[channel]) as u8;
        [of(0), of(1), of(2)]
    });
    Picture::from_raster(Raster::new(420, 500, pixels.collect()).unwrap()).unwrap()
}

fn face(vision: &Vision, picture: Picture) -> Face {
    vision.examine_selfie(&[picture], &Asked::default()).face.unwrap()
}

fn honnin(models: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_honnin"))
        .args(arguments)
        .env("HONNIN_MODELS_DIR", models)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_face_is_described_by_the_network_of_the_card_as_the_card_says() {
    let calibration = "[face.calibration]\nmiddle = 0.2\nslope = 50.0\n";
    let dir = folder(&[("means", &format!("{FACES}{calibration}"))]);
    let vision = Vision::load(dir.path());
    assert_eq!(vision.missing(), [], "{:?}", vision.faults());
    let [plain, red] = [[1.0, 1.0, 1.0], [1.0, 0.5, 0.5]].map(|tint| face(&vision, tinted(tint)));
    assert!(plain.engine.name.starts_with("means@"), "{}", plain.engine.name);
    // The network takes blue first, and gives the mean of each plane.
    let [blue, _, red_of_plain] = plain.descriptor[..] else {
        panic!("three numbers, not {:?}", plain.descriptor)
    };
    assert!(
        (0.05..0.95).contains(&blue) && red_of_plain > blue,
        "{:?}",
        plain.descriptor
    );
    assert!((red.descriptor[0] - blue / 2.0).abs() < 0.02 && (red.descriptor[2] - red_of_plain).abs() < 0.02);
    let (raw, shown) = (plain.raw_distance(&red).unwrap(), plain.distance(&red).unwrap());
    let wanted = FaceEngine::SCALE.middle + 50.0 / FaceEngine::SCALE.slope * (f64::from(raw) - 0.2);
    assert!((f64::from(shown) - wanted).abs() < 1e-5, "{raw} {shown} {wanted}");
    let used = vision.models();
    let ours = used.iter().find(|model| model.name == "means.onnx").unwrap();
    assert_eq!(ours.licence, "CC0-1.0");
    assert!(
        used.iter()
            .all(|model| !model.licence.is_empty() && !model.name.contains("face_recognition"))
    );
}

#[test]
fn descriptors_compared_by_angle_have_length_one() {
    let card =
        format!("{FACES}distance = \"cosine\"\nmirrored = true\n\n[face.calibration]\nmiddle = 0.2\nslope = 50.0\n");
    let dir = folder(&[("means", &card)]);
    let vision = Vision::load(dir.path());
    let [plain, darker] = [[1.0; 3], [0.6; 3]].map(|tint| face(&vision, tinted(tint)));
    let length: f32 = plain.descriptor.iter().map(|v| v * v).sum();
    assert!((length - 1.0).abs() < 1e-4);
    assert!(
        plain.raw_distance(&darker).unwrap() < 0.02,
        "brightness changes the length, not the angle"
    );
}

#[test]
fn without_calibration_or_with_other_weights_nobody_is_compared_by_any_network() {
    let uncalibrated = folder(&[("means", FACES)]);
    let vision = Vision::load(uncalibrated.path());
    assert_eq!(vision.missing(), [Unavailable::Face]);
    assert!(
        vision.faults()[0].to_string().contains("honnin calibrate faces"),
        "{:?}",
        vision.faults()
    );

    let altered = folder(&[(
        "means",
        &format!("{FACES}[face.calibration]\nmiddle = 0.2\nslope = 50.0\n"),
    )]);
    fs::write(altered.path().join("means.onnx"), mean_of_planes(SIDE + 1)).unwrap();
    assert_eq!(Vision::load(altered.path()).missing(), [Unavailable::Face]);

    let broken = folder(&[("means", "nonsense")]);
    assert_eq!(Vision::load(broken.path()).missing(), [Unavailable::Face]);
}

#[test]
fn a_passive_network_gives_its_least_probability_and_a_missing_one_is_said() {
    let dir = folder(&[("passive", &format!("{PASSIVE}limit = 0.4\n"))]);
    let vision = Vision::load(dir.path());
    let found = |tint| vision.examine_selfie(&[tinted([1.0; 3]), tinted(tint)], &Asked::default());
    let [same, darker] = [[1.0; 3], [0.5; 3]].map(|tint| found(tint).passive.unwrap());
    assert!(same.model.starts_with("passive@") && (same.limit - 0.4).abs() < 1e-6);
    assert!(
        (darker.score - same.score / 2.0).abs() < 0.03,
        "the mean of the red plane: {same:?} {darker:?}"
    );
    assert!(found([1.0; 3]).models.iter().any(|model| model.name == "means.onnx"));

    fs::remove_file(dir.path().join("means.onnx")).unwrap();
    let without = Vision::load(dir.path());
    assert_eq!(without.missing(), [Unavailable::Liveness]);
    let found = without.examine_selfie(&[tinted([1.0; 3])], &Asked::default());
    assert_eq!(found.unavailable, [Unavailable::Liveness]);
}

#[test]
fn a_network_of_faces_is_calibrated_on_a_folder_of_people_and_then_used() {
    let dir = folder(&[("means", FACES)]);
    let people = tempfile::tempdir().unwrap();
    for (person, tint) in [
        ("Ada", [1.0, 1.0, 1.0]),
        ("Bea", [1.0, 0.6, 1.0]),
        ("Cleo", [1.0, 1.0, 0.5]),
    ] {
        for number in 1..=3_u8 {
            let light = 1.0 - 0.03 * f32::from(number);
            let picture = tinted(tint.map(|channel| channel * light));
            fs::write(people.path().join(format!("{person}_{number:04}.jpg")), picture.jpeg).unwrap();
        }
    }
    let out = dir.path().join("report");
    let arguments = [
        "calibrate",
        "faces",
        people.path().to_str().unwrap(),
        "--write",
        "--out",
        out.to_str().unwrap(),
    ];
    let output = honnin(dir.path(), &arguments);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains("9 pairs of the same person, 27 of different people"),
        "{}",
        said(&output)
    );
    let report: serde_json::Value = serde_json::from_slice(&fs::read(out.join("faces.json")).unwrap()).unwrap();
    assert_eq!(report["equalErrorRate"]["rate"], 0.0);
    assert!(fs::read_to_string(out.join("faces.html")).unwrap().contains("<svg"));
    let vision = Vision::load(dir.path());
    assert_eq!(vision.missing(), [], "{:?}", vision.faults());
    let [ada, bea] = [[0.98; 3], [0.98, 0.59, 0.98]].map(|tint| face(&vision, tinted(tint)));
    let again = face(&vision, tinted([0.93; 3]));
    let confidence = |other: &Face| domain::decision::match_confidence(f64::from(ada.distance(other).unwrap()));
    assert!(
        confidence(&again) > 0.8 && confidence(&bea) < 0.2,
        "{} {}",
        confidence(&again),
        confidence(&bea)
    );
}

#[test]
fn a_passive_network_is_calibrated_on_attacks_and_living_people() {
    let dir = folder(&[("passive", PASSIVE)]);
    assert_eq!(
        Vision::load(dir.path()).missing(),
        [Unavailable::Liveness],
        "not calibrated"
    );
    let recordings = tempfile::tempdir().unwrap();
    for (kind, tint) in [("genuine", [1.0; 3]), ("screen", [0.4, 1.0, 1.0])] {
        for number in 1..=2_u8 {
            let recording = recordings.path().join(kind).join(number.to_string());
            fs::create_dir_all(&recording).unwrap();
            fs::write(recording.join("1.jpg"), tinted(tint).jpeg).unwrap();
        }
    }
    let out = dir.path().join("report");
    let folder = recordings.path().to_str().unwrap();
    let output = honnin(
        dir.path(),
        &[
            "calibrate",
            "liveness",
            folder,
            "--write",
            "--out",
            out.to_str().unwrap(),
        ],
    );
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("APCER 0.0 %"), "{}", said(&output));
    let vision = Vision::load(dir.path());
    assert_eq!(vision.missing(), [], "{:?}", vision.faults());
    let passes = |tint| {
        let uploaded = vision::normalise(&tinted(tint).jpeg).unwrap();
        let passive = vision.examine_selfie(&[uploaded], &Asked::default()).passive.unwrap();
        passive.score >= passive.limit
    };
    assert!(passes([1.0; 3]) && !passes([0.4, 1.0, 1.0]));
}
