//! V2: how many PDF417 codes are read: photographs with known texts, and rendered codes of licences of people who do not exist.

use crate::{Done, times::quantile};
use image::codecs::jpeg::JpegEncoder;
use rxing::pdf417::encoder::PDF417;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use vision::raster::Raster;

/// Reads every picture of a folder that has a text (`.txt`) or bytes (`.bin`) beside it, by the name before the last hyphen.
pub(crate) fn pictures(folder: &Path, verbose: bool) -> Done<Value> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let mut sets: std::collections::BTreeMap<String, Tally> = std::collections::BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "png")) {
        let wanted =
            std::fs::read(file.with_extension("txt")).or_else(|_| std::fs::read(file.with_extension("bin")))?;
        let picture = on_white(&image::open(file)?.to_rgba8()).ok_or("an empty picture")?;
        let started = Instant::now();
        let read = vision::pdf417(&picture);
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let set = name.rsplit_once('-').map_or(&*name, |(set, _)| set);
        let right = read.as_deref() == Some(&wanted);
        sets.entry(set.to_owned()).or_default().add(right, started);
        if verbose && !right {
            println!(
                "WRONG {name}: {:?}",
                read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            );
        }
    }
    Ok(sets
        .iter()
        .map(|(name, tally)| (name.clone(), tally.report(name)))
        .collect())
}

fn on_white(picture: &image::RgbaImage) -> Option<Raster> {
    let blend = |p: &image::Rgba<u8>| {
        let over = |c: u8| ((u32::from(c) * u32::from(p[3]) + 255 * (255 - u32::from(p[3]))) / 255) as u8;
        [over(p[0]), over(p[1]), over(p[2])]
    };
    let pixels = picture.pixels().flat_map(blend).collect();
    Raster::new(picture.width() as usize, picture.height() as usize, pixels)
}

/// Renders and reads `count` codes of each level; every byte must come back.
pub(crate) fn rendered(count: usize, verbose: bool) -> Done<Value> {
    let mut report = serde_json::Map::new();
    let mut all = Tally::default();
    for level in &LEVELS {
        let mut tally = Tally::default();
        for number in 0..count {
            let mut chance = Chance(0x9E37_79B9 * (number as u64 + 1));
            let payload = payload(&mut chance);
            let picture = photograph(&symbol(&payload, &mut chance)?, level, &mut chance)?;
            let started = Instant::now();
            let right = vision::pdf417(&picture).as_deref() == Some(payload.as_bytes());
            tally.add(right, started);
            all.add(right, started);
            if verbose && !right {
                println!("unread {} {number}", level.name);
            }
        }
        report.insert(level.name.to_owned(), tally.report(level.name));
    }
    report.insert("all".to_owned(), all.report("rendered codes, all"));
    Ok(Value::Object(report))
}

#[derive(Default)]
struct Tally {
    right: usize,
    milliseconds: Vec<f32>,
}

impl Tally {
    fn add(&mut self, right: bool, started: Instant) {
        self.right += usize::from(right);
        self.milliseconds.push(started.elapsed().as_secs_f32() * 1000.0);
    }

    fn report(&self, name: &str) -> Value {
        let total = self.milliseconds.len();
        let (low, high) = wilson(self.right, total);
        let [median, slow] = [0.5, 0.95].map(|share| quantile(&self.milliseconds, share));
        println!(
            "{name:<20} {} of {total} read, 95 % interval {:.1} to {:.1} %, p50 {median:.0} ms, p95 {slow:.0} ms",
            self.right,
            low * 100.0,
            high * 100.0
        );
        json!({"right": self.right, "total": total, "interval": [low, high], "p50": median, "p95": slow})
    }
}

/// Wilson's 95 % interval of a share.
pub(crate) fn wilson(right: usize, total: usize) -> (f64, f64) {
    let (n, z) = (total.max(1) as f64, 1.959_964_f64);
    let share = right as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (
        ((middle - spread) / scale).max(0.0),
        ((middle + spread) / scale).min(1.0),
    )
}

/// SplitMix64, so that a run can be repeated.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between two numbers.
    fn from(&mut self, low: f32, high: f32) -> f32 {
        low + (self.next() >> 40) as f32 / (1_u64 << 24) as f32 * (high - low)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// From the normal distribution, nearly: the sum of twelve even ones.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.from(-0.5, 0.5)).sum()
    }
}

const SURNAMES: [&str; 6] = [
    "SAMPLE",
    "MOCKERIDGE",
    "O'EXAMPLE",
    "VAN DER TEST",
    "LI",
    "SPECIMEN-DOE",
];
const GIVEN: [&str; 6] = ["JANE", "ALEXANDRINA", "BO", "MARY ANN", "CHRISTOPHER", "TY"];
const ISSUERS: [(&str, &str); 4] = [("636014", "CA"), ("636000", "VA"), ("636026", "AZ"), ("636012", "ON")];

/// What an issuer writes for somebody who does not exist.
fn payload(chance: &mut Chance) -> String {
    let (issuer, region) = ISSUERS[chance.below(ISSUERS.len())];
    let canada = issuer == "636012";
    let mut date = |from: usize| {
        let (year, month, day) = (from + chance.below(30), 1 + chance.below(12), 1 + chance.below(28));
        if canada {
            format!("{year}{month:02}{day:02}")
        } else {
            format!("{month:02}{day:02}{year}")
        }
    };
    let (birth, issue, expiry) = (date(1950), date(1995), date(2027));
    let number = chance.next() % 100_000_000;
    let mut elements = vec![
        format!("DAQ{region}{number:08}"),
        format!("DCS{}", SURNAMES[chance.below(6)]),
        format!("DAC{}", GIVEN[chance.below(6)]),
        format!("DBB{birth}\nDBA{expiry}\nDBD{issue}"),
        format!("DBC{}\nDAYBRO\nDAU0{} in", 1 + chance.below(2), 60 + chance.below(15)),
        format!(
            "DAG{} EXAMPLE STREET\nDAINOWHERE\nDAJ{region}\nDAK{:05}0000  ",
            chance.below(9999),
            chance.below(99999)
        ),
        format!("DCG{}", if canada { "CAN" } else { "USA" }),
    ];
    // Issuers differ widely in what else they write.
    if chance.below(2) == 0 {
        elements.push("DCAD\nDCBNONE\nDCDNONE\nDDEN\nDDFN\nDDGN\nDDAF\nDDB08292017".to_owned());
        elements.push(format!(
            "DCF{:016X}\nDCK{:016}",
            chance.next(),
            chance.next() % 10_u64.pow(16)
        ));
    }
    let body = format!("DL{}\r", elements.join("\n"));
    let version = 1 + chance.below(10);
    let jurisdiction = if version < 2 { "" } else { "00" };
    let head = format!("@\n\u{1e}\rANSI {issuer}{version:02}{jurisdiction}01");
    format!("{head}DL{:04}{:04}{body}", head.len() + 10, body.len())
}

/// Modules of the code, rows from the top.
fn symbol(payload: &str, chance: &mut Chance) -> Done<Vec<Vec<bool>>> {
    let mut encoder = PDF417::new();
    let columns = 9 + chance.below(8) as u32;
    encoder.setDimensions(columns, columns, 90, 3);
    encoder.generateBarcodeLogic(payload, 3 + chance.below(3) as u32)?;
    let matrix = encoder.getBarcodeMatrix().as_ref().ok_or("no code")?.getMatrix();
    Ok(matrix
        .into_iter()
        .rev()
        .map(|row| row.into_iter().map(|m| m == 1).collect())
        .collect())
}

/// What a camera does. All sizes are in modules as they appear in the picture, so that levels say how hard a code is.
struct Level {
    name: &'static str,
    /// Pixels a module, least and most.
    module: (f32, f32),
    /// Any turn up to this, degrees; a fourth of the pictures is turned by quarters as well.
    turn: f32,
    /// Greatest shift of a corner, as a share of the code's width.
    skew: f32,
    /// Standard deviation of the blur, modules.
    blur: f32,
    /// Standard deviation of the noise, of 255.
    noise: f32,
    /// How much darker one end is than the other.
    shade: f32,
    quality: u8,
}

const LEVELS: [Level; 3] = [
    Level {
        name: "codes clean",
        module: (2.0, 4.5),
        turn: 3.0,
        skew: 0.005,
        blur: 0.2,
        noise: 2.0,
        shade: 0.1,
        quality: 92,
    },
    Level {
        name: "codes mid",
        module: (1.8, 4.0),
        turn: 12.0,
        skew: 0.03,
        blur: 0.35,
        noise: 5.0,
        shade: 0.3,
        quality: 80,
    },
    Level {
        name: "codes hard",
        module: (1.6, 3.5),
        turn: 30.0,
        skew: 0.06,
        blur: 0.5,
        noise: 9.0,
        shade: 0.5,
        quality: 65,
    },
];

/// A photograph of the code on a card.
fn photograph(modules: &[Vec<bool>], level: &Level, chance: &mut Chance) -> Done<Raster> {
    let row_height = chance.from(2.5, 4.0);
    let (width, height) = (modules[0].len() as f32, modules.len() as f32 * row_height);
    let module = chance.from(level.module.0, level.module.1);
    let quarters = if chance.below(4) == 0 {
        chance.below(4) as f32 * 90.0
    } else {
        0.0
    };
    let (sin, cos) = (chance.from(-level.turn, level.turn) + quarters).to_radians().sin_cos();
    // Perspective as two terms of a projective map, so that a corner moves by the share of the width that is asked for.
    let lean = [
        chance.from(-level.skew, level.skew),
        chance.from(-level.skew, level.skew),
    ]
    .map(|skew| 2.0 * skew / width);
    let side = (width.hypot(height) * module * 1.15) as usize;
    let centre = side as f32 / 2.0;
    let (dark, light) = (chance.from(15.0, 60.0), chance.from(170.0, 245.0));
    let background = chance.next();
    let ink = |u: f32, v: f32| -> f32 {
        let (x, y) = (u + width / 2.0, v + height / 2.0);
        if x < 0.0 || y < 0.0 || x >= width || y >= height {
            return paper(x, y, width, height, background);
        }
        let module = modules
            .get((y / row_height) as usize)
            .and_then(|row| row.get(x as usize));
        f32::from(u8::from(module == Some(&true)))
    };
    let mut levels = vec![0.0_f32; side * side];
    for (i, level) in levels.iter_mut().enumerate() {
        let mut sum = 0.0;
        for sub in 0..9 {
            let x = (i % side) as f32 + (sub % 3) as f32 / 3.0 - centre;
            let y = (i / side) as f32 + (sub / 3) as f32 / 3.0 - centre;
            let (u, v) = ((x * cos + y * sin) / module, (y * cos - x * sin) / module);
            let w = 1.0 + lean[0] * u + lean[1] * v;
            sum += ink(u / w, v / w);
        }
        *level = light + (dark - light) * sum / 9.0;
    }
    let mut levels = blurred(&levels, side, level.blur * module * chance.from(0.5, 1.0));
    let slope = chance.from(-level.shade, level.shade) / side as f32;
    for (i, value) in levels.iter_mut().enumerate() {
        *value = *value * (1.0 + slope * ((i % side) as f32 - centre)) + level.noise * chance.normal();
    }
    let grey: Vec<u8> = levels
        .iter()
        .flat_map(|v| [v.round().clamp(0.0, 255.0) as u8; 3])
        .collect();
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, level.quality).encode(
        &grey,
        side as u32,
        side as u32,
        image::ExtendedColorType::Rgb8,
    )?;
    let rgb = image::load_from_memory(&jpeg)?.to_rgb8();
    Ok(Raster::new(side, side, rgb.into_raw()).ok_or("an empty picture")?)
}

/// What is printed around a code: two modules of paper, then lines like those of text.
fn paper(x: f32, y: f32, width: f32, height: f32, seed: u64) -> f32 {
    let near = x > -3.0 && y > -3.0 && x < width + 3.0 && y < height + 3.0;
    if near || (y / 7.0).floor() as i64 % 2 == 0 {
        return 0.0;
    }
    let cell = (x / 1.7).floor() as i64 * 31 + (y / 2.3).floor() as i64 * 17;
    let hash = (cell as u64 ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
    if hash < 6 { 0.8 } else { 0.0 }
}

/// Blur by a normal distribution, rows then columns.
fn blurred(levels: &[f32], side: usize, sigma: f32) -> Vec<f32> {
    let reach = (3.0 * sigma).ceil().max(1.0) as isize;
    let weights: Vec<f32> = (-reach..=reach)
        .map(|d| (-(d * d) as f32 / (2.0 * sigma * sigma).max(1e-3)).exp())
        .collect();
    let total: f32 = weights.iter().sum();
    let pass = |from: &[f32], step: usize, other: usize| -> Vec<f32> {
        let mut out = vec![0.0; from.len()];
        for i in 0..side * side {
            let (along, across) = (i % side, i / side);
            let sum: f32 = weights
                .iter()
                .zip(-reach..)
                .map(|(w, d)| {
                    let at = (along as isize + d).clamp(0, side as isize - 1) as usize;
                    w * from[at * step + across * other]
                })
                .sum();
            out[along * step + across * other] = sum / total;
        }
        out
    };
    pass(&pass(levels, 1, side), side, 1)
}
