//! Fictional people and addresses: names and places are drawn independently.

use super::{names::Names, person::Date};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// A fictional person; all their documents agree.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) family: String,
    pub(crate) given: String,
    pub(crate) sex: char,
    pub(crate) birth: Date,
    /// Index of the face.
    pub(crate) face: usize,
}

impl Owner {
    /// An adult with a name from a list.
    pub(crate) fn invented(names: &Names, faces: usize, chance: &mut impl Rng) -> Self {
        let sex = if chance.random_bool(0.5) { 'F' } else { 'M' };
        let given = if sex == 'F' { names.female } else { names.male };
        Self {
            family: pick(names.families, chance),
            given: pick(given, chance),
            sex,
            birth: Date::drawn(chance, 1946, 2005),
            face: chance.random_range(0..faces),
        }
    }

    /// The sex in normalised form.
    pub(crate) fn gender(&self) -> &'static str {
        if self.sex == 'F' { "female" } else { "male" }
    }
}

/// One of a list.
pub(crate) fn pick(from: &[&str], chance: &mut impl Rng) -> String {
    from.choose(chance).copied().unwrap_or_default().to_owned()
}

/// This many digits.
pub(crate) fn digits(count: usize, chance: &mut impl Rng) -> String {
    (0..count)
        .map(|_| char::from(b'0' + chance.random_range(0..10_u8)))
        .collect()
}

/// This many letters; documents use no I and no O.
pub(crate) fn letters(count: usize, chance: &mut impl Rng) -> String {
    let from = b"ABCDEFGHJKLMNPRSTUVWXYZ";
    (0..count)
        .map(|_| char::from(from.choose(chance).copied().unwrap_or(b'X')))
        .collect()
}

const PLACES: [(&str, &[&str]); 14] = [
    (
        "東京都",
        &[
            "千代田区霞が関",
            "新宿区西新宿",
            "世田谷区三軒茶屋",
            "足立区千住",
            "八王子市明神町",
        ],
    ),
    ("大阪府", &["大阪市中央区大手前", "堺市堺区南瓦町", "豊中市中桜塚"]),
    ("神奈川県", &["横浜市中区海岸通", "川崎市川崎区宮本町", "藤沢市朝日町"]),
    ("愛知県", &["名古屋市中区三の丸", "豊田市西町", "岡崎市十王町"]),
    ("北海道", &["札幌市中央区北三条西", "函館市東雲町", "旭川市七条通"]),
    (
        "福岡県",
        &["福岡市博多区東公園", "北九州市小倉北区城内", "久留米市城南町"],
    ),
    ("京都府", &["京都市上京区下立売通", "宇治市宇治琵琶"]),
    ("埼玉県", &["さいたま市浦和区高砂", "川口市青木", "所沢市並木"]),
    ("千葉県", &["千葉市中央区市場町", "船橋市湊町", "柏市柏"]),
    ("兵庫県", &["神戸市中央区下山手通", "姫路市安田"]),
    ("宮城県", &["仙台市青葉区本町", "石巻市穀町"]),
    ("広島県", &["広島市中区基町", "福山市東桜町"]),
    ("長野県", &["長野市南長野幅下", "松本市丸の内"]),
    ("沖縄県", &["那覇市泉崎", "沖縄市仲宗根町"]),
];
const HOUSES: [&str; 6] = [
    "ハイツ霞",
    "コーポ桜",
    "メゾン青葉",
    "第二山田荘",
    "グリーンパレス",
    "サンハイム",
];

/// An address, and the prefecture whose commission issues its licences.
pub(crate) fn japanese_address(chance: &mut impl Rng) -> (String, &'static str) {
    let (prefecture, towns) = PLACES.choose(chance).copied().unwrap_or(PLACES[0]);
    let town = pick(towns, chance);
    let (a, b, c) = (
        chance.random_range(1..10),
        chance.random_range(1..40),
        chance.random_range(1..30),
    );
    let mut address = match chance.random_range(0..3_u8) {
        0 => format!("{prefecture}{town}{a}丁目{b}番{c}号"),
        1 => format!("{prefecture}{town}{a}-{b}-{c}"),
        _ => format!("{prefecture}{town}{}番地{c}", a * b),
    };
    if chance.random_bool(0.3) {
        address += &format!("{}{}号", pick(&HOUSES, chance), chance.random_range(101..999));
    }
    (address, prefecture)
}

/// The code of a prefecture's commission at the start of a licence number.
pub(crate) fn commission(prefecture: &str) -> &'static str {
    match prefecture {
        "北海道" => "10",
        "宮城県" => "22",
        "東京都" => "30",
        "埼玉県" => "43",
        "千葉県" => "44",
        "神奈川県" => "45",
        "長野県" => "48",
        "愛知県" => "54",
        "京都府" => "61",
        "大阪府" => "62",
        "兵庫県" => "63",
        "広島県" => "73",
        "福岡県" => "90",
        _ => "97",
    }
}

/// An address in lines, as printed by English-speaking issuers.
pub(crate) fn street(chance: &mut impl Rng) -> String {
    const STREETS: [&str; 8] = [
        "HARBOUR STREET",
        "MAPLE AVENUE",
        "HIGH STREET",
        "CHURCH LANE",
        "OAK DRIVE",
        "MILL ROAD",
        "STATION ROAD",
        "ELM COURT",
    ];
    format!("{} {}", chance.random_range(2..980), pick(&STREETS, chance))
}
