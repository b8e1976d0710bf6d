//! Who issues North American licences: the issuer identification numbers that AAMVA assigns.
//!
//! Source: AAMVA, "Issuer Identification Numbers (IIN)", <https://www.aamva.org/identity/issuer-identification-numbers-(iin)>,
//! as of 2023-12-29.

/// An authority that AAMVA gave a number to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Issuer {
    number: u32,
    /// State, province or territory.
    pub(crate) region: &'static str,
    /// ISO 3166-1 alpha-3 of the country it belongs to.
    pub(crate) country: &'static str,
}

/// The authority with this number.
pub(crate) fn issuer(number: &str) -> Option<&'static Issuer> {
    let number: u32 = number.parse().ok()?;
    let at = ISSUERS.binary_search_by_key(&number, |issuer| issuer.number).ok()?;
    ISSUERS.get(at)
}

const fn of(country: &'static str, number: u32, region: &'static str) -> Issuer {
    Issuer {
        number,
        region,
        country,
    }
}

const fn usa(number: u32, region: &'static str) -> Issuer {
    of("USA", number, region)
}

const fn canada(number: u32, region: &'static str) -> Issuer {
    of("CAN", number, region)
}

/// In the order of their numbers.
const ISSUERS: [Issuer; 72] = [
    canada(604_426, "Prince Edward Island"),
    usa(604_427, "American Samoa"),
    canada(604_428, "Quebec"),
    canada(604_429, "Yukon"),
    usa(604_430, "Northern Mariana Islands"),
    usa(604_431, "Puerto Rico"),
    canada(604_432, "Alberta"),
    canada(604_433, "Nunavut"),
    canada(604_434, "Northwest Territories"),
    usa(636_000, "Virginia"),
    usa(636_001, "New York"),
    usa(636_002, "Massachusetts"),
    usa(636_003, "Maryland"),
    usa(636_004, "North Carolina"),
    usa(636_005, "South Carolina"),
    usa(636_006, "Connecticut"),
    usa(636_007, "Louisiana"),
    usa(636_008, "Montana"),
    usa(636_009, "New Mexico"),
    usa(636_010, "Florida"),
    usa(636_011, "Delaware"),
    canada(636_012, "Ontario"),
    canada(636_013, "Nova Scotia"),
    usa(636_014, "California"),
    usa(636_015, "Texas"),
    canada(636_016, "Newfoundland and Labrador"),
    canada(636_017, "New Brunswick"),
    usa(636_018, "Iowa"),
    usa(636_019, "Guam"),
    usa(636_020, "Colorado"),
    usa(636_021, "Arkansas"),
    usa(636_022, "Kansas"),
    usa(636_023, "Ohio"),
    usa(636_024, "Vermont"),
    usa(636_025, "Pennsylvania"),
    usa(636_026, "Arizona"),
    usa(636_027, "Department of State"),
    canada(636_028, "British Columbia"),
    usa(636_029, "Oregon"),
    usa(636_030, "Missouri"),
    usa(636_031, "Wisconsin"),
    usa(636_032, "Michigan"),
    usa(636_033, "Alabama"),
    usa(636_034, "North Dakota"),
    usa(636_035, "Illinois"),
    usa(636_036, "New Jersey"),
    usa(636_037, "Indiana"),
    usa(636_038, "Minnesota"),
    usa(636_039, "New Hampshire"),
    usa(636_040, "Utah"),
    usa(636_041, "Maine"),
    usa(636_042, "South Dakota"),
    usa(636_043, "District of Columbia"),
    canada(636_044, "Saskatchewan"),
    usa(636_045, "Washington"),
    usa(636_046, "Kentucky"),
    usa(636_047, "Hawaii"),
    canada(636_048, "Manitoba"),
    usa(636_049, "Nevada"),
    usa(636_050, "Idaho"),
    usa(636_051, "Mississippi"),
    usa(636_052, "Rhode Island"),
    usa(636_053, "Tennessee"),
    usa(636_054, "Nebraska"),
    usa(636_055, "Georgia"),
    of("MEX", 636_056, "Coahuila"),
    of("MEX", 636_057, "Hidalgo"),
    usa(636_058, "Oklahoma"),
    usa(636_059, "Alaska"),
    usa(636_060, "Wyoming"),
    usa(636_061, "West Virginia"),
    usa(636_062, "Virgin Islands"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_and_are_found() {
        assert!(ISSUERS.is_sorted_by(|a, b| a.number < b.number));
        let found = |number| issuer(number).map(|issuer| (issuer.region, issuer.country));
        assert_eq!(found("636014"), Some(("California", "USA")));
        assert_eq!(found("604426"), Some(("Prince Edward Island", "CAN")));
        assert_eq!((found("636999"), found(""), found("63601x")), (None, None, None));
    }
}
