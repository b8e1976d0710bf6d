//! Codes of countries: ISO 3166-1 alpha-3, and the few codes of the machine-readable zone that differ (ICAO 9303-3 section 5).

/// The 249 assigned codes in order.
const ASSIGNED: &str = "\
    ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH \
    BLM BLR BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB \
    CUW CXR CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO \
    GGY GHA GIB GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN \
    IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA \
    MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER \
    NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU \
    RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA \
    TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT \
    WLF WSM YEM ZAF ZMB ZWE";

/// Issuers that have no assigned code: British passports that are not those of a citizen, Kosovo, the European Union, the United Nations and other
/// organisations. Not XXA, XXB, XXC and XXX, which are nationalities: documents of stateless people and refugees name the state that issued them.
const OTHER_ISSUERS: [&str; 21] = [
    "EUE", "GBD", "GBN", "GBO", "GBP", "GBS", "RKS", "UNA", "UNK", "UNO", "XBA", "XCC", "XCE", "XCO", "XDC", "XEC",
    "XES", "XIM", "XMP", "XOM", "XPO",
];

/// The state of all specimens of ICAO 9303, Utopia.
pub const UTOPIA: &str = "UTO";

/// The assigned code a zone's code stands for; `None` for a code that names no country (UTO, UNO, XXA, the British classes).
#[must_use]
pub fn alpha3(code: &str) -> Option<&'static str> {
    if code == "D<<" || code == "D" {
        return Some("DEU");
    }
    ASSIGNED.split(' ').find(|known| *known == code)
}

/// Whether a zone's code names a state or an organisation that issues documents. Utopia is none.
#[must_use]
pub(crate) fn is_issuer(code: &str) -> bool {
    alpha3(code).is_some() || OTHER_ISSUERS.contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_codes_are_known_and_inventions_are_not() {
        assert_eq!(ASSIGNED.split(' ').count(), 249);
        assert!(ASSIGNED.split(' ').all(|code| code.len() == 3));
        assert_eq!(
            (alpha3("JPN"), alpha3("D<<"), alpha3("UTO"), alpha3("GBD")),
            (Some("JPN"), Some("DEU"), None, None)
        );
    }

    #[test]
    fn organisations_issue_documents_and_people_without_a_nationality_do_not() {
        for code in ["SWE", "D<<", "GBD", "UNO", "RKS", "XOM"] {
            assert!(is_issuer(code), "{code}");
        }
        for code in ["UTO", "ZZZ", "5R3", "<<<", "", "XXA", "XXX"] {
            assert!(!is_issuer(code), "{code}");
        }
    }
}
