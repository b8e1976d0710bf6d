//! Whole runs with the real models: pictures in, findings out. The faces come with the models, the documents are specimens of
//! people who do not exist.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use domain::document::{DocumentType, FieldName, Side};
use domain::findings::{Asked, Challenge, DocumentFindings, Face, MrzFormat, Unavailable};
use domain::live::MAX_FRAMES;
use domain::quality::DARK;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use time::macros::date;
use vision::raster::Raster;
use vision::{Picture, Vision, normalise};

const TODAY: time::Date = date!(2026 - 11 - 21);
/// Where the passport's portrait goes: left, top, width, height.
const PORTRAIT: [usize; 4] = [188, 270, 250, 328];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn vision() -> &'static Vision {
    static VISION: OnceLock<Vision> = OnceLock::new();
    VISION.get_or_init(|| {
        let vision = Vision::load(&root().join("models"));
        assert!(
            vision.missing().is_empty(),
            "{:?}: run `cargo xtask models` first",
            vision.faults()
        );
        vision
    })
}

fn sample(number: u8) -> Raster {
    open(&root().join(format!("models/samples/sample{number}.jpg"))).rgb
}

fn specimen(name: &str) -> Picture {
    open(&root().join("vision/tests/specimens").join(name))
}

fn open(path: &Path) -> Picture {
    let bytes =
        std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}: run `cargo xtask models` first", path.display()));
    normalise(&bytes).unwrap()
}

/// The first sitter's face as her documents show it.
fn sitter() -> Raster {
    sample(3).crop(1000, 180, 320, 420).unwrap()
}

/// The same person on another day, and somebody else.
fn selfies() -> [Picture; 2] {
    let cut = |number, x, y| Picture::from_raster(sample(number).crop(x, y, 420, 500).unwrap()).unwrap();
    [cut(1, 1380, 80), cut(6, 1070, 230)]
}

/// The specimen passport with the sitter's portrait.
fn passport() -> Raster {
    let mut page = specimen("passport.jpg").rgb;
    let [left, top, width, height] = PORTRAIT;
    page.paste(&sitter().resized(width, height), left, top);
    page
}

fn examine(page: Raster, kind: DocumentType, side: Side) -> DocumentFindings {
    vision().examine_document(&Picture::from_raster(page).unwrap(), kind, side, TODAY)
}

fn value(findings: &DocumentFindings, name: FieldName) -> Option<&str> {
    findings
        .fields
        .iter()
        .find(|field| field.name == name)
        .and_then(|field| field.normalized.as_deref())
}

fn asked(challenge: Challenge) -> Asked {
    Asked {
        movements: vec![challenge],
        live: None,
    }
}

fn face_of(picture: &Picture) -> Face {
    vision()
        .examine_selfie(std::slice::from_ref(picture), &Asked::default())
        .face
        .unwrap()
}

#[test]
fn a_passport_is_read_wholly_and_its_portrait_is_its_owner() {
    let found = examine(passport(), DocumentType::Passport, Side::Front);
    let mrz = found.mrz.as_ref().unwrap();
    assert_eq!(mrz.format, MrzFormat::Td3);
    assert_eq!(
        mrz.lines,
        [
            "P<UTOMUELLER<<FELIX<<<<<<<<<<<<<<<<<<<<<<<<<",
            "NS04296457UTO6403164M33092767038800078<<<<56"
        ]
    );
    assert_eq!((mrz.checks_passed, mrz.checks_total), (5, 5));
    let wanted = [
        (FieldName::LastName, "MUELLER"),
        (FieldName::FirstName, "FELIX"),
        (FieldName::BirthDate, "1964-03-16"),
        (FieldName::DocumentNumber, "NS0429645"),
        (FieldName::ExpiryDate, "2033-09-27"),
        (FieldName::IssueDate, "2023-09-28"),
    ];
    for (name, text) in wanted {
        assert_eq!(value(&found, name), Some(text), "{name}");
    }
    assert_eq!(found.viz_agreement, Some(1.0));
    assert!(found.specimen_words, "the state is Utopia");
    assert!(found.grey_share.unwrap() < 0.97 && found.raster_z.unwrap() < 9.0);
    assert!(found.unavailable.is_empty() && found.models.len() == 10 && found.timings.len() > 5);
    let portrait = found.portrait.unwrap();
    let [owner, stranger] = selfies().map(|picture| portrait.distance(&face_of(&picture)).unwrap());
    assert!(owner < 0.55, "{owner}");
    assert!(stranger > 0.65, "{stranger}");
}

/// The page with a second portrait, small and faint, where nothing else is printed.
fn with_second_portrait(mut page: Raster, face: &Raster) -> Raster {
    let [left, top, width, height] = [935, 300, 125, 164];
    let paper = page.crop(left, top, width, height).unwrap();
    let face = face.resized(width, height);
    let faint = |(paper, face): (&u8, &u8)| {
        let dark = 1.0 - f32::from(*face) / 255.0;
        (f32::from(*paper) * (1.0 - 0.6 * dark)) as u8
    };
    let pixels = paper.pixels().iter().zip(face.pixels()).map(faint).collect();
    page.paste(&Raster::new(width, height, pixels).unwrap(), left, top);
    page
}

#[test]
fn a_second_portrait_tells_whether_the_first_was_replaced() {
    let repeated = |second: &Raster| {
        let page = with_second_portrait(passport(), second);
        examine(page, DocumentType::Passport, Side::Front).portrait_repeated
    };
    let own = repeated(&sitter()).unwrap();
    assert!(own < 0.45, "{own}");
    let replaced = repeated(&sample(6).crop(1120, 230, 320, 420).unwrap()).unwrap();
    assert!(replaced > 0.55, "{replaced}");
    assert_eq!(
        examine(passport(), DocumentType::Passport, Side::Front).portrait_repeated,
        None
    );
}

/// Detects if a second portrait is looked for at the size alone at which the first one is found.
#[test]
fn a_second_portrait_is_found_on_a_page_that_is_far_away() {
    let repeated = |second: &Raster| {
        let page = with_second_portrait(passport(), second);
        let mut table = Raster::filled(page.width() * 3 / 2, page.height() * 3 / 2, [70, 52, 38]);
        table.paste(&page, page.width() / 4, page.height() / 4);
        examine(table, DocumentType::Passport, Side::Front).portrait_repeated
    };
    let own = repeated(&sitter()).unwrap();
    assert!(own < 0.45, "{own}");
    let replaced = repeated(&sample(6).crop(1120, 230, 320, 420).unwrap()).unwrap();
    assert!(replaced > 0.5, "{replaced}");
}

/// The page on a dark table, beside three larger pictures of somebody else.
fn beside_a_strangers_pictures(page: &Raster) -> Raster {
    const MARGIN: usize = 60;
    let stranger = sample(6).crop(1120, 230, 320, 420).unwrap().resized(440, 578);
    let (width, height) = (page.width() + 2 * MARGIN, page.height().max(1100) + 700);
    let mut table = Raster::new(width, height, [70, 52, 38].repeat(width * height)).unwrap();
    table.paste(page, MARGIN, MARGIN);
    for number in 0..3 {
        let apart = (width - 3 * stranger.width()) / 4;
        table.paste(
            &stranger,
            apart + number * (apart + stranger.width()),
            height - stranger.height() - MARGIN,
        );
    }
    table
}

#[test]
fn a_face_beside_the_passport_is_never_taken_for_its_portrait() {
    let [_, stranger] = selfies();
    let stranger = face_of(&stranger);
    let mut covered = passport();
    let [left, top, width, height] = PORTRAIT;
    covered.paste(
        &Raster::new(width, height, [200, 205, 210].repeat(width * height)).unwrap(),
        left,
        top,
    );
    for (page, has_portrait) in [(passport(), true), (covered, false)] {
        let found = examine(beside_a_strangers_pictures(&page), DocumentType::Passport, Side::Front);
        assert_eq!(found.mrz.as_ref().map(|zone| zone.checks_passed), Some(5));
        assert_eq!(found.portrait.is_some(), has_portrait);
        let far = found.portrait.and_then(|portrait| portrait.distance(&stranger));
        assert!(far.is_none_or(|far| far > 0.65), "{far:?}");
    }
}

/// The page as a lens shows it that focuses elsewhere: detail below so many pixels is gone.
fn blurred(page: &Raster, pixels: f32) -> Raster {
    let smaller = |length: usize| (length as f32 / pixels) as usize;
    page.resized(smaller(page.width()), smaller(page.height()))
        .resized(page.width(), page.height())
}

#[test]
fn on_a_blurred_page_fillers_are_no_name_and_labels_are_no_values() {
    let labels = [
        "surname",
        "nom",
        "givennames",
        "prénoms",
        "nationality",
        "nationalité",
        "authority",
        "autorité",
        "sex",
        "sexe",
        "code",
        "dateofbirth",
        "dateofissue",
        "dateofexpiry",
        "passportno",
        "type",
        "姓",
        "名",
        "国籍",
        "性別",
        "発行年月日",
        "生年月日",
        "番号",
        "発行官庁",
        "本籍",
    ];
    let mut read = 0;
    for pixels in [2.0, 2.8, 3.2, 3.6, 4.5] {
        let found = examine(blurred(&passport(), pixels), DocumentType::Passport, Side::Front);
        for field in &found.fields {
            let text = field.text.clone().unwrap_or_default();
            let bare: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
            assert!(!labels.contains(&bare.as_str()), "{pixels}: {} is {text}", field.name);
            let is_name = matches!(field.name, FieldName::LastName | FieldName::FirstName);
            let run = text
                .as_bytes()
                .windows(4)
                .any(|run| run.iter().all(|letter| *letter == run[0]));
            assert!(!(is_name && run), "{pixels}: {} is {text}", field.name);
            read += usize::from(is_name);
        }
    }
    assert!(read >= 4, "a blur that leaves nothing shows nothing");
}

#[test]
fn a_passport_on_its_side_or_head_is_read_and_its_portrait_lies_where_it_lies() {
    let page = passport();
    let (width, height) = (page.width() as f32, page.height() as f32);
    let middle = [
        (PORTRAIT[0] + PORTRAIT[2] / 2) as f32,
        (PORTRAIT[1] + PORTRAIT[3] / 2) as f32,
    ];
    let turned = [
        [height - middle[1], middle[0]],
        [width - middle[0], height - middle[1]],
        [middle[1], width - middle[0]],
    ];
    for (quarters, wanted) in (1..4).zip(turned) {
        let found = examine(page.turned(quarters), DocumentType::Passport, Side::Front);
        assert_eq!(found.mrz.map(|mrz| mrz.checks_passed), Some(5), "{quarters}");
        let [left, top, w, h] = found.portrait.unwrap().bounds;
        let off = (left + w / 2.0 - wanted[0]).hypot(top + h / 2.0 - wanted[1]);
        assert!(off < 90.0, "{quarters}: {left} {top} {w} {h}, wanted {wanted:?}");
    }
}

#[test]
fn a_card_shows_its_items_in_front_and_its_zone_on_the_back() {
    let front = examine(specimen("card-front.jpg").rgb, DocumentType::IdCard, Side::Front);
    let back = examine(specimen("card-back.jpg").rgb, DocumentType::IdCard, Side::Back);
    let wanted = [
        (FieldName::LastName, "KOWALSKI"),
        (FieldName::FirstName, "HANAKO"),
        (FieldName::BirthDate, "2002-01-25"),
        (FieldName::ExpiryDate, "2032-11-20"),
        (FieldName::DocumentNumber, "JT3989746"),
    ];
    for (name, text) in wanted {
        assert_eq!(value(&front, name), Some(text), "front {name}");
        assert_eq!(value(&back, name), Some(text), "back {name}");
    }
    assert_eq!(value(&front, FieldName::IssueDate), Some("2022-11-21"));
    assert!(front.mrz.is_none() && front.portrait.is_none());
    for day in ["2002-01-25", "2032-11-20"] {
        assert!(front.days_in_print.0.iter().any(|named| named == day), "{day}");
    }
    assert_eq!(
        back.mrz.map(|mrz| (mrz.format, mrz.checks_passed)),
        Some((MrzFormat::Td1, 4))
    );
}

#[test]
fn two_sides_of_a_card_are_told_from_two_pictures_of_one() {
    let (front, back) = (specimen("card-front.jpg").rgb, specimen("card-back.jpg").rgb);
    let likeness = |page: Raster| examine(page, DocumentType::IdCard, Side::Front).likeness.unwrap();
    let known = likeness(front.clone());
    let other = known.shared_with(&likeness(back.clone()));
    assert!(other < 0.05, "front and back: {other}");
    let (width, height) = (front.width(), front.height());
    let edited = [
        ("blurred", blurred(&front, 1.6)),
        (
            "cropped",
            front
                .crop(width / 12, height / 12, width * 5 / 6, height * 5 / 6)
                .unwrap(),
        ),
        ("tilted", tilted(&front, 12.0)),
        ("turned", front.turned(1)),
    ];
    for (edit, page) in edited {
        let share = known.shared_with(&likeness(page));
        assert!(share > 0.2, "{edit}: {share}");
    }
}

#[test]
fn an_empty_picture_has_no_findings_and_breaks_nothing() {
    let found = examine(
        Raster::filled(800, 600, [200, 190, 180]),
        DocumentType::IdCard,
        Side::Front,
    );
    assert!(found.mrz.is_none() && found.fields.is_empty() && found.portrait.is_none() && found.text_lines == 0);
    let none = vision().examine_selfie(&[], &asked(Challenge::TurnLeft));
    assert!(none.face.is_none() && none.liveness.is_none() && none.frames == 0);
}

#[test]
fn several_people_are_counted_and_a_face_that_fills_the_frame_is_found() {
    for number in 1..=6 {
        let group = vision().examine_selfie(&[Picture::from_raster(sample(number)).unwrap()], &Asked::default());
        assert!(group.faces >= 3, "sample {number}: {}", group.faces);
    }
    // Only forehead to chin: the first look of the cascade misses such a face.
    let close = sample(3).crop(1050, 230, 220, 260).unwrap().resized(660, 780);
    let found = vision().examine_selfie(&[Picture::from_raster(close).unwrap()], &Asked::default());
    assert_eq!(found.faces, 1);
    assert!(found.face.unwrap().eye_distance > 200.0);
}

#[test]
fn a_frame_before_the_camera_shows_a_face_its_place_and_its_side_or_none() {
    let straight = sample(6).crop(1070, 230, 420, 500).unwrap();
    let glance = |raster: Raster| vision().glance(&Picture::from_raster(raster).unwrap()).unwrap();
    // As small as the camera page sends it.
    let seen = glance(straight.resized(336, 400));
    let face = seen.face.unwrap();
    assert_eq!(seen.faces, 1);
    assert!(
        (0.3..0.7).contains(&face.middle[0]) && (0.2..0.7).contains(&face.middle[1]),
        "{face:?}"
    );
    assert!(
        (0.12..0.45).contains(&face.eye_distance) && face.yaw.abs() < 0.2,
        "{face:?}"
    );
    assert!((0.2..0.9).contains(&seen.luma), "{}", seen.luma);
    let mirrored = glance(straight.mirrored().resized(336, 400)).face.unwrap();
    assert!((face.middle[0] + mirrored.middle[0] - 1.0).abs() < 0.05 && (face.yaw + mirrored.yaw).abs() < 0.1);
    let wall = glance(Raster::filled(300, 400, [190, 180, 170]));
    assert!(wall.faces == 0 && wall.face.is_none());
    let mut both = Raster::filled(840, 500, [190, 180, 170]);
    both.paste(&straight, 0, 0);
    both.paste(&straight, 420, 0);
    let both = Picture::from_raster(both).unwrap();
    assert_eq!(vision().glance(&both).unwrap().faces, 2);
    assert_eq!(vision().count_faces(&both), Some(2));
}

#[test]
fn the_light_of_a_selfie_is_that_of_its_face_whatever_the_room_is_like() {
    let face = sample(6).crop(1070, 230, 420, 500).unwrap();
    let dim = face.pixels().iter().map(|value| value / 4).collect();
    let dim = Raster::new(face.width(), face.height(), dim).unwrap();
    let exposure = |face: &Raster, room: u8| {
        let mut picture = Raster::filled(1200, 1400, [room; 3]);
        picture.paste(face, 390, 400);
        let found = vision().examine_selfie(&[Picture::from_raster(picture).unwrap()], &Asked::default());
        assert_eq!(found.faces, 1);
        found.quality.exposure
    };
    assert!(exposure(&face, 5) > DARK);
    assert!(exposure(&dim, 250) < DARK);
}

#[test]
fn one_picture_sent_as_a_burst_is_still_and_turns_nowhere() {
    let [owner, stranger] = selfies();
    let still = vision().examine_selfie(
        &[owner.clone(), owner.clone(), owner.clone()],
        &asked(Challenge::TurnRight),
    );
    let liveness = still.liveness.unwrap();
    assert!(
        liveness.still && liveness.same_person_distance.unwrap() < 0.01,
        "{liveness:?}"
    );
    assert!(liveness.movements[0].extent < 0.35, "{liveness:?}");
    let swapped = vision()
        .examine_selfie(&[owner.clone(), stranger, owner], &asked(Challenge::TurnRight))
        .liveness
        .unwrap();
    assert!(
        !swapped.still && swapped.same_person_distance.unwrap() > 0.6,
        "{swapped:?}"
    );
}

/// Detects if only sixteen frames, spread over the burst, are looked at: the third is none of them.
#[test]
fn every_frame_of_the_longest_burst_is_looked_at_and_somebody_else_in_the_third_is_seen() {
    let [owner, stranger] = selfies();
    let mut frames = vec![owner; MAX_FRAMES];
    frames[2] = stranger;
    let found = vision().examine_selfie(&frames, &asked(Challenge::TurnRight));
    assert_eq!(found.poses.len(), MAX_FRAMES);
    let distance = found.liveness.unwrap().same_person_distance;
    assert!(distance.is_some_and(|distance| distance > 0.6), "{distance:?}");
}

/// A photograph held in front of the camera and turned about its upright axis, as the camera sees it.
fn tilted(picture: &Raster, degrees: f32) -> Raster {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let (sin, cos) = degrees.to_radians().sin_cos();
    let distance = 1.5 * width;
    let mut pixels = Vec::with_capacity(picture.pixels().len());
    for (y, x) in (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (y, x))) {
        // The ray through this pixel meets the photograph at `u` from its axis.
        let (across, down) = (x as f32 - width / 2.0, y as f32 - height / 2.0);
        let u = across * distance / (distance * cos - across * sin);
        let depth = (distance + u * sin) / distance;
        let (from_x, from_y) = (u + width / 2.0, down * depth + height / 2.0);
        let inside = from_x >= 0.0 && from_y >= 0.0 && from_x < width && from_y < height;
        let at = (from_y as usize * picture.width() + from_x as usize) * 3;
        pixels.extend_from_slice(if inside {
            &picture.pixels()[at..at + 3]
        } else {
            &[90, 90, 90]
        });
    }
    Raster::new(picture.width(), picture.height(), pixels).unwrap()
}

#[test]
fn a_photograph_that_is_turned_before_the_camera_is_no_turned_head() {
    let straight = sample(6).crop(1070, 230, 420, 500).unwrap();
    for degrees in [-40.0, -20.0, 20.0, 40.0] {
        let frames = [
            &straight,
            &tilted(&straight, degrees / 2.0),
            &tilted(&straight, degrees),
        ];
        let frames = frames.map(|frame| Picture::from_raster(frame.clone()).unwrap());
        for challenge in [Challenge::TurnLeft, Challenge::TurnRight] {
            let found = vision().examine_selfie(&frames, &asked(challenge)).liveness.unwrap();
            let turn = found.movements[0];
            let flat = turn.plane_residual.is_none_or(|residual| residual < 0.0785);
            assert!(turn.extent < 0.35 && flat, "{degrees}: {found:?}");
        }
    }
}

#[test]
fn without_its_reader_a_process_has_every_model_and_looks_at_faces_and_reads_nothing() {
    let without = Vision::load_without_reader(&root().join("models"));
    assert_eq!(without.missing(), [], "{:?}", without.faults());
    assert_eq!(without.models(), vision().models());
    let [selfie, _] = selfies();
    assert!(without.glance(&selfie).unwrap().face.is_some());
    assert_eq!(without.count_faces(&selfie), Some(1));
    let page = specimen("passport.jpg");
    let found = without.examine_document(&page, DocumentType::Passport, Side::Front, TODAY);
    assert_eq!(found.unavailable, [Unavailable::Text]);
    assert!(found.mrz.is_none() && found.fields.is_empty());
}

#[test]
fn networks_that_read_are_checked_by_a_process_that_does_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for name in ["PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"] {
        std::fs::copy(root().join("models").join(name), dir.join(name)).unwrap();
    }
    assert_eq!(Vision::load_without_reader(dir).missing(), [Unavailable::Face]);
    std::fs::write(dir.join("PP-OCRv6_rec_small.onnx"), b"not the weights").unwrap();
    let altered = Vision::load_without_reader(dir);
    assert_eq!(altered.missing(), [Unavailable::Text, Unavailable::Face]);
    assert!(altered.models().is_empty());
    let faults = altered.faults();
    assert!(faults[0].to_string().contains("SHA-256"), "{faults:?}");
}

#[test]
fn without_models_everything_says_that_it_is_unavailable() {
    let empty = tempfile::tempdir().unwrap();
    let blind = Vision::load(empty.path());
    assert_eq!(blind.missing(), [Unavailable::Text, Unavailable::Face]);
    assert_eq!(blind.faults().len(), 2);
    let page = specimen("passport.jpg");
    let found = blind.examine_document(&page, DocumentType::Passport, Side::Front, TODAY);
    assert_eq!(found.unavailable, [Unavailable::Text, Unavailable::Face]);
    assert!(found.mrz.is_none() && found.models.is_empty() && found.grey_share.is_some());
    let selfie = blind.examine_selfie(&[page], &asked(Challenge::TurnLeft));
    assert_eq!(selfie.unavailable, [Unavailable::Face]);
}
