//! Tables of what each grammar accepts and refuses.

use super::*;
use proptest::prelude::*;
use time::macros::date;

const CONTEXT: Context<'_> = Context {
    today: date!(2026 - 11 - 21),
    words: &[],
    labels: Vec::new(),
    may_be_day_first: false,
};

fn parsed(grammar: &Grammar, text: &str) -> Option<(String, Option<String>)> {
    grammar.parse(&glyphs(text), &CONTEXT).map(|p| (p.text, p.normalized))
}

fn normal(grammar: &Grammar, text: &str) -> Option<String> {
    parsed(grammar, text)?.1
}

fn date(order: Order, ends: &[&str], past: bool) -> Grammar {
    Grammar::Date {
        order,
        ends: ends.iter().map(|word| (*word).to_owned()).collect(),
        begins: Vec::new(),
        past,
    }
}

fn latin_name(titles: &[&str]) -> Grammar {
    Grammar::LatinName {
        titles: titles.iter().map(|title| (*title).to_owned()).collect(),
        titles_or_names: Vec::new(),
    }
}

#[test]
fn dates_with_spaces_and_months_in_more_languages() {
    let day_first = date(Order::Day, &[], false);
    for (text, wanted) in [
        ("06 08 1993", Some("1993-08-06")),
        ("12 06 08 1993", None),
        ("06 08 1993 12", None),
        ("31 02 1993", None),
        ("27 LUG/JUL 2015", Some("2015-07-27")),
        ("10 MAA/MAR 1965", Some("1965-03-10")),
        ("04 APR/AVR 25", Some("2025-04-04")),
        ("04 APR 20 25", None),
        // A space that was not seen.
        ("14 021998", Some("1998-02-14")),
        ("1402 1998", Some("1998-02-14")),
        ("14021998", None),
        // China and Korea name the month twice.
        ("24 9月/SEP 2019", Some("2019-09-24")),
        ("14 3월/MAR 1988", Some("1988-03-14")),
        ("251/JAN 2022", Some("2022-01-25")),
        ("10 1月/JAN 2019", Some("2019-01-10")),
        ("20 03月/MAR 2019", Some("2019-03-20")),
        ("309/SEP 2019", Some("2019-09-30")),
        ("101/JAN 2019", Some("2019-01-10")),
        ("1001/JAN 2019", Some("2019-01-10")),
        ("11 12月/DEC 2031", Some("2031-12-11")),
        ("24 9月/OCT 2019", None),
        // The Philippines write the month first.
        ("JANUARY 05, 1990", Some("1990-01-05")),
        ("JAN 5 1990", Some("1990-01-05")),
        ("MAY 31, 1990", Some("1990-05-31")),
        ("JUNE 31, 1990", None),
        ("MARIA 05, 1990", None),
        ("1JAN 5 1990", None),
    ] {
        assert_eq!(normal(&day_first, text).as_deref(), wanted, "{text}");
    }
    assert_eq!(normal(&date(Order::Month, &[], false), "06 08 1993"), None);
    let past = date(Order::Day, &[], true);
    assert_eq!(normal(&past, "04 JAN/JANV 88").as_deref(), Some("1988-01-04"));
    // East of Greenwich it is tomorrow already, in a year of two digits as in one of four.
    for (text, wanted) in [
        ("22.11.2026", Some("2026-11-22")),
        ("22.11.26", Some("2026-11-22")),
        ("23.11.26", Some("1926-11-23")),
        ("23.11.2026", None),
    ] {
        assert_eq!(normal(&past, text).as_deref(), wanted, "{text}");
    }
    let run_together = |text| past.parse_run_together(&glyphs(text), &CONTEXT).is_some();
    assert!(run_together("22112026") && !run_together("23112026"));
}

#[test]
fn a_title_is_no_part_of_a_name() {
    let given = latin_name(&["MR", "MISS"]);
    for (text, wanted) in [
        ("MISS SARAH MEREDYTH", "SARAH MEREDYTH"),
        ("MR. OWEN", "OWEN"),
        ("MRINAL", "MRINAL"),
        ("MISS", "MISS"),
        ("SARAH MISS", "SARAH MISS"),
        ("MR MISS SARAH", "SARAH"),
        ("MR.OWEN", "OWEN"),
        ("MRS.OWEN", "MRS.OWEN"),
    ] {
        assert_eq!(normal(&given, text).as_deref(), Some(wanted), "{text}");
    }
    let family = latin_name(&["DR", "DRHC"]);
    for text in [
        "DR MUSTERMANN",
        "DR. MUSTERMANN",
        "DR.MUSTERMANN",
        "DR. DR. MUSTERMANN",
        "DR.H.C. MUSTERMANN",
    ] {
        assert_eq!(normal(&family, text).as_deref(), Some("MUSTERMANN"), "{text}");
    }
    for name in ["DRACHE", "DR", "VON DR", "EH DOH"] {
        assert_eq!(normal(&family, name).as_deref(), Some(name));
    }
    assert_eq!(normal(&latin_name(&[]), "MISS SARAH").as_deref(), Some("MISS SARAH"));
}

#[test]
fn a_title_that_is_a_given_name_too_leaves_the_text_and_takes_the_normal_form() {
    let given = Grammar::LatinName {
        titles: vec!["MR".to_owned()],
        titles_or_names: vec!["LORD".to_owned(), "MAJ".to_owned()],
    };
    for (text, certain) in [
        ("LORD BYRON", None),
        ("MAJ. LORD PAUL", None),
        ("MR LORD PAUL", None),
        ("MAJ", Some("MAJ")),
        ("MR LORD", Some("LORD")),
        ("PAUL LORD", Some("PAUL LORD")),
    ] {
        let (read, normalized) = parsed(&given, text).unwrap();
        assert_eq!(normalized.as_deref(), certain, "{text}");
        assert_eq!(read, certain.unwrap_or(text), "{text}");
    }
}

#[test]
fn dates_of_eras_and_of_the_west() {
    let plain = date(Order::Year, &[], false);
    for (text, wanted) in [
        ("昭和61年5月1日生", "1986-05-01"),
        ("平成元年3月31日", "1989-03-31"),
        ("令和 06年 06月 01日 12345", "2024-06-01"),
        ("2018年07月01日", "2018-07-01"),
        ("2024年(令和06年)06月01日まで有効", "2024-06-01"),
        ("2024年令和06年06月01日", "2024-06-01"),
        ("２０２４年６月１日", "2024-06-01"),
        ("4年3月(2018年07月01日)", "2018-07-01"),
        ("2019/01/23", "2019-01-23"),
    ] {
        assert_eq!(normal(&plain, text).as_deref(), Some(wanted), "{text}");
    }
    for text in [
        "平成00年00月00日",
        "2024年13月1日",
        "12345",
        "令和6年6月",
        "01/02/2024",
        "2024年6月1日 2025年6月1日",
    ] {
        assert_eq!(parsed(&plain, text), None, "{text}");
    }
}

#[test]
fn an_era_that_contradicts_the_western_year_leaves_the_text_and_takes_the_normal_form() {
    let band = date(Order::Year, &["まで"], false);
    let (text, normalized) = parsed(&band, "2024年(令和07年)06月01日まで有効").unwrap();
    assert_eq!((text.as_str(), normalized), ("2024年(令和07年)06月01日", None));
}

#[test]
fn a_day_of_the_past_was_in_its_era_and_a_last_day_may_lie_beyond_it() {
    let (born, until) = (date(Order::Year, &["生"], true), date(Order::Year, &["まで"], false));
    for (day, western) in [
        ("昭和64年1月7日", Some("1989-01-07")),
        ("昭和64年2月3日", None),
        ("昭和65年2月3日", None),
        ("平成元年1月7日", None),
        ("平成元年1月8日", Some("1989-01-08")),
        ("平成31年4月30日", Some("2019-04-30")),
        ("平成31年5月2日", None),
        ("令和元年4月30日", None),
        ("令和元年5月1日", Some("2019-05-01")),
        ("大正15年12月25日", Some("1926-12-25")),
        ("昭和元年12月25日", Some("1926-12-25")),
        ("1989年(昭和64年)02月03日", None),
        ("1989年(平成01年)02月03日", Some("1989-02-03")),
    ] {
        let (text, normalized) = parsed(&born, &format!("日本花子 {day}生")).unwrap();
        assert_eq!((text.as_str(), normalized.as_deref()), (day, western));
    }
    assert_eq!(normal(&until, "平成33年6月1日まで有効").as_deref(), Some("2021-06-01"));
}

#[test]
fn the_words_around_a_date_choose_it() {
    let born = date(Order::Year, &["生"], true);
    assert_eq!(
        normal(&born, "日本花子 昭和61年5月1日生").as_deref(),
        Some("1986-05-01")
    );
    assert_eq!(parsed(&born, "2025年3月31日まで有効"), None);
    assert_eq!(parsed(&born, "2031年3月31日生"), None, "nobody is born tomorrow");
    let until = date(Order::Year, &["まで"], false);
    let card = "昭和61年5月1日生 2025年3月31日まで有効";
    assert_eq!(normal(&until, card).as_deref(), Some("2025-03-31"));
}

#[test]
fn numbers_are_dates_in_the_order_of_their_country() {
    let (european, american) = (date(Order::Day, &[], true), date(Order::Month, &[], true));
    for (grammar, text, wanted) in [
        (&european, "02.03.1985 BERLIN", Some("1985-03-02")),
        (&american, "02/03/1985", Some("1985-02-03")),
        (&european, "12.08.64", Some("1964-08-12")),
        (&european, "19.01.13", Some("2013-01-19")),
        (&european, "12.081964", Some("1964-08-12")),
        (&european, "25 DEC/DÉC 1985", Some("1985-12-25")),
        (&american, "1985-DEC-25", Some("1985-12-25")),
        (&american, "DEC 1985", None),
        (&american, "12-25-1985", Some("1985-12-25")),
        (&european, "31.02.1985", None),
        (&european, "12081964", None),
        (&american, "25/12/1985", None),
        (&european, "02.03.1985 03.03.1985", None),
    ] {
        assert_eq!(normal(grammar, text).as_deref(), wanted, "{text}");
    }
}

#[test]
fn a_date_that_may_have_the_day_or_the_month_first_is_read_only_where_its_numbers_tell() {
    let context = Context {
        may_be_day_first: true,
        ..CONTEXT
    };
    let american = date(Order::Month, &[], true);
    for (text, wanted) in [
        ("05-07-1983", None),
        ("05/07/83", None),
        // With the month first it would still be to come.
        ("12/10/2026", None),
        ("05/05/1983", Some("1983-05-05")),
        ("05/27/1983", Some("1983-05-27")),
        ("27-05-1983", Some("1983-05-27")),
        ("1983/05/07", Some("1983-05-07")),
        ("05 JUL 1983", Some("1983-07-05")),
    ] {
        let found = american.parse(&glyphs(text), &context);
        assert_eq!(found.and_then(|found| found.normalized).as_deref(), wanted, "{text}");
        assert!(american.impossible(&glyphs(text), &context).is_none(), "{text}");
    }
    assert!(american.impossible(&glyphs("31/02/1983"), &context).is_some());
    // Of an American document, it is.
    assert_eq!(normal(&american, "05-07-1983").as_deref(), Some("1983-05-07"));
}

#[test]
fn a_day_that_the_calendar_does_not_have_or_that_is_still_to_come_is_impossible() {
    let (born, until) = (date(Order::Day, &[], true), date(Order::Day, &[], false));
    let japanese = date(Order::Year, &[], false);
    for (grammar, text) in [
        (&born, "65 JUN 2025"),
        (&born, "31 APR 1985"),
        (&born, "12 DEC 2026"),
        (&born, "02 OCT 2093"),
        (&born, "31.02.1985 BERLIN"),
        // A year in which nobody alive was born, and none of another calendar.
        (&born, "10.11.4023"),
        (&born, "10/27/2122"),
        (&born, "0023-11-10"),
        (&born, "12 DEC 1085"),
        (&until, "39/99/2031"),
        (&japanese, "2024年13月01日"),
        (&japanese, "令和6年6月31日"),
    ] {
        let found = grammar.impossible(&glyphs(text), &CONTEXT);
        assert_eq!(found.map(|found| found.normalized), Some(None), "{text}");
        assert_eq!(normal(grammar, text), None, "{text}");
    }
    for (grammar, text) in [
        (&born, "25 DEC 1985"),
        (&until, "12 DEC 2036"),
        // Another order than that of the layout.
        (&born, "12/25/1985"),
        // A separator is missing, or the year has two digits.
        (&born, "31.021985"),
        (&born, "31.02.85"),
        // A year of another calendar: of Iran, of the Hijra, of Buddha.
        (&born, "1362/05/14"),
        (&born, "1405/11/24"),
        (&born, "05/07/2528"),
        (&born, "02 OCT 2493"),
        (&born, "05/07/5734"),
        // There is none.
        (&until, "31.12.2999"),
        (&until, "10.11.4023"),
        (&born, "01.01.9999"),
        (&born, "01.01.0000"),
        (&japanese, "平成00年00月00日"),
        (&born, "00 JAN 1960"),
        (&born, "12345"),
        // Which of the two is meant?
        (&born, "31.02.1985 32.02.1985"),
    ] {
        assert!(grammar.impossible(&glyphs(text), &CONTEXT).is_none(), "{text}");
    }
}

#[test]
fn a_zero_in_the_name_of_a_month_is_a_letter() {
    for order in [Order::Day, Order::Month] {
        let grammar = date(order, &[], false);
        for (text, wanted) in [
            ("02 0CT 1973", Some("1973-10-02")),
            ("020CT1973", Some("1973-10-02")),
            ("10 0CT 1973", Some("1973-10-10")),
            ("1 0CT 1973", Some("1973-10-01")),
            ("05 N0V 2024", Some("2024-11-05")),
            ("2026-0CT-07", Some("2026-10-07")),
            // The first, or the tenth without one of its letters.
            ("10CT 1973", None),
            ("AUG 05, 1990", Some("1990-08-05")),
            ("05 AUG 2000", Some("2000-08-05")),
        ] {
            assert_eq!(normal(&grammar, text).as_deref(), wanted, "{text}");
        }
    }
}

#[test]
fn a_document_that_was_issued_where_it_is_already_tomorrow_is_not_still_to_come() {
    let japanese = date(Order::Year, &[], true);
    let european = date(Order::Day, &[], true);
    for (grammar, tomorrow, after) in [
        (&japanese, "令和8年11月22日", "令和8年11月23日"),
        (&european, "22 NOV 2026", "23 NOV 2026"),
    ] {
        assert_eq!(normal(grammar, tomorrow).as_deref(), Some("2026-11-22"));
        assert!(grammar.impossible(&glyphs(tomorrow), &CONTEXT).is_none(), "{tomorrow}");
        assert_eq!(normal(grammar, after), None);
        assert!(grammar.impossible(&glyphs(after), &CONTEXT).is_some(), "{after}");
    }
}

#[test]
fn names_are_letters_and_end_where_a_date_begins() {
    for (text, wanted) in [
        ("日本 花子 昭和61年5月1日生", Some("日本 花子")),
        ("渡邉誠", None),
        ("靄田穣", None),
        ("大曾根 悠介", None),
        ("渡辺誠", Some("渡辺誠")),
        ("星野 工ミ", Some("星野 エミ")),
        ("工藤 夕美", Some("工藤 夕美")),
        ("金子 みすゞ", Some("金子 みすゞ")),
        ("八木 ニ力", Some("八木 ニカ")),
        ("五十嵐 卜三子", Some("五十嵐 トミ子")),
        ("卜部 三郎", Some("卜部 三郎")),
        ("ソン・ミンジュン", Some("ソン・ミンジュン")),
        ("TURNER ELIZABETH", Some("TURNER ELIZABETH")),
        ("昭和太郎", Some("昭和太郎")),
        ("A", None),
        ("12345", None),
        ("日本TARO", None),
        ("LI XIAOMING 李小明", Some("LI XIAOMING")),
        ("LI XIAOMING李小明", None),
        // 德 is what the recogniser reads for 徳 as well.
        ("德永 別府", None),
        ("黑田 薰", None),
        ("黒田 薫", Some("黒田 薫")),
        // It reads 增 for most 増.
        ("增田 太郎", Some("増田 太郎")),
        ("増田 太郎", Some("増田 太郎")),
        ("铃木 别府", Some("鈴木 別府")),
        ("田中 效", Some("田中 效")),
        ("東京都:千代田", None),
    ] {
        assert_eq!(normal(&Grammar::JapaneseName, text).as_deref(), wanted, "{text}");
    }
    for (text, wanted) in [
        ("O'BRIEN-SMITH", Some("O'BRIEN-SMITH")),
        ("Müller", Some("Müller")),
        ("ANNA MARIA.", Some("ANNA MARIA.")),
        ("SM1TH", None),
        ("4TH STREET", None),
        ("花子", None),
        ("at birth", None),
        ("von der Heide", Some("von der Heide")),
        ("[a] MUSTERMANN", Some("MUSTERMANN")),
    ] {
        assert_eq!(normal(&latin_name(&[]), text).as_deref(), wanted, "{text}");
    }
    let words = ["NOM", "SURNAME", "ENDORSEMENTS", "MORADA", "DATEOFBIRTH"].map(|label| label.chars().collect());
    let context = Context {
        words: &words,
        labels: words[..2].iter().map(Vec::as_slice).collect(),
        ..CONTEXT
    };
    for label in ["Nom", "Surn", "Sumame", "Morada", "Date of"] {
        assert_eq!(latin_name(&[]).parse(&glyphs(label), &context), None, "{label}");
    }
    for name in ["Sur", "ENDO", "MORA", "DATE"] {
        assert!(latin_name(&[]).parse(&glyphs(name), &context).is_some(), "{name}");
    }
}

#[test]
fn a_japanese_address_begins_with_a_prefecture_and_names_a_town() {
    for (text, wanted) in [
        ("東京都千代田区霞が関2-1-1", Some("東京都千代田区霞が関2-1-1")),
        ("大阪府大阪市北区梅田1一2ー3", Some("大阪府大阪市北区梅田1-2-3")),
        (
            "北海道札幌市中央区本町１丁目２番３号",
            Some("北海道札幌市中央区本町1丁目2番3号"),
        ),
        (
            "大阪府大阪市北区緑町7-5コ一ポ旭126",
            Some("大阪府大阪市北区緑町7-5コーポ旭126"),
        ),
        (
            "東京都千代田区一ツ橋1-2-3パークハウス一ツ橋101",
            Some("東京都千代田区一ツ橋1-2-3パークハウス一ツ橋101"),
        ),
        (
            "東京都港区芝1-2-3メゾン一ノ瀬101",
            Some("東京都港区芝1-2-3メゾン一ノ瀬101"),
        ),
        (
            "東京都港区芝1-2-3スポ一ツマ一ケット101",
            Some("東京都港区芝1-2-3スポーツマーケット101"),
        ),
        ("東京都港区芝1-2-3スポ一ツ館101", Some("東京都港区芝1-2-3スポーツ館101")),
        ("東京都港区芝1-2-3フル一ツ村101", Some("東京都港区芝1-2-3フルーツ村101")),
        ("東京都港区芝1-2-3T’sコート101", Some("東京都港区芝1-2-3T’sコート101")),
        ("東京都港区芝1-2-3A&Bコート", Some("東京都港区芝1-2-3A&Bコート")),
        ("千代田区霞が関2-1-1", None),
        ("2024年(令和06年)06月01日まで有効", None),
        ("東京都公安委員会", None),
    ] {
        assert_eq!(normal(&Grammar::JapaneseAddress, text).as_deref(), wanted, "{text}");
    }
}

#[test]
fn an_address_that_is_entered_may_lack_its_prefecture_and_a_date_may_be_short() {
    for (text, is_address) in [
        ("東京都港区芝1-2-3", true),
        ("港区芝1-2-3", true),
        ("横浜市中区日本大通1", true),
        ("三浦郡葉山町堀内2135", true),
        ("令和6年6月1日 横浜市中区日本大通1", true),
        ("横浜市中区長", false),
        ("東京都公安委員会", false),
        ("許可(原則週28時間以内・風俗営業等の従事を除く)", false),
        ("《 1. 2. 3. いずれかの番号を○で囲んでください。》", false),
    ] {
        let found = Grammar::EnteredAddress.parse(&glyphs(text), &CONTEXT);
        assert_eq!(found.is_some(), is_address, "{text}");
    }
    let (year_first, day_first) = (date(Order::Year, &[], false), date(Order::Day, &[], false));
    for (text, is_date) in [
        ("2024.6.1", true),
        ("2024.10.12 港区芝1-2-3", true),
        ("R6.6.1", true),
        ("届出 R6・6・1", true),
        ("令和6.6.1", true),
        ("令和6年6月1日", true),
        ("令和元年6月1日", true),
        ("令和元.6.1", true),
        ("R元.6.1", true),
        ("R6年6月1日", true),
        ("元.6.1", false),
        ("R6.13.1", false),
        ("R6.6.32", false),
        ("6.6.1", false),
        ("3024.6.1", false),
        ("AR6.6.1", false),
        ("芝1-2-3", false),
    ] {
        assert_eq!(year_first.occurs(&glyphs(text), &CONTEXT), is_date, "{text}");
    }
    assert!(!day_first.occurs(&glyphs("R6.6.1"), &CONTEXT));
}

#[test]
fn other_addresses_end_with_their_post_code() {
    let american = Grammar::Address {
        post: Some(Post::American),
    };
    let british = Grammar::Address {
        post: Some(Post::British),
    };
    for (grammar, text, complete) in [
        (&american, "780 2ND ST APT 5 AUSTIN, TX 78701", true),
        (&american, "PO BOX 12 SALEM OR 97301", true),
        (&american, "SALEM OR 97301", false),
        (&american, "CLARA ROSE SAN JOSE, CA 95112", false),
        (&american, "12 KING ST W TORONTO, ON M5V 2T6", true),
        (&american, "780 2ND ST APT 5", false),
        (&british, "5 HARBOUR STREET, LEEDS LS1 4AB", true),
        (&british, "5 HARBOUR STREET, LEEDS", false),
    ] {
        assert_eq!(normal(grammar, text).as_deref(), complete.then_some(text), "{text}");
    }
}

#[test]
fn numbers_have_their_forms_and_check_digits() {
    // 5·3 + 4·0 + 3·9 + 2·0 + 7·1 + 6·2 + 5·3 + 4·4 + 3·5 + 2·6 = 119 = 10·11 + 9, and 11 - 9 = 2.
    assert_eq!(
        normal(&Grammar::JapaneseLicenceNumber, "第 309012345620 号").as_deref(),
        Some("309012345620")
    );
    // Of 10 and 11 the last digit counts: 100 leaves 1, 22 leaves nothing.
    for text in ["300412345600", "301200000010"] {
        assert_eq!(normal(&Grammar::JapaneseLicenceNumber, text).as_deref(), Some(text));
    }
    assert_eq!(normal(&Grammar::JapaneseLicenceNumber, "301200000000"), None);
    let (text, normalized) = parsed(&Grammar::JapaneseLicenceNumber, "第309012345630号").unwrap();
    assert_eq!((text.as_str(), normalized), ("309012345630", None), "doubt, not proof");
    assert_eq!(parsed(&Grammar::JapaneseLicenceNumber, "1234567890123"), None);
    for (grammar, text, wanted) in [
        (Grammar::ResidenceCardNumber, "番号 AB12345678CD", Some("AB12345678CD")),
        (Grammar::ResidenceCardNumber, "A8I2345678CD", Some("AB12345678CD")),
        (Grammar::ResidenceCardNumber, "AB12345678CDE", None),
        (
            Grammar::BritishDriverNumber,
            "TURNE706238EJ9AB 17",
            Some("TURNE706238EJ9AB"),
        ),
        (
            Grammar::BritishDriverNumber,
            "TURNE706238EJ9AB17",
            Some("TURNE706238EJ9AB"),
        ),
        (Grammar::BritishDriverNumber, "TURNE706238EJ9A", None),
        (Grammar::NorthernIrishDriverNumber, "5. 12345678", Some("12345678")),
        (Grammar::NorthernIrishDriverNumber, "123456789", None),
        (Grammar::NorthernIrishDriverNumber, "04.05.2020", None),
        // The numbers of specimens, also with letters for the digits that they look like.
        (Grammar::GermanCardNumber, "L01X00T47", Some("L01X00T47")),
        (Grammar::GermanCardNumber, "LOIXDQT47", Some("L01X00T47")),
        (Grammar::GermanCardNumber, "T22000129", Some("T22000129")),
        (Grammar::GermanCardNumber, "T22OOO1Z9", Some("T220001Z9")),
        (Grammar::GermanCardNumber, "LO1XE0T47", None),
        (Grammar::GermanCardNumber, "801X00T47", None),
        (Grammar::GermanCardNumber, "LZKRTVWXY", None),
        (Grammar::GermanCardNumber, "CHRISTOPH", None),
        (Grammar::GermanCardNumber, "KIRCHDORF", None),
        (Grammar::GermanCardNumber, "L01X00T471", None),
        (Grammar::ItalianCardNumber, "CA00000AA", Some("CA00000AA")),
        (Grammar::ItalianCardNumber, "CAOO00OAA", Some("CA00000AA")),
        (Grammar::ItalianCardNumber, "CAI2345B8", Some("CA12345BB")),
        (Grammar::ItalianCardNumber, "AA00000AA", None),
        (Grammar::ItalianCardNumber, "COZZOLINO", None),
        (Grammar::ItalianCardNumber, "CA0000AAA", None),
    ] {
        assert_eq!(normal(&grammar, text).as_deref(), wanted, "{text}");
    }
    // The published specimen first: 11·9 + 0·8 + 7·7 + 2·6 + 27·5 + 27·4 + 14·3 + 2·2 + 18·1 = 467 = 42·11 + 5.
    for number in ["B072RRE2I55", "J010000SD51", "F0100LQUA01", "N0704578035"] {
        let german = |text: &str| parsed(&Grammar::GermanLicenceNumber, text).map(|(_, normalized)| normalized);
        assert_eq!(german(number), Some(Some(number.to_owned())), "{number}");
        // Another check digit is one of another number.
        let digit = number.chars().nth(9).and_then(|c| c.to_digit(10)).unwrap();
        let altered = format!("{}{}{}", &number[..9], (digit + 3) % 10, &number[10..]);
        assert_ne!(german(&altered), Some(Some(altered.clone())), "{altered}");
    }
    for (text, wanted) in [
        ("B072RRE2I55", Some("B072RRE2I55")),
        ("BO72RRE2I55", Some("B072RRE2I55")),
        ("B072RRE2155", Some("B072RRE2I55")),
        ("B072RRE2IS5", Some("B072RRE2I55")),
        ("8072RRE2I55", None),
        ("B072RRE3I55", None),
    ] {
        let (_, normalized) = parsed(&Grammar::GermanLicenceNumber, text).unwrap();
        assert_eq!(normalized.as_deref(), wanted, "{text}");
    }
    assert_eq!(parsed(&Grammar::GermanLicenceNumber, "B072RRE2I5"), None);
    let number = Grammar::Number {
        least: 5,
        most: 12,
        digits: 3,
    };
    for (text, wanted) in [
        ("S123-4567-8901", "S123-4567-8901"),
        ("s123 4567 8901", "S12345678901"),
        ("/S123.4567-", "S123.4567"),
        ("S123-4567 2029/03/26", "S123-4567"),
        ("S1234567 CLASS", "S1234567"),
        ("EK 124103", "EK124103"),
        ("F363 - 447 - 66111", "F363-447-66111"),
        ("F363- 447 -66111", "F363-447-66111"),
        ("S1234567 - CLASS", "S1234567"),
        ("12 34 567890 1", "12345678901"),
        ("L-1234567 8", "L-12345678"),
        ("AV-123456 7", "AV-1234567"),
        ("00000000 0 ZZ4", "000000000ZZ4"),
        ("00002475 9 ZZ7", "000024759ZZ7"),
    ] {
        assert_eq!(normal(&number, text).as_deref(), Some(wanted), "{text}");
    }
    for text in [
        "CLASS C",
        "S12345 678901",
        "S123-4567 8901",
        "L-1234567 89",
        "1234567 89",
        "567890 A1",
        "00002475 9 ZZ8",
        "00002475 8 ZZ7",
        "00002475 9 ZZ",
    ] {
        assert_eq!(parsed(&number, text), None, "{text}");
    }
}

#[test]
fn identity_numbers_of_thirteen_digits_have_a_check_digit() {
    let (thai, south_african) = (Grammar::ThaiIdentityNumber, Grammar::SouthAfricanIdentityNumber);
    for (grammar, text, wanted) in [
        (&thai, "1 1037 02071 81 1", Some("1103702071811")),
        (&thai, "1-1037-02071-81-1", Some("1103702071811")),
        (&thai, "3100600123450", Some("3100600123450")),
        (&thai, "1 1037 02071 81 2", None),
        (&south_african, "8001015009087", Some("8001015009087")),
        (&south_african, "800101 5009 087", Some("8001015009087")),
        (&south_african, "8001015009078", None),
    ] {
        let read = parsed(grammar, text).map(|(_, normalized)| normalized);
        assert_eq!(read, Some(wanted.map(str::to_owned)), "{text}");
    }
    for text in ["800101500908", "80010150090871", "8OO1015009087", "ID 800101"] {
        assert_eq!(parsed(&south_african, text), None, "{text}");
    }
}

#[test]
fn words_and_countries() {
    for (spanish, text, wanted) in [
        (false, "女 F.", Some("female")),
        (false, "M", Some("male")),
        (false, "男 F", None),
        (false, "K/F", Some("female")),
        (false, "K/M", None),
        (false, "männlich", Some("male")),
        (false, "Féminin", Some("female")),
        (false, "MF", None),
        (false, "H", None),
        (false, "HGT", None),
        (false, "HOMBRE", Some("male")),
        (false, "Femenino", Some("female")),
        (false, "LAKI-LAKI", Some("male")),
        (false, "PEREMPUAN", Some("female")),
        (false, "Nam", Some("male")),
        (false, "Nữ", Some("female")),
        (true, "H", Some("male")),
        (true, "M", Some("female")),
        (true, "MUJER", Some("female")),
    ] {
        let grammar = Grammar::Gender { spanish };
        assert_eq!(normal(&grammar, text).as_deref(), wanted, "{text}");
    }
    for (text, wanted) in [
        ("米国", Some("USA")),
        ("ブラジル", Some("BRA")),
        ("フイリピン", Some("PHL")),
        ("プラジル", Some("BRA")),
        ("カメルーン", Some("CMR")),
        ("東ティモール", Some("TLS")),
        ("アラブ首長国連邦", Some("ARE")),
        ("イラク", Some("IRQ")),
        ("カボン", Some("GAB")),
        ("BRASILEIRO(A)", Some("BRA")),
        ("Éireannach/Irish", Some("IRL")),
        ("Việt Nam", Some("VNM")),
        ("RSA", Some("ZAF")),
        ("DEU", Some("DEU")),
        ("UTO", None),
        ("朝鮮", None),
        ("ATLANTIS", None),
    ] {
        assert_eq!(normal(&Grammar::Country, text).as_deref(), wanted, "{text}");
    }
    for (text, wanted) in [
        ("留学 Student", Some("留学")),
        ("特定技能１号", Some("特定技能1号")),
        ("技能実習1号口", Some("技能実習1号ロ")),
        ("永住者の配偶者等", Some("永住者の配偶者等")),
        ("企業内転勤1号", Some("企業内転勤1号")),
        ("育成就労", Some("育成就労")),
        ("就労不可", None),
    ] {
        assert_eq!(normal(&Grammar::ResidenceStatus, text).as_deref(), wanted, "{text}");
    }
}

#[test]
fn a_british_number_spells_the_family_name() {
    for (surname, wanted) in [
        ("Turner", "TURNE"),
        ("Li", "LI999"),
        ("MacDonald", "MCDON"),
        ("O'Brien", "OBRIE"),
    ] {
        assert_eq!(british_name_part(surname), wanted);
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_panic(text in "\\PC{0,60}") {
        for grammar in all() {
            if let Some(parsed) = grammar.parse(&glyphs(&text), &CONTEXT) {
                prop_assert!(parsed.from < parsed.to && parsed.to <= text.chars().count());
            }
        }
    }

    #[test]
    fn a_letter_of_a_german_licences_number_that_was_misread_for_its_like_never_makes_another_number(
        checked in "[A-P][0-9A-Z]{8}", copy in "[1-9]", place in 0..10_usize, which in 0..6_usize
    ) {
        let values = checked.chars().filter_map(|c| c.to_digit(36));
        let sum: u32 = values.zip((1..=9).rev()).map(|(value, weight)| value * weight).sum();
        let digit = char::from_digit(sum % 11, 10).unwrap_or('X');
        let number = format!("{checked}{digit}{copy}");
        prop_assert_eq!(normal(&Grammar::GermanLicenceNumber, &number), Some(number.clone()));
        let likes = |at: usize| numbers::likes(number.as_bytes()[at].into());
        let places: Vec<usize> = (0..10).filter(|&at| !likes(at).is_empty()).collect();
        prop_assume!(!places.is_empty());
        let at = places[place % places.len()];
        let like = likes(at)[which % likes(at).len()];
        let misread = format!("{}{like}{}", &number[..at], &number[at + 1..]);
        let read = normal(&Grammar::GermanLicenceNumber, &misread);
        prop_assert!(read.is_none() || read == Some(number), "{misread}: {read:?}");
    }

    #[test]
    fn digits_and_their_surroundings_are_parsed_without_panic(text in "[0-9年月日./ 昭和令()まで生A-Z-]{0,40}") {
        for grammar in all() {
            grammar.parse(&glyphs(&text), &CONTEXT);
        }
    }

    #[test]
    fn every_day_is_read_back_in_every_order(days in 0_i64..45_000) {
        let day = date!(1900 - 01 - 01) + time::Duration::days(days);
        let (year, month, of_month) = (day.year(), u8::from(day.month()), day.day());
        let wanted = Some(format!("{year}-{month:02}-{of_month:02}"));
        for (order, text) in [
            (Order::Year, format!("{year}年{month}月{of_month}日")),
            (Order::Day, format!("{of_month:02}.{month:02}.{year}")),
            (Order::Month, format!("{month:02}/{of_month:02}/{year}")),
        ] {
            prop_assert_eq!(&normal(&date(order, &[], false), &text), &wanted, "{}", text);
        }
    }
}

fn all() -> Vec<Grammar> {
    vec![
        date(Order::Year, &[], false),
        date(Order::Day, &[], true),
        date(Order::Month, &["生"], true),
        Grammar::JapaneseName,
        latin_name(&[]),
        Grammar::JapaneseAddress,
        Grammar::EnteredAddress,
        Grammar::Address { post: None },
        Grammar::JapaneseLicenceNumber,
        Grammar::ResidenceCardNumber,
        Grammar::BritishDriverNumber,
        Grammar::NorthernIrishDriverNumber,
        Grammar::GermanCardNumber,
        Grammar::GermanLicenceNumber,
        Grammar::ItalianCardNumber,
        Grammar::ThaiIdentityNumber,
        Grammar::SouthAfricanIdentityNumber,
        Grammar::Number {
            least: 1,
            most: 20,
            digits: 0,
        },
        Grammar::Gender { spanish: false },
        Grammar::Country,
        Grammar::ResidenceStatus,
        Grammar::Authority,
        Grammar::Anything,
    ]
}

#[test]
fn a_former_name_in_brackets_is_no_part_of_a_name() {
    for (text, wanted) in [
        ("日本 花子[東京 花子]", Some("日本 花子")),
        ("日本 花子 (東京花子) 昭和61年5月1日生", Some("日本 花子")),
        ("日本花子〔東京花子〕", Some("日本花子")),
        ("日本［東京］花子", Some("日本 花子")),
        ("LI XIAOMING(李小明)", Some("LI XIAOMING")),
        // Alone it is what somebody was called.
        ("[東京 花子]", None),
        ("[東京] 花子", None),
        // Where it ends was not read.
        ("日本 花子[東京 花子", None),
    ] {
        let letters = glyphs(text);
        let name = Grammar::JapaneseName.parse(&letters, &CONTEXT);
        let (normal, end) = name.map(|name| (name.normalized, name.to)).unzip();
        assert_eq!(normal.flatten().as_deref(), wanted, "{text}");
        let last = end.map(|end| letters[end - 1].symbol);
        assert_eq!(last, wanted.and_then(|name| name.chars().last()), "{text}");
    }
}

#[test]
fn a_space_between_names_is_seen_though_it_was_not_read() {
    let name = |places: &[f32]| {
        let letters = glyphs("佐々木愛").into_iter().zip(places);
        let letters: Vec<Glyph> = letters.map(|(glyph, &x)| Glyph { x, ..glyph }).collect();
        Grammar::JapaneseName
            .parse(&letters, &CONTEXT)
            .map(|parsed| parsed.text)
    };
    assert_eq!(name(&[0.0, 10.0, 20.5, 40.0]).as_deref(), Some("佐々木 愛"));
    assert_eq!(
        name(&[0.0, 10.0, 20.0, 32.0]).as_deref(),
        Some("佐々木愛"),
        "too narrow"
    );
    assert_eq!(
        name(&[0.0, 20.0, 30.0, 50.0]).as_deref(),
        Some("佐々木愛"),
        "which of them?"
    );
}
