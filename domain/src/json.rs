//! JSON bodies parsed strictly: duplicate keys anywhere are an error, and an object can be kept as it was written.

use serde::{
    Deserialize,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::{collections::HashSet, fmt};

/// Maximum nesting of objects and arrays; serde_json refuses anything deeper.
pub(crate) const DEPTH_LIMIT: usize = 127;

/// Checks that `body` is one JSON value without a duplicate key in any of its objects. Numbers may have any size.
///
/// # Errors
/// Those of `serde_json`, whose message names line and column and never a value.
pub fn check(body: &[u8]) -> Result<(), serde_json::Error> {
    // Parses numbers without converting them, which `Unique` cannot: it would refuse those that do not fit an `f64`.
    serde_json::from_slice::<IgnoredAny>(body)?;
    serde_json::from_slice::<Distinct>(&without_numbers(body)).map(drop)
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

/// A value with distinct keys.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Unique.deserialize(deserializer).map(|()| Self)
    }
}

/// Visits a whole value and remembers each object's keys.
struct Unique;

impl<'de> DeserializeSeed<'de> for Unique {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique {
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
        while seq.next_element_seed(Self)?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !keys.insert(key) {
                return Err(serde::de::Error::custom("duplicate key in an object"));
            }
            map.next_value_seed(Self)?;
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
        ] {
            assert!(check(bad.as_bytes()).is_err(), "{bad}");
        }
        check(br#"{"a":{"a":[{"a":1},{"a":2}]}}"#).unwrap();
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
        for bad in [
            "01",
            "1.",
            "-",
            "1e",
            "+1",
            "[1 2]",
            "1e400 1",
            "NaN",
            r#"{"1":1e999,"1":2}"#,
        ] {
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
    }
}
