//! JSON bodies parsed strictly: duplicate keys anywhere are an error, and an object can be kept as it was written.

use serde::{
    Deserialize,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::{collections::HashSet, fmt, str::Chars};

/// Maximum nesting of objects and arrays; serde_json refuses anything deeper.
pub(crate) const DEPTH_LIMIT: usize = 127;

/// How many keys that are given twice are reported: a body may have thousands.
const MAX_REPEATED: usize = 16;

/// Checks that `body` is one JSON value, and returns the paths of the keys that occur twice in their object, the first of them; no body may have
/// any. Numbers may have any size.
///
/// # Errors
/// Those of `serde_json`, whose message names line and column and never a value.
pub fn check(body: &[u8]) -> Result<Vec<Vec<String>>, serde_json::Error> {
    // Parses numbers without converting them, which `Distinct` cannot: it would refuse those that do not fit an `f64`.
    serde_json::from_slice::<IgnoredAny>(body)?;
    let mut repeated = Repeated::default();
    let numberless = without_numbers(body);
    Distinct(&mut repeated).deserialize(&mut serde_json::Deserializer::from_slice(&numberless))?;
    Ok(repeated.found)
}

/// The same valid JSON with a zero for each number; everything keeps its position.
fn without_numbers(json: &[u8]) -> Vec<u8> {
    let (mut in_string, mut escaped, mut in_number) = (false, false, false);
    let keep = |&byte: &u8| {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            return byte;
        }
        in_string = byte == b'"';
        let goes_on = in_number && matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let begins = !in_number && matches!(byte, b'0'..=b'9' | b'-');
        in_number = begins || goes_on;
        match (begins, goes_on) {
            (true, _) => b'0',
            (_, true) => b' ',
            _ => byte,
        }
    };
    json.iter().map(keep).collect()
}

/// The same JSON without the white space between its tokens; keys, their order, numbers and escapes stay as written.
#[must_use]
pub fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    out
}

/// The same compact JSON with each string written in one way, however its characters were escaped. Anything else stays as written.
#[must_use]
pub fn with_plain_strings(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len());
    let mut rest = compact;
    while let Some(begin) = rest.find('"') {
        let (before, string) = rest.split_at(begin);
        let (string, after) = string.split_at(string_length(string));
        out.push_str(before);
        match serde_json::from_str::<String>(string).and_then(|text| serde_json::to_string(&text)) {
            Ok(plain) => out.push_str(&plain),
            Err(_) => out.push_str(string),
        }
        rest = after;
    }
    out + rest
}

/// The length in bytes of the string at the beginning of a JSON text, with its quotation marks.
fn string_length(json: &str) -> usize {
    let mut escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let ends = !escaped && byte == b'"';
        escaped = !escaped && byte == b'\\';
        ends
    });
    end.map_or(json.len(), |end| end + 2)
}

/// The length in bytes of a compact JSON text if its strings had no escapes but those that JSON requires. What is no escape counts as written.
#[must_use]
pub(crate) fn plain_length(compact: &str) -> usize {
    let mut length = 0;
    let mut rest = compact.chars();
    // Outside of strings there is no backslash.
    while let Some(c) = rest.next() {
        length += if c == '\\' {
            escaped_length(&mut rest)
        } else {
            c.len_utf8()
        };
    }
    length
}

/// What the character needs whose escape follows, without the backslash.
fn escaped_length(rest: &mut Chars<'_>) -> usize {
    match rest.next() {
        Some('/') => 1,
        Some('u') => {
            let unit = hex_unit(rest);
            let low = if matches!(unit, 0xd800..=0xdbff) {
                // The `\u` of the second half.
                rest.nth(1);
                Some(hex_unit(rest))
            } else {
                None
            };
            match char::decode_utf16([unit].into_iter().chain(low)).next() {
                Some(Ok('"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t')) => 2,
                Some(Ok(c)) if c > '\u{1f}' => c.len_utf8(),
                _ => 6,
            }
        }
        _ => 2,
    }
}

/// Four hexadecimal digits.
fn hex_unit(rest: &mut Chars<'_>) -> u16 {
    let digits = rest.by_ref().take(4).filter_map(|digit| digit.to_digit(16));
    digits.fold(0, |unit, digit| (unit << 4) | u16::try_from(digit).unwrap_or_default())
}

/// The keys that occur twice, and where the parser is.
#[derive(Default)]
struct Repeated {
    path: Vec<String>,
    found: Vec<Vec<String>>,
}

impl Repeated {
    fn note(&mut self) {
        if self.found.len() < MAX_REPEATED && !self.found.contains(&self.path) {
            self.found.push(self.path.clone());
        }
    }
}

/// Visits a whole value and compares the keys of each object.
struct Distinct<'a>(&'a mut Repeated);

impl<'de> DeserializeSeed<'de> for Distinct<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Distinct<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            self.0.path.push(index.to_string());
            let item = seq.next_element_seed(Distinct(self.0))?;
            self.0.path.pop();
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            self.0.path.push(key.clone());
            if !keys.insert(key) {
                self.0.note();
            }
            map.next_value_seed(Distinct(self.0))?;
            self.0.path.pop();
        }
        Ok(())
    }
}

/// Distinguishes an absent field (`None`) from an explicit `null` (`Some(Null)`), and keeps the text.
pub(crate) type Raw<'a> = Option<&'a serde_json::value::RawValue>;

/// `#[serde(deserialize_with)]` for [`Raw`]: serde would turn an explicit `null` into `None`.
pub(crate) fn raw<'de: 'a, 'a, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Raw<'a>, D::Error> {
    <&serde_json::value::RawValue>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn duplicate_keys_are_found_at_any_depth() {
        for bad in [
            r#"{"a":1,"a":2}"#,
            r#"[{"x":{"b":1,"c":2,"b":3}}]"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"1":1e999,"1":2}"#,
        ] {
            assert_eq!(check(bad.as_bytes()).unwrap().len(), 1, "{bad}");
        }
        let none: [Vec<String>; 0] = [];
        assert_eq!(check(br#"{"a":{"a":[{"a":1},{"a":2}]}}"#).unwrap(), none);
    }

    proptest! {
        #[test]
        fn a_string_is_written_in_one_way_however_it_was_escaped(key in ".*", text in ".*", number in "-?[1-9][0-9]{0,30}") {
            let plain = |text: &str| serde_json::to_string(text).unwrap();
            let escaped = |text: &str| -> String {
                let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
                format!("\"{}\"", units.collect::<String>())
            };
            let of = |write: &dyn Fn(&str) -> String| format!("{{{}:[{number},{},null]}}", write(&key), write(&text));
            let expected = of(&plain);
            prop_assert_eq!(with_plain_strings(&expected), expected.as_str());
            prop_assert_eq!(with_plain_strings(&of(&escaped)), expected);
        }
    }

    #[test]
    fn what_follows_a_value_and_endless_depth_are_refused() {
        assert!(check(b"{} {}").is_err());
        assert!(check("[".repeat(100_000).as_bytes()).is_err());
        assert!(check(br#"{"a":"\ud800"}"#).is_err(), "a lone surrogate is not text");
    }

    #[test]
    fn numbers_of_any_size_pass_and_what_is_none_does_not() {
        for good in [
            "1e400",
            "-1e-400",
            "[0,-0.0E+9999999,1]",
            r#"{"a\"1e5":123456789012345678901234567890}"#,
        ] {
            check(good.as_bytes()).unwrap();
        }
        for bad in ["01", "1.", "-", "1e", "+1", "[1 2]", "1e400 1", "NaN"] {
            assert!(check(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_stand_in_one_another_up_to_the_limit() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        check(nested(DEPTH_LIMIT).as_bytes()).unwrap();
        assert!(check(nested(DEPTH_LIMIT + 1).as_bytes()).is_err());
    }

    #[test]
    fn compacting_keeps_order_numbers_and_text() {
        let given = "{ \"b\" : 1.50 ,\n \"a\":[ 1e2, \"x \\\" y\\\\\" , null ] }";
        assert_eq!(compact(given), r#"{"b":1.50,"a":[1e2,"x \" y\\",null]}"#);
    }

    proptest! {
        #[test]
        fn compacting_never_changes_the_value(text in "\\PC{0,40}", n in any::<i64>()) {
            let value = serde_json::json!({"k": [text, n, {"z": null}]});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&pretty), serde_json::to_string(&value).unwrap());
        }

        /// `serde_json` escapes nothing but what JSON requires.
        #[test]
        fn escapes_that_are_not_needed_do_not_count(text in any::<String>()) {
            let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let plain = serde_json::to_string(&[&text]).unwrap();
            prop_assert_eq!(plain_length(&format!("[\"{escaped}\"]")), plain.len());
            prop_assert_eq!(plain_length(&plain), plain.len());
        }
    }
}
