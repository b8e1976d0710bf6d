//! Countries by their codes and by the names that Japanese cards and passports print.

use super::{Parsed, stretch};
use crate::layout::page::{Folded, Glyph};
use crate::mrz::alpha3;
use unicode_normalization::UnicodeNormalization;

/// Names, folded and without spaces, with their ISO 3166-1 alpha-3 codes. In katakana, none of them is another one without its marks.
const NAMES: &[(&str, &str)] = &[
    ("日本", "JPN"),
    ("中国", "CHN"),
    ("中國", "CHN"),
    ("韓国", "KOR"),
    ("台湾", "TWN"),
    ("香港", "HKG"),
    ("ベトナム", "VNM"),
    ("フィリピン", "PHL"),
    ("ブラジル", "BRA"),
    ("ネパール", "NPL"),
    ("インドネシア", "IDN"),
    ("ミャンマー", "MMR"),
    ("米国", "USA"),
    ("アメリカ合衆国", "USA"),
    ("タイ", "THA"),
    ("ペルー", "PER"),
    ("インド", "IND"),
    ("スリランカ", "LKA"),
    ("バングラデシュ", "BGD"),
    ("パキスタン", "PAK"),
    ("カンボジア", "KHM"),
    ("モンゴル", "MNG"),
    ("マレーシア", "MYS"),
    ("シンガポール", "SGP"),
    ("ラオス", "LAO"),
    ("英国", "GBR"),
    ("フランス", "FRA"),
    ("ドイツ", "DEU"),
    ("イタリア", "ITA"),
    ("スペイン", "ESP"),
    ("ロシア", "RUS"),
    ("ウクライナ", "UKR"),
    ("ポーランド", "POL"),
    ("ルーマニア", "ROU"),
    ("オランダ", "NLD"),
    ("ベルギー", "BEL"),
    ("スイス", "CHE"),
    ("オーストリア", "AUT"),
    ("スウェーデン", "SWE"),
    ("ノルウェー", "NOR"),
    ("デンマーク", "DNK"),
    ("フィンランド", "FIN"),
    ("アイルランド", "IRL"),
    ("ポルトガル", "PRT"),
    ("ギリシャ", "GRC"),
    ("チェコ", "CZE"),
    ("ハンガリー", "HUN"),
    ("ブルガリア", "BGR"),
    ("カナダ", "CAN"),
    ("メキシコ", "MEX"),
    ("オーストラリア", "AUS"),
    ("ニュージーランド", "NZL"),
    ("アルゼンチン", "ARG"),
    ("ボリビア", "BOL"),
    ("コロンビア", "COL"),
    ("チリ", "CHL"),
    ("パラグアイ", "PRY"),
    ("トルコ", "TUR"),
    ("イラン", "IRN"),
    ("イスラエル", "ISR"),
    ("サウジアラビア", "SAU"),
    ("エジプト", "EGY"),
    ("ナイジェリア", "NGA"),
    ("ガーナ", "GHA"),
    ("ケニア", "KEN"),
    ("エチオピア", "ETH"),
    ("南アフリカ共和国", "ZAF"),
    ("モロッコ", "MAR"),
    ("ウズベキスタン", "UZB"),
    ("カザフスタン", "KAZ"),
    ("キルギス", "KGZ"),
    ("アフガニスタン", "AFG"),
    ("シリア", "SYR"),
    ("ブータン", "BTN"),
    ("チュニジア", "TUN"),
    ("アルジェリア", "DZA"),
    ("カメルーン", "CMR"),
    ("セネガル", "SEN"),
    ("コートジボワール", "CIV"),
    ("コンゴ民主共和国", "COD"),
    ("ウガンダ", "UGA"),
    ("タンザニア", "TZA"),
    ("ルワンダ", "RWA"),
    ("ザンビア", "ZMB"),
    ("ジンバブエ", "ZWE"),
    ("マラウイ", "MWI"),
    ("モザンビーク", "MOZ"),
    ("マダガスカル", "MDG"),
    ("キューバ", "CUB"),
    ("ドミニカ共和国", "DOM"),
    ("ジャマイカ", "JAM"),
    ("ベネズエラ", "VEN"),
    ("エクアドル", "ECU"),
    ("ウルグアイ", "URY"),
    ("グアテマラ", "GTM"),
    ("ホンジュラス", "HND"),
    ("エルサルバドル", "SLV"),
    ("ニカラグア", "NIC"),
    ("コスタリカ", "CRI"),
    ("パナマ", "PAN"),
    ("ジョージア", "GEO"),
    ("アルメニア", "ARM"),
    ("アゼルバイジャン", "AZE"),
    ("タジキスタン", "TJK"),
    ("トルクメニスタン", "TKM"),
    ("ベラルーシ", "BLR"),
    ("モルドバ", "MDA"),
    ("クロアチア", "HRV"),
    ("セルビア", "SRB"),
    ("北マケドニア", "MKD"),
    ("スロバキア", "SVK"),
    ("スロベニア", "SVN"),
    ("リトアニア", "LTU"),
    ("ラトビア", "LVA"),
    ("エストニア", "EST"),
    ("ルクセンブルク", "LUX"),
    ("ヨルダン", "JOR"),
    ("レバノン", "LBN"),
    ("クウェート", "KWT"),
    ("カタール", "QAT"),
    ("アラブ首長国連邦", "ARE"),
    ("イエメン", "YEM"),
    ("東ティモール", "TLS"),
    ("ブルネイ", "BRN"),
    ("モルディブ", "MDV"),
    ("フィジー", "FJI"),
    ("トンガ", "TON"),
    ("サモア", "WSM"),
    ("パプアニューギニア", "PNG"),
    ("パラオ", "PLW"),
    ("ミクロネシア", "FSM"),
    ("JAPAN", "JPN"),
    ("JAPANESE", "JPN"),
    ("CHINA", "CHN"),
    ("CHINESE", "CHN"),
    ("KOREA", "KOR"),
    ("REPUBLICOFKOREA", "KOR"),
    ("UNITEDSTATESOFAMERICA", "USA"),
    ("USA", "USA"),
    ("BRITISHCITIZEN", "GBR"),
    ("UNITEDKINGDOM", "GBR"),
    ("DEUTSCH", "DEU"),
    ("GERMAN", "DEU"),
    ("FRANCAISE", "FRA"),
    ("FRENCH", "FRA"),
    ("ITALIANA", "ITA"),
    ("ESPANOLA", "ESP"),
    ("NEDERLANDSE", "NLD"),
    ("CANADIAN", "CAN"),
    ("CANADIENNE", "CAN"),
    ("AUSTRALIAN", "AUS"),
    ("INDIAN", "IND"),
    ("IRISH", "IRL"),
    ("POLSKIE", "POL"),
];

/// Registered as this on Japanese cards are people who or whose forebears came from the peninsula before there were two states. It says
/// nothing of a nationality, least of all that of one of these states, and has no code.
const KOREAN_PENINSULA: &str = "朝鮮";

/// A code or a name at the beginning of a text, alone there or in two languages with a stroke between.
pub(super) fn parse(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let whole = folded.chars.len();
    let first_word = (1..whole).find(|&at| folded.apart[at]).unwrap_or(whole);
    let found = [whole, first_word]
        .into_iter()
        .find_map(|to| Some((named(&folded.chars[..to])?, to)));
    // A code that is no country's, such as that of Utopia, is kept as it is printed.
    let code = whole == 3 && folded.chars.iter().all(char::is_ascii_uppercase);
    let (normalized, to) = match found {
        Some((found, to)) => (Some(found.to_owned()), to),
        None if code || folded.chars.iter().collect::<String>() == KOREAN_PENINSULA => (None, whole),
        None => return None,
    };
    let (text, from, to) = stretch(glyphs, &folded, 0, to)?;
    Some(Parsed {
        text,
        normalized,
        from,
        to,
    })
}

/// The code that all parts of a text name, as far as they name one.
fn named(chars: &[char]) -> Option<&'static str> {
    let text: String = chars.iter().collect();
    let mut parts = text.split(['/', '(', ')']).filter(|part| !part.is_empty()).map(code);
    let found = parts.next()??;
    parts
        .all(|other| other.is_none_or(|other| other == found))
        .then_some(found)
}

/// The code of a name. A name that differs from one country's only in the marks of kana, or in their size, is that country's: both are
/// what small print loses first.
fn code(part: &str) -> Option<&'static str> {
    let named = |same: &dyn Fn(&str) -> bool| NAMES.iter().find(|(name, _)| same(name)).map(|(_, code)| *code);
    named(&|name| name == part)
        .or_else(|| alpha3(part))
        .or_else(|| named(&|name| !name.is_ascii() && unmarked(name) == unmarked(part)))
}

/// Katakana in full size, without the marks that make ブ or プ of フ.
fn unmarked(text: &str) -> String {
    let full_size = |c: char| match c {
        'ァ' => 'ア',
        'ィ' => 'イ',
        'ゥ' => 'ウ',
        'ェ' => 'エ',
        'ォ' => 'オ',
        'ッ' => 'ツ',
        'ャ' => 'ヤ',
        'ュ' => 'ユ',
        'ョ' => 'ヨ',
        other => other,
    };
    text.nfd()
        .filter(|c| !matches!(c, '\u{3099}' | '\u{309a}'))
        .map(full_size)
        .collect()
}
