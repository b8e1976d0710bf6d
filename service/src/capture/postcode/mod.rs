//! The address of a Japanese postcode, from a table in the binary: nobody outside is asked where an applicant lives. `cargo xtask postcodes` makes
//! the table from Japan Post's list.

use domain::{
    postcode::Postcode,
    user_input::{InputFault, TypedForm},
};
use flate2::read::DeflateDecoder;
use std::io::Read as _;

/// For each of the 100 first two digits: where its part begins, four bytes, little-endian; then the parts, each a deflated list of lines of the
/// other five digits and the address.
static TABLE: &[u8] = include_bytes!("table.bin");

/// Prefecture, town and, if the postcode stands for one, the part of the town: `東京都渋谷区神宮前`. `typed` is read as [`Postcode::parse`] does.
///
/// # Errors
/// [`InputFault::NotAPostcode`]; [`InputFault::UnknownPostcode`] for a typing error, one newer than the table, or that of a large company.
pub(crate) fn find_address(typed: &str) -> Result<String, InputFault> {
    let postcode = Postcode::parse(typed).ok_or(InputFault::NotAPostcode)?;
    let (first, rest) = postcode.digits().split_at(2);
    let part = first.parse().ok().and_then(part).unwrap_or_default();
    let found = part.lines().find_map(|line| line.strip_prefix(rest));
    found.map(str::to_owned).ok_or(InputFault::UnknownPostcode)
}

/// What became of an address that was to be filled in.
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub enum Filling {
    /// It is what the postcode says and nothing else: a number is missing.
    Begun,
    /// It begins as the postcode says; what was added to it is kept.
    Whole,
    /// It was typed and begins otherwise, so it stays. The postcode has this one.
    Differs(String),
    /// The postcode has none.
    Fault(InputFault),
}

/// Fills in the address of the form's postcode, which may stand in its field or before the address. An address that was typed is not replaced.
pub fn fill_in(form: &mut TypedForm) -> Filling {
    form.fold_lines();
    form.split_postcode();
    if form.has_two_postcodes() {
        return Filling::Fault(InputFault::PostcodeDiffers);
    }
    let found = match find_address(&form.postcode) {
        Ok(found) => found,
        Err(fault) => return Filling::Fault(fault),
    };
    let (_, typed) = Postcode::split_from(form.address.trim());
    if typed.is_empty() {
        form.address = found;
        Filling::Begun
    } else if typed == found {
        Filling::Begun
    } else if typed.starts_with(&found) {
        Filling::Whole
    } else {
        Filling::Differs(found)
    }
}

/// The lines of the postcodes that begin with these two digits.
fn part(first: usize) -> Option<String> {
    let start = |number: usize| {
        let bytes = TABLE.get(number * 4..)?.first_chunk()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    };
    let end = if first < 99 { start(first + 1)? } else { TABLE.len() };
    let mut lines = String::new();
    let part = TABLE.get(start(first)?..end)?;
    DeflateDecoder::new(part).read_to_string(&mut lines).ok()?;
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_postcode_has_its_address_however_it_is_written() {
        for typed in ["1500001", "150-0001", "〒150-0001", "１５０ー０００１", " 150 0001 "] {
            assert_eq!(find_address(typed).as_deref(), Ok("東京都渋谷区神宮前"), "{typed}");
        }
        for (postcode, address) in [
            ("060-0000", "北海道札幌市中央区"),
            ("001-0010", "北海道札幌市北区北十条西"),
            ("522-0317", "滋賀県犬上郡多賀町一円"),
            ("907-1801", "沖縄県八重山郡与那国町与那国"),
        ] {
            assert_eq!(find_address(postcode).as_deref(), Ok(address), "{postcode}");
        }
    }

    #[test]
    fn what_is_none_is_told_from_what_is_not_known() {
        assert_eq!(find_address("000-0000"), Err(InputFault::UnknownPostcode));
        assert_eq!(find_address("999-9999"), Err(InputFault::UnknownPostcode));
        for typed in ["", "150", "15000011", "150-000a", "一五〇〇〇〇一"] {
            assert_eq!(find_address(typed), Err(InputFault::NotAPostcode), "{typed}");
        }
    }

    /// Planted fault that this test detects: comparing an address with its postcode before it.
    #[test]
    fn an_address_is_filled_in_and_compared_without_the_postcode_before_it() {
        let found = "東京都渋谷区神宮前";
        for (address, filling, becomes) in [
            ("", Filling::Begun, found),
            (" 〒150-0001 ", Filling::Begun, found),
            ("東京都渋谷区神宮前", Filling::Begun, found),
            (
                "〒150-0001 東京都渋谷区神宮前",
                Filling::Begun,
                "〒150-0001 東京都渋谷区神宮前",
            ),
            ("東京都渋谷区神宮前1-2", Filling::Whole, "東京都渋谷区神宮前1-2"),
            // Forms send line breaks as two characters.
            ("東京都渋谷区神宮前\r\n", Filling::Begun, "東京都渋谷区神宮前"),
            (
                "〒150-0001\r\n東京都渋谷区神宮前\r\n1-2",
                Filling::Whole,
                "〒150-0001 東京都渋谷区神宮前 1-2",
            ),
            (
                "〒１５００００１　東京都渋谷区神宮前1-2",
                Filling::Whole,
                "〒１５００００１　東京都渋谷区神宮前1-2",
            ),
            (
                "東京都千代田区1-2",
                Filling::Differs(found.to_owned()),
                "東京都千代田区1-2",
            ),
            (
                "〒100-0001 東京都千代田区1-2",
                Filling::Fault(InputFault::PostcodeDiffers),
                "〒100-0001 東京都千代田区1-2",
            ),
        ] {
            let mut form = TypedForm {
                postcode: "1500001".into(),
                address: address.into(),
                ..TypedForm::default()
            };
            assert!(fill_in(&mut form) == filling, "{address}");
            assert_eq!(form.address, becomes);
        }
    }

    #[test]
    fn a_postcode_before_the_address_does_as_well_as_one_in_its_field() {
        let found = "東京都渋谷区神宮前";
        for (address, filling, postcode, becomes) in [
            ("〒150-0001", Filling::Begun, "150-0001", found),
            ("〒150-0001 東京都渋谷区神宮前", Filling::Begun, "150-0001", found),
            (
                "〒150-0001 東京都渋谷区神宮前1-2",
                Filling::Whole,
                "150-0001",
                "東京都渋谷区神宮前1-2",
            ),
            (
                "東京都渋谷区神宮前1-2",
                Filling::Fault(InputFault::NotAPostcode),
                "",
                "東京都渋谷区神宮前1-2",
            ),
        ] {
            let mut form = TypedForm {
                address: address.into(),
                ..TypedForm::default()
            };
            assert!(fill_in(&mut form) == filling, "{address}");
            assert_eq!((form.postcode.as_str(), form.address.as_str()), (postcode, becomes));
        }
    }

    #[test]
    fn every_part_can_be_read() {
        let all: usize = (0..100).map(|first| part(first).unwrap().lines().count()).sum();
        assert!(all > 120_000, "{all}");
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(typed in any::<String>()) {
            drop(find_address(&typed));
        }
    }
}
