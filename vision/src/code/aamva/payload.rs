//! What a PDF417 code of AAMVA's card design standard is made of: header, designators of subfiles, elements
//! (AAMVA DL/ID Card Design Standard, annex D.12). Reads the editions of 2000 to 2025.

/// No card has more elements; what follows is not looked at.
const MAX_ELEMENTS: usize = 200;
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
        let elements = elements(body, &header.types(bytes));
        Some(Self {
            issuer: header.issuer,
            subfile,
            elements,
        })
    }

    /// The value of an element, where it has one. "NONE" and "unavl" say that there is none (D.12.3).
    pub(crate) fn get(&self, id: &str) -> Option<&str> {
        let said = |value: &&str| !matches!(value.to_ascii_uppercase().as_str(), "NONE" | "UNAVL" | "UNAVAIL");
        self.written(id).filter(said)
    }

    /// Whether an element says that its holder has no such thing, rather than that nobody knows it.
    pub(crate) fn denies(&self, id: &str) -> bool {
        self.written(id).is_some_and(|value| value.eq_ignore_ascii_case("NONE"))
    }

    fn written(&self, id: &str) -> Option<&str> {
        let found = self.elements.iter().find(|(known, _)| known == id);
        found.map(|(_, value)| value.as_str())
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
        // The edition of 2000, version 1, has no version of the jurisdiction. Some issuers took over the one without the other.
        let of_edition = if version < 2 { [8, 10] } else { [10, 8] };
        let has_designator = |entries: &usize| {
            let from = at + 5 + entries + 2;
            digits(*entries, 2).is_some() && bytes.get(from..from + 10).is_some_and(is_designator)
        };
        let entries = of_edition.into_iter().find(has_designator).unwrap_or(of_edition[0]);
        Some(Self {
            issuer: digits(0, 6)?.to_owned(),
            designators: (at + 5 + entries + 2, digits(entries, 2)?.parse().ok()?),
        })
    }

    /// The types of the subfiles, `DL` or `ZV`.
    fn types<'a>(&self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let (from, count) = self.designators;
        let designators = bytes.get(from..).unwrap_or_default().chunks_exact(10).take(count);
        designators
            .filter(|designator| is_designator(designator))
            .map(|designator| &designator[..2])
            .collect()
    }

    /// The first subfile about a card, without its designator and type. Where it does not lie where its designator says, which happens,
    /// it is looked for behind the designators. West Virginia, Wyoming and the first codes of Connecticut lack the type before the
    /// elements, and some issuers write it twice.
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
            let untyped = rest.get(count * 10..).filter(|behind| begins_element(behind));
            if let Some(body) = named.or(untyped).or_else(|| after(rest, kind)) {
                return Some((subfile, body.strip_prefix(kind).unwrap_or(body)));
            }
        }
        None
    }
}

/// Whether these bytes are the type of a subfile, its offset and its length.
fn is_designator(bytes: &[u8]) -> bool {
    let (kind, place) = bytes.split_at(2);
    kind.iter().all(u8::is_ascii_uppercase) && place.iter().all(u8::is_ascii_digit)
}

/// Whether the identifier of a card's element stands here (D.12.5): DAA to DDZ. No type of a subfile looks like one.
const fn begins_element(bytes: &[u8]) -> bool {
    matches!(bytes, [b'D', b'A'..=b'D', b'A'..=b'Z', ..])
}

/// What follows the first occurrence of a subfile's two letters with an element behind them.
fn after<'a>(bytes: &'a [u8], kind: &[u8]) -> Option<&'a [u8]> {
    let at = bytes
        .windows(3)
        .position(|window| window.starts_with(kind) && window[2] == b'D')?;
    bytes.get(at + 2..)
}

/// Elements stand on lines, up to the subfile that follows. A carriage return ends the subfile in the standard, and the line on the cards of some
/// issuers. `types` are those of all subfiles: no element's identifier begins with one of them.
fn elements(body: &[u8], types: &[&[u8]]) -> Vec<(String, String)> {
    let is_of_next = |line: &[u8]| types.iter().any(|kind| line.starts_with(kind));
    body.split(|byte| matches!(byte, b'\n' | b'\r'))
        .take_while(|line| !is_of_next(line))
        .take(MAX_ELEMENTS)
        .filter_map(|line| {
            let (id, value) = line.split_at_checked(3)?;
            if !id.iter().all(u8::is_ascii_uppercase) {
                return None;
            }
            let id: String = id.iter().map(|b| char::from(*b)).collect();
            let value = text(&value[..value.len().min(LONGEST)]);
            let value = value.trim();
            (!value.is_empty()).then(|| (id, value.to_owned()))
        })
        .collect()
}

/// Letters beyond ASCII are those of ISO 8859-1 (D.12.2). Valid UTF-8 is read as UTF-8, as some issuers write it: in
/// ISO 8859-1 it would be a letter followed by a sign or a control character, which no value has.
fn text(value: &[u8]) -> String {
    let latin = || value.iter().map(|byte| char::from(*byte)).collect();
    let text = std::str::from_utf8(value).map_or_else(|_| latin(), str::to_owned);
    text.chars().filter(|c| !c.is_control()).collect()
}
