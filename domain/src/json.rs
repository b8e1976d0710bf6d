//! JSON bodies read strictly: duplicate keys anywhere are an error, and an object can be kept as it was written.

use serde::{
    Deserialize,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use std::{collections::HashSet, fmt};

/// Checks that `body` is one JSON value with no duplicate key in any of its objects.
///
/// # Errors
/// serde_json's, whose message names line and column and never a value.
pub fn check(body: &[u8]) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    Unique.deserialize(&mut reader)?;
    reader.end()
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

/// Tells an absent field (`None`) from an explicit `null` (`Some(Null)`), and keeps the text.
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
        assert!(check(br#"{"a":"\ud800"}"#).is_err(), "a lone surrogate is no text");
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
