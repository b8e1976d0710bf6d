//! When codes are searched for in a picture: if the print does not say what the picture shows, or says that there is a code. The search
//! takes as long as reading a few lines.

use crate::code;
use crate::raster::Raster;
use crate::stopwatch::Stopwatch;
use domain::document::{DocumentType, Side};
use domain::findings::{CodeReading, CodeStandard};
use time::Date;

/// The codes of a picture, as soon as they are asked for.
pub(super) struct Codes<'a> {
    pub(super) picture: &'a Raster,
    signers: &'a code::Certificates,
    kind: DocumentType,
    pub(super) side: Side,
    today: Date,
    found: Option<Vec<CodeReading>>,
}

impl<'a> Codes<'a> {
    /// The codes of a picture, which are not looked for yet.
    pub(super) const fn on(
        picture: &'a Raster,
        signers: &'a code::Certificates,
        kind: DocumentType,
        side: Side,
        today: Date,
    ) -> Self {
        Self {
            picture,
            signers,
            kind,
            side,
            today,
            found: None,
        }
    }

    /// The codes, looked for only once.
    pub(super) fn find(&mut self, watch: &mut Stopwatch) -> &[CodeReading] {
        self.found.get_or_insert_with(|| {
            let found = code::read(self.picture, self.kind, self.side, self.today, self.signers);
            watch.lap("codes");
            found
        })
    }

    /// Whether one of them says all that another view of the picture could.
    pub(super) fn is_complete(&mut self, watch: &mut Stopwatch) -> bool {
        self.find(watch).iter().any(says_everything)
    }

    /// Those that were found.
    pub(super) fn found(self) -> Vec<CodeReading> {
        self.found.unwrap_or_default()
    }
}

/// Whether a code names its kind of document and holds its items. A seal may be a sticker with nothing but an address, on the side with
/// the machine-readable zone.
fn says_everything(code: &CodeReading) -> bool {
    code.kind.is_some() && code.standard != CodeStandard::Seal
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::findings::Signature;

    #[test]
    fn a_seal_with_an_address_does_not_end_the_search_for_the_zone_beside_it() {
        let of = |standard, kind| CodeReading {
            standard,
            kind,
            issuer: None,
            fields: Vec::new(),
            signature: Signature::Valid,
        };
        assert!(!says_everything(&of(CodeStandard::Seal, Some(DocumentType::IdCard))));
        assert!(!says_everything(&of(CodeStandard::Aamva, None)));
        assert!(says_everything(&of(
            CodeStandard::Aamva,
            Some(DocumentType::DrivingLicense)
        )));
    }
}
