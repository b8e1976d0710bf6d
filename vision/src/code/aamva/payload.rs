//! What a PDF417 code of AAMVA's card design standard is made of: header, designators of subfiles, elements
//! (AAMVA DL/ID Card Design Standard, annex D.12). Reads the editions of 2000 to 2025.

/// No card has more elements; what follows is not looked at.
const MOST_ELEMENTS: usize = 200;
/// No element is longer; what is longer is cut.
const LONGEST: usize = 200;

/// What a subfile is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subfile {
    /// `DL`, or `EN` for the enhanced licences of states that border Canada.
    License,
    /// `ID`.
    Identity,
}

impl Subfile {
    fn of(kind: &[u8]) -> Option<Self> {
        match kind {
            b"DL" | b"EN" => Some(Self::License),
            b"ID" => Some(Self::Identity),
            _ => None,
        }
    }
}

/// A code taken apart, nothing of it interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    /// Issuer identification number, six digits.
    pub(crate) issuer: String,
    pub(crate) subfile: Subfile,
    /// Identifiers of three letters with their values, in the order of the code, without empty ones.
    elements: Vec<(String, String)>,
}

impl Payload {
    /// Takes the bytes of a code apart; `None` where it is not of this standard or holds no card's subfile.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let header = Header::parse(bytes)?;
        let (subfile, body) = header.subfile(bytes)?;
        Some(Self {
            issuer: header.issuer,
            subfile,
            elements: elements(body),
        })
    }

    /// The value of an element, where it has one. "NONE" and "unavl" say that there is none (D.12.3).
    pub(crate) fn get(&self, id: &str) -> Option<&str> {
        let said = |value: &&str| !matches!(value.to_ascii_uppercase().as_str(), "NONE" | "UNAVL" | "UNAVAIL");
        let found = self.elements.iter().find(|(known, _)| known == id);
        found.map(|(_, value)| value.as_str()).filter(said)
    }
}

/// The fixed part, and the designators behind it.
struct Header {
    issuer: String,
    /// Where the designators begin, and how many there are.
    designators: (usize, usize),
}

impl Header {
    /// `@`, line feed, record separator, carriage return, the file type of five characters, then digits. Cards with another
    /// separator or none are about, so the type is looked for near the beginning.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let at = bytes
            .windows(5)
            .take(12)
            .position(|window| window == b"ANSI " || window == b"AAMVA")?;
        if !bytes[..at].contains(&b'@') {
            return None;
        }
        let digits = |from: usize, length: usize| {
            let digits = bytes.get(at + 5 + from..at + 5 + from + length)?;
            let text = std::str::from_utf8(digits).ok()?;
            text.bytes().all(|b| b.is_ascii_digit()).then_some(text)
        };
        let version: u8 = digits(6, 2)?.parse().ok()?;
        // The edition of 2000, version 1, has no version of the jurisdiction.
        let entries = if version < 2 { 8 } else { 10 };
        Some(Self {
            issuer: digits(0, 6)?.to_owned(),
            designators: (at + 5 + entries + 2, digits(entries, 2)?.parse().ok()?),
        })
    }

    /// The first subfile about a card, without its designator. Where it does not lie where its designator says, which happens,
    /// it is looked for behind the designators.
    fn subfile<'a>(&self, bytes: &'a [u8]) -> Option<(Subfile, &'a [u8])> {
        let (from, count) = self.designators;
        let rest = bytes.get(from..)?;
        let designators = rest.chunks_exact(10).take(count);
        for designator in designators {
            let (kind, place) = designator.split_at(2);
            let Some(subfile) = Subfile::of(kind) else { continue };
            let offset = std::str::from_utf8(&place[..4])
                .ok()
                .and_then(|text| text.parse::<usize>().ok());
            let named = offset.and_then(|offset| bytes.get(offset..)?.strip_prefix(kind));
            let behind = rest.get(count * 10..).unwrap_or_default();
            if let Some(body) = named.or_else(|| after(behind, kind)) {
                return Some((subfile, body));
            }
        }
        None
    }
}

/// What follows the first occurrence of a subfile's two letters with an element behind them.
fn after<'a>(bytes: &'a [u8], kind: &[u8]) -> Option<&'a [u8]> {
    let at = bytes
        .windows(3)
        .position(|window| window.starts_with(kind) && window[2] == b'D')?;
    bytes.get(at + 2..)
}

/// Elements stand on lines; a carriage return ends the subfile.
fn elements(body: &[u8]) -> Vec<(String, String)> {
    let end = body.iter().position(|byte| *byte == b'\r').unwrap_or(body.len());
    body[..end]
        .split(|byte| *byte == b'\n')
        .take(MOST_ELEMENTS)
        .filter_map(|line| {
            let (id, value) = line.split_at_checked(3)?;
            if !id.iter().all(u8::is_ascii_uppercase) {
                return None;
            }
            let id: String = id.iter().map(|b| char::from(*b)).collect();
            // Letters beyond ASCII are those of ISO 8859-1 (D.12.2).
            let value: String = value
                .iter()
                .take(LONGEST)
                .map(|b| char::from(*b))
                .filter(|c| !c.is_control())
                .collect();
            let value = value.trim();
            (!value.is_empty()).then(|| (id, value.to_owned()))
        })
        .collect()
}
