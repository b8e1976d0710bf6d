//! The address of a Japanese postcode, from a table in the binary: nobody outside is asked where an applicant lives. `cargo xtask postcodes` makes
//! the table from Japan Post's list.

use domain::{
    postcode::Postcode,
    user_input::{InputFault, InputField, TypedForm},
};
use flate2::read::DeflateDecoder;
use std::io::Read as _;

/// For each of the 100 first two digits: where its part begins, four bytes, little-endian; then the parts, each a deflated list of lines of the
/// other five digits and the address.
static TABLE: &[u8] = include_bytes!("table.bin");

/// Why there is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostcodeError {
    /// Not seven digits.
    #[error("a postcode has seven digits")]
    NotAPostcode,
    /// Not in the table: a typing error, newer than the table, or that of a large company.
    #[error("the postcode is not known")]
    Unknown,
}

/// Prefecture, town and, if the postcode stands for one, the part of the town: `東京都渋谷区神宮前`. `typed` is read as [`Postcode::parse`] does.
///
/// # Errors
/// [`PostcodeError`].
pub fn find_address(typed: &str) -> Result<String, PostcodeError> {
    let postcode = Postcode::parse(typed).ok_or(PostcodeError::NotAPostcode)?;
    let (first, rest) = postcode.digits().split_at(2);
    let part = first.parse().ok().and_then(part).unwrap_or_default();
    let found = part.lines().find_map(|line| line.strip_prefix(rest));
    found.map(str::to_owned).ok_or(PostcodeError::Unknown)
}

/// What became of an address that was to be filled in.
#[derive(Clone, PartialEq, Eq)]
pub enum Filling {
    /// It begins as the postcode says; what was added to it is kept.
    Done,
    /// It was typed and begins otherwise, so it stays. The postcode has this one.
    Differs(String),
    /// The postcode has none.
    Fault(InputFault),
}

/// Fills in the address of the form's postcode. An address that was typed is not replaced.
pub fn fill_in(form: &mut TypedForm) -> Filling {
    let found = match find_address(&form.postcode) {
        Ok(found) => found,
        Err(PostcodeError::NotAPostcode) => return Filling::Fault(InputFault::NotAPostcode),
        Err(PostcodeError::Unknown) => return Filling::Fault(InputFault::UnknownPostcode),
    };
    match form.address.trim() {
        "" => form.address = found,
        typed if typed.starts_with(&found) => {}
        _ => return Filling::Differs(found),
    }
    Filling::Done
}

/// What is wrong with an address and its postcode together: nothing is known to begin the address with, or nothing was added to what is known.
pub(crate) fn fault_of_pair(form: &TypedForm) -> Option<(InputField, InputFault)> {
    let address = form.address.trim();
    match find_address(&form.postcode) {
        Ok(found) if found == address => Some((InputField::Address, InputFault::Unfinished)),
        Err(PostcodeError::Unknown) if address.is_empty() => Some((InputField::Postcode, InputFault::UnknownPostcode)),
        Ok(_) | Err(_) => None,
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
        assert_eq!(find_address("000-0000"), Err(PostcodeError::Unknown));
        assert_eq!(find_address("999-9999"), Err(PostcodeError::Unknown));
        for typed in ["", "150", "15000011", "150-000a", "一五〇〇〇〇一"] {
            assert_eq!(find_address(typed), Err(PostcodeError::NotAPostcode), "{typed}");
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
