//! All layouts: the content of a document, and how its sides are printed.

pub(crate) mod america;
mod america_states;
pub(crate) mod europe;
mod europe_states;
pub(crate) mod icao;
pub(crate) mod japan;
pub(crate) mod my_number;
pub(crate) mod residence;

use super::{
    label::{Kind, Side},
    letters::Types,
    names::{ABROAD, JAPANESE},
    page::{CARD, Look, Page},
    paper::{PAPERS, guilloche},
    people::Owner,
    person::{Date, Document, Format},
    picture::Picture,
};
use crate::Done;
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};

/// Pixels of print per millimetre: more than any simulated camera resolves.
const SCALE: f32 = 14.0;

/// The layouts that can be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Layout {
    /// Passport page, TD3.
    Passport,
    /// Identity card of three lines.
    Td1,
    /// Identity card of two lines.
    Td2,
    /// Japanese driving licence.
    JpLicence,
    /// Japanese driving history certificate.
    JpHistory,
    /// Residence card.
    Residence,
    /// Special permanent resident certificate.
    SpecialPermanent,
    /// My Number card.
    MyNumber,
    /// Driving licence of the EU and EEA model.
    Eu,
    /// Driving licence of the United Kingdom.
    Uk,
    /// Driving licence of the United States or Canada.
    America,
}

/// All of them, in the order they are rendered in.
pub(crate) const LAYOUTS: [Layout; 11] = [
    Layout::Passport,
    Layout::JpLicence,
    Layout::Eu,
    Layout::Residence,
    Layout::America,
    Layout::MyNumber,
    Layout::Td1,
    Layout::Uk,
    Layout::JpHistory,
    Layout::SpecialPermanent,
    Layout::Td2,
];

/// A fictional document.
#[derive(Clone, Debug)]
pub(crate) enum Paper {
    Icao(Document, usize),
    Japan(japan::Licence),
    Residence(residence::Card),
    MyNumber(my_number::Card),
    Europe(europe::Licence),
    America(america::Licence),
}

impl Paper {
    /// Sets the date of expiry of an American licence. A Japanese one is renewed instead, since none is valid for so long. Other documents keep their
    /// dates.
    pub(crate) fn valid_until(&mut self, day: Date, renewed: Date) {
        match self {
            Self::Japan(licence) => licence.renew(renewed),
            Self::America(licence) => licence.expiry = day,
            _ => {}
        }
    }

    /// A document of a fictional person.
    pub(crate) fn invented(layout: Layout, faces: usize, chance: &mut impl Rng) -> Self {
        let japanese = |chance: &mut _| Owner::invented(&JAPANESE, faces, chance);
        match layout {
            Layout::Passport => Self::Icao(Document::invented(Format::Td3, chance), chance.random_range(0..faces)),
            Layout::Td1 => Self::Icao(Document::invented(Format::Td1, chance), chance.random_range(0..faces)),
            Layout::Td2 => Self::Icao(Document::invented(Format::Td2, chance), chance.random_range(0..faces)),
            Layout::JpLicence => Self::Japan(japan::Licence::invented(japanese(chance), false, chance)),
            Layout::JpHistory => Self::Japan(japan::Licence::invented(japanese(chance), true, chance)),
            Layout::Residence => Self::Residence(residence::Card::invented(
                Owner::invented(&ABROAD, faces, chance),
                false,
                chance,
            )),
            Layout::SpecialPermanent => Self::Residence(residence::Card::invented(
                Owner::invented(&ABROAD, faces, chance),
                true,
                chance,
            )),
            Layout::MyNumber => Self::MyNumber(my_number::Card::invented(japanese(chance), chance)),
            Layout::Eu => Self::Europe(europe::Licence::invented(faces, chance)),
            Layout::Uk => Self::Europe(europe::Licence::of_kingdom(faces, chance)),
            Layout::America => Self::America(america::Licence::invented(faces, chance)),
        }
    }

    /// Another kind of document of the same person.
    pub(crate) fn other_kind(&self, chance: &mut impl Rng) -> Self {
        let passport = |owner: &Owner, chance: &mut _| {
            let mut document = Document::invented(Format::Td3, chance);
            document.surname.clone_from(&owner.family);
            document.given_names.clone_from(&owner.given);
            (document.sex, document.birth) = (owner.sex, owner.birth);
            Self::Icao(document, owner.face)
        };
        match self {
            Self::Icao(document, face) => {
                let format = if document.format == Format::Td3 {
                    Format::Td1
                } else {
                    Format::Td3
                };
                Self::Icao(
                    Document {
                        format,
                        optional: String::new(),
                        ..document.clone()
                    },
                    *face,
                )
            }
            Self::Japan(licence) => Self::MyNumber(my_number::Card::invented(licence.owner.clone(), chance)),
            Self::MyNumber(card) => Self::Japan(japan::Licence::invented(card.owner.clone(), false, chance)),
            Self::Residence(card) => passport(&card.owner, chance),
            Self::Europe(licence) => passport(&licence.owner, chance),
            Self::America(licence) => passport(&licence.owner, chance),
        }
    }

    /// Index of the owner's face.
    pub(crate) const fn face(&self) -> usize {
        match self {
            Self::Icao(_, face) => *face,
            Self::Japan(licence) => licence.owner.face,
            Self::Residence(card) => card.owner.face,
            Self::MyNumber(card) => card.owner.face,
            Self::Europe(licence) => licence.owner.face,
            Self::America(licence) => licence.owner.face,
        }
    }

    /// The kind and the layout's name.
    pub(crate) fn kind(&self) -> (Kind, &'static str) {
        match self {
            Self::Icao(document, _) => icao::kind(document.format),
            Self::Japan(licence) => japan::kind(licence),
            Self::Residence(card) => card.kind(),
            Self::MyNumber(_) => (Kind::MyNumberCard, "jp.my_number_card"),
            Self::Europe(licence) => (Kind::DrivingLicense, licence.layout()),
            Self::America(_) => (Kind::DrivingLicense, "us.driving_license"),
        }
    }

    /// Its issuer.
    pub(crate) fn issuer(&self) -> String {
        match self {
            Self::Icao(document, _) => document.issuer.clone(),
            Self::Japan(_) | Self::Residence(_) | Self::MyNumber(_) => "JPN".to_owned(),
            Self::Europe(licence) => licence.issuer().to_owned(),
            Self::America(licence) => licence.code().to_owned(),
        }
    }

    /// The sides to photograph.
    pub(crate) const fn sides(&self) -> &'static [Side] {
        match self {
            Self::Icao(
                Document {
                    format: Format::Td2 | Format::Td3,
                    ..
                },
                _,
            )
            | Self::MyNumber(_) => &[Side::Front],
            _ => &[Side::Front, Side::Back],
        }
    }

    /// Width and height in millimetres.
    pub(crate) fn millimetres(&self) -> (f32, f32) {
        match self {
            Self::Icao(document, _) => document.format.millimetres(),
            _ => CARD,
        }
    }

    /// Whether the document is a rigid card with round corners.
    pub(crate) const fn is_card(&self) -> bool {
        !matches!(
            self,
            Self::Icao(
                Document {
                    format: Format::Td3,
                    ..
                },
                _
            )
        )
    }

    /// Prints one side. All sides of one document are printed alike if `press` is the same.
    pub(crate) fn print<'a>(
        &self,
        side: Side,
        portrait: impl FnOnce(usize, usize) -> Picture,
        types: &'a Types,
        press: u64,
        words: bool,
    ) -> Done<Page<'a>> {
        let mut chance = StdRng::seed_from_u64(press);
        let look = self.look(types, &mut chance);
        let (width, height) = self.millimetres();
        let pixels = ((width * SCALE) as usize, (height * SCALE) as usize);
        let tints = match self {
            Self::Europe(licence) => Some(licence.tints()),
            Self::America(licence) => Some(licence.tints()),
            _ => PAPERS.choose(&mut chance).copied(),
        };
        let paper = guilloche(pixels.0, pixels.1, tints, &mut chance);
        let mut page = Page::new(paper, SCALE, look, types, chance);
        match (self, side) {
            (Self::Icao(document, _), _) => icao::print(&mut page, document, side, portrait),
            (Self::Japan(licence), Side::Front) => japan::front(&mut page, licence, portrait, words),
            (Self::Japan(licence), Side::Back) => japan::back(&mut page, licence, words),
            (Self::Residence(card), Side::Front) => residence::front(&mut page, card, portrait, words),
            (Self::Residence(card), Side::Back) => residence::back(&mut page, card, words),
            (Self::MyNumber(card), _) => my_number::front(&mut page, card, portrait, words),
            (Self::Europe(licence), Side::Front) => europe::front(&mut page, licence, portrait, words),
            (Self::Europe(licence), Side::Back) => europe::back(&mut page, licence, words),
            (Self::America(licence), Side::Front) => america::front(&mut page, licence, portrait, words),
            (Self::America(licence), Side::Back) => america::back(&mut page, licence, words)?,
        }
        Ok(page)
    }

    fn look<'a>(&self, types: &'a Types, chance: &mut StdRng) -> Look<'a> {
        match self {
            Self::Icao(..) => {
                let both = types.japanese(chance);
                Look::drawn(
                    both,
                    if chance.random_bool(0.5) {
                        both
                    } else {
                        types.latin(chance)
                    },
                    types.japanese_bold(chance),
                    chance,
                )
            }
            Self::Japan(_) | Self::Residence(_) | Self::MyNumber(_) => {
                let (form, fill) = (types.japanese(chance), types.japanese(chance));
                Look::drawn(form, fill, types.japanese_bold(chance), chance)
            }
            Self::Europe(_) | Self::America(_) => {
                let form = types.latin(chance);
                let fill = if chance.random_bool(0.4) {
                    types.latin_bold(chance)
                } else {
                    types.latin(chance)
                };
                Look::drawn(form, fill, types.latin_bold(chance), chance)
            }
        }
    }
}

/// How Japanese offices pad the numbers of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `平成 3年 5月 7日`
    Spaces,
    /// `平成03年05月07日`
    Zeros,
    /// `平成3年5月7日`
    Bare,
}

impl Order {
    /// A random one.
    pub(crate) fn drawn(chance: &mut impl Rng) -> Self {
        [Self::Spaces, Self::Zeros, Self::Bare]
            .choose(chance)
            .copied()
            .unwrap_or(Self::Bare)
    }

    fn number(self, value: u16) -> String {
        match self {
            Self::Spaces => format!("{value:2}"),
            Self::Zeros => format!("{value:02}"),
            Self::Bare => value.to_string(),
        }
    }
}

/// `昭和61年5月1日`; the first year of an era is 元年 unless zeros are used.
pub(crate) fn japanese_date(date: Date, order: Order) -> String {
    let (era, year) = date.era();
    let year = match (year, order) {
        (1, Order::Spaces | Order::Bare) => "元".to_owned(),
        _ => order.number(year),
    };
    format!(
        "{era}{year}年{}月{}日",
        order.number(date.month.into()),
        order.number(date.day.into())
    )
}

/// `1985年12月31日`
pub(crate) fn plain_date(date: Date, order: Order) -> String {
    format!(
        "{}年{}月{}日",
        date.year,
        order.number(date.month.into()),
        order.number(date.day.into())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_the_offices_write_them() {
        let date = Date {
            year: 2019,
            month: 5,
            day: 1,
        };
        assert_eq!(japanese_date(date, Order::Bare), "令和元年5月1日");
        assert_eq!(japanese_date(date, Order::Zeros), "令和01年05月01日");
        assert_eq!(japanese_date(date.eve(), Order::Spaces), "平成31年 4月30日");
        assert_eq!(plain_date(date, Order::Spaces), "2019年 5月 1日");
    }
}
