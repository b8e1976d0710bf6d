//! Dates and times as people write them.

use domain::{language::Language, time::Timestamp};

/// The names of the months, where dates are written with them.
const fn months(language: Language) -> Option<[&'static str; 12]> {
    Some(match language {
        Language::En => [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        Language::Pt => [
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ],
        Language::Es => [
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
        Language::Ja | Language::ZhHans | Language::Ko | Language::Vi => return None,
    })
}

/// A date `YYYY-MM-DD`: `28 February 1990`, `1990年2月28日`. Anything else stays as it is.
#[must_use]
pub fn date(language: Language, iso: &str) -> String {
    written(language, iso).unwrap_or_else(|| iso.to_owned())
}

fn written(language: Language, iso: &str) -> Option<String> {
    let [year, month, day]: [&str; 3] = iso.splitn(3, '-').collect::<Vec<_>>().try_into().ok()?;
    let (month, day): (usize, u8) = (month.parse().ok()?, day.parse().ok()?);
    if !(1..=12).contains(&month) {
        return None;
    }
    let names = months(language).unwrap_or_default();
    let name = names.get(month - 1)?;
    Some(match language {
        Language::En => format!("{day} {name} {year}"),
        // Brazil counts the first of a month as an ordinal, and no other day.
        Language::Pt if day == 1 => format!("1º de {name} de {year}"),
        Language::Pt | Language::Es => format!("{day} de {name} de {year}"),
        Language::Ja | Language::ZhHans => format!("{year}年{month}月{day}日"),
        Language::Ko => format!("{year}년 {month}월 {day}일"),
        Language::Vi => format!("{day} tháng {month}, {year}"),
    })
}

/// A time: `23 November 2026, 06:10 UTC`. The server does not know where the phone is.
#[must_use]
pub fn moment(language: Language, at: Timestamp) -> String {
    let iso = at.to_iso();
    let (day, time) = iso.split_once('T').unwrap_or((iso.as_str(), ""));
    let (day, time) = (date(language, day), time.get(..5).unwrap_or_default());
    match language {
        Language::En | Language::Vi | Language::Pt | Language::Es => format!("{day}, {time} UTC"),
        Language::Ja | Language::ZhHans => format!("{day} {time}（UTC）"),
        Language::Ko => format!("{day} {time} (UTC)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_written_as_people_do() {
        assert_eq!(date(Language::En, "1990-02-08"), "8 February 1990");
        assert_eq!(date(Language::Ja, "1990-02-08"), "1990年2月8日");
        assert_eq!(date(Language::Ko, "1990-02-08"), "1990년 2월 8일");
        assert_eq!(date(Language::Vi, "1990-02-08"), "8 tháng 2, 1990");
        assert_eq!(date(Language::Pt, "1990-03-08"), "8 de março de 1990");
        assert_eq!(date(Language::Pt, "1990-03-01"), "1º de março de 1990");
        assert_eq!(date(Language::Pt, "1990-03-21"), "21 de março de 1990");
        assert_eq!(date(Language::Es, "1990-12-08"), "8 de diciembre de 1990");
        assert_eq!(date(Language::Es, "1990-12-01"), "1 de diciembre de 1990");
        for odd in ["", "1990-13-01", "28.2.1990", "1990-00-01"] {
            for language in Language::ALL {
                assert_eq!(date(*language, odd), odd);
            }
        }
    }

    #[test]
    fn a_time_says_which_clock_it_is_of() {
        let at = Timestamp::parse_iso("2026-08-02T09:30:00.000Z").unwrap();
        assert_eq!(moment(Language::En, at), "2 August 2026, 09:30 UTC");
        assert_eq!(moment(Language::Ja, at), "2026年8月2日 09:30（UTC）");
    }
}
