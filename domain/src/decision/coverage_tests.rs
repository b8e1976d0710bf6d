//! Every reason code is raised by a measurement or chosen by a reviewer. A new code without a scenario does not compile; one
//! whose scenario no longer raises it fails.

use super::{
    tests::{NOBODY, TODAY, face, field, passport, selfie, typed},
    *,
};
use crate::{
    document::{FieldName, Side},
    findings::{CodeReading, CodeStandard, LayoutReading, MrzFormat, Signature, Unavailable},
    request::PreRegistered,
    user_input::Gender,
};

/// Evidence that is approved until a scenario spoils it.
struct Case {
    kind: DocumentType,
    document: Vec<DocumentFindings>,
    selfie: Option<SelfieFindings>,
    typed: Option<UserInput>,
    known: Option<PreRegistered>,
    earlier: Earlier,
    draw: f64,
    policy: Policy,
}

impl Case {
    fn good() -> Self {
        Self {
            kind: DocumentType::Passport,
            document: vec![passport()],
            selfie: Some(selfie()),
            typed: Some(typed()),
            known: None,
            earlier: NOBODY.clone(),
            draw: 1.0,
            policy: Policy::default(),
        }
    }

    fn page(&mut self) -> &mut DocumentFindings {
        &mut self.document[0]
    }

    fn face(&mut self) -> &mut SelfieFindings {
        self.selfie.as_mut().unwrap()
    }

    fn set(&mut self, name: FieldName, value: &str) {
        let page = self.page();
        page.fields.retain(|field| field.name != name);
        page.fields.push(field(name, value));
    }

    /// Front and back of a card of this kind.
    fn card(&mut self, kind: DocumentType) {
        let mut back = passport();
        back.side = Side::Back;
        back.mrz = None;
        self.page().mrz = None;
        self.document.push(back);
        self.kind = kind;
    }

    fn decide(&self) -> Decision {
        let plan = Plan {
            steps: vec![Step::Document, Step::Selfie],
        };
        decide(
            &Evidence {
                plan: &plan,
                document_type: Some(self.kind),
                document: &self.document,
                selfie: self.selfie.as_ref(),
                typed: self.typed.as_ref(),
                known: self.known.as_ref(),
                earlier: &self.earlier,
                draw: self.draw,
                today: TODAY,
            },
            &self.policy,
        )
    }
}

/// Chosen by a reviewer, and raised by no measurement: a colour copy differs from its original in what a person sees, such as
/// the paper around it (docs/decisions/0016).
const BY_REVIEWERS: [Reason; 2] = [Reason::DocumentPrintedCopy, Reason::ManualRejection];

/// Spoils good evidence so that `reason` is raised.
fn spoil(reason: Reason, case: &mut Case) {
    match reason {
        Reason::DocumentNotFound => case.page().quality.coverage = Some(0.05),
        Reason::DocumentBlurry => case.page().quality.sharpness = 0.1,
        Reason::DocumentGlare => case.page().quality.glare = 0.2,
        Reason::DocumentTooDark => case.page().quality.exposure = 0.05,
        Reason::DocumentCutOff => case.page().quality.cut_off = Some(true),
        Reason::DocumentPrintedCopy | Reason::ManualRejection => {}
        Reason::DocumentObstructed => {
            case.page().layout = Some(LayoutReading {
                layout: "icao.passport".into(),
                kind: DocumentType::Passport,
                side: Side::Front,
                score: 1.0,
                rules: vec![],
                hidden: 0.9,
            });
        }
        Reason::DocumentWrongSide => {
            let mut again = passport();
            again.side = Side::Back;
            case.kind = DocumentType::IdCard;
            for page in [case.page(), &mut again] {
                let zone = page.mrz.as_mut().unwrap();
                (zone.format, zone.lines[0]) = (MrzFormat::Td1, "I<SWE".into());
            }
            case.document.push(again);
        }
        Reason::DocumentSideMissing => case.document.clear(),
        Reason::DocumentNotInColor => case.page().grey_share = Some(1.0),
        Reason::DocumentTypeMismatch => case.kind = DocumentType::DrivingLicense,
        Reason::DocumentUnreadable => (case.page().mrz, case.page().text_lines) = (None, 0),
        Reason::DocumentMrzChecksumFailed => case.page().mrz.as_mut().unwrap().checks_passed = 4,
        Reason::DocumentDataInconsistent => case.page().viz_agreement = Some(0.0),
        Reason::DocumentPortraitMissing => case.page().portrait = None,
        Reason::DocumentAuthenticityUnknown => case.page().viz_agreement = None,
        Reason::DocumentReused => case.earlier.holders.push(Person::default()),
        Reason::DocumentExpired => case.set(FieldName::ExpiryDate, "2020-01-01"),
        Reason::DocumentTypeNotSupported => {
            let zone = case.page().mrz.as_mut().unwrap();
            (zone.format, zone.lines[0]) = (MrzFormat::MrvA, "V<SWE".into());
        }
        Reason::DocumentSidesMismatch => {
            case.card(DocumentType::ResidenceCard);
            case.document[1].fields = vec![field(FieldName::DocumentNumber, "AB12345678CD")];
        }
        Reason::DocumentScreenCapture => case.page().raster_z = Some(20.0),
        Reason::DocumentTampered => case.page().codes.push(CodeReading {
            standard: CodeStandard::Seal,
            kind: None,
            issuer: Some("UT01".into()),
            fields: vec![],
            signature: Signature::Invalid,
        }),
        Reason::DocumentSpecimen => case.page().specimen_words = true,
        Reason::SelfieNoFace => (case.face().face, case.face().faces) = (None, 0),
        Reason::SelfieMultipleFaces => case.face().faces = 2,
        Reason::SelfieFaceCovered => case.face().signs.mouth_covered = Some(0.9),
        Reason::SelfieLowQuality => case.face().quality.sharpness = 0.01,
        Reason::SelfieChallengeNotFollowed => case.face().liveness.as_mut().unwrap().turned_yaw = 0.0,
        Reason::SelfieLivenessUncertain => case.face().liveness = None,
        Reason::SelfieFaceMatchUncertain => case.face().face = Some(face(0.58)),
        Reason::SelfieLivenessFailed => case.face().liveness.as_mut().unwrap().still = true,
        Reason::SelfieScreenReplay => case.face().signs.raster_z = Some(20.0),
        Reason::SelfieInjectionSuspected => {
            case.face().liveness.as_mut().unwrap().same_person_distance = Some(0.9);
        }
        Reason::SelfieIsDocumentPhoto => {
            (case.face().face, case.face().signs.in_card) = (Some(face(0.05)), Some(1.0));
        }
        Reason::SelfieFaceMismatch => case.face().face = Some(face(0.9)),
        Reason::InputNameMismatch => case.typed.as_mut().unwrap().last_name = Some("Nyberg".into()),
        Reason::InputBirthDateMismatch => case.typed.as_mut().unwrap().birth_date = Some("1980-01-01".into()),
        Reason::InputAddressMismatch => case.set(FieldName::Address, "9 Another Street, Elsewhere"),
        Reason::InputGenderMismatch => {
            case.set(FieldName::Gender, "female");
            case.known = Some(PreRegistered {
                gender: Some(Gender::Male),
                ..PreRegistered::default()
            });
        }
        Reason::InputNotComparable => case.typed.as_mut().unwrap().last_name = Some("田中".into()),
        Reason::DuplicatePerson => case.earlier.faces = FaceSearch::Made(Some(0.1)),
        Reason::CheckUnavailable => case.page().unavailable.push(Unavailable::Face),
        Reason::QualitySampling => (case.policy.sampled, case.draw) = (0.2, 0.1),
    }
}

#[test]
fn every_reason_is_raised_by_something() {
    let silent: Vec<Reason> = Reason::ALL
        .iter()
        .copied()
        .filter(|&reason| {
            let mut case = Case::good();
            assert_eq!(case.decide().reasons, [], "the good case has no reasons");
            spoil(reason, &mut case);
            !case.decide().reasons.contains(&reason)
        })
        .collect();
    assert_eq!(silent, BY_REVIEWERS);
}

#[test]
fn sampling_picks_sessions_nothing_speaks_against_and_as_many_as_wanted() {
    let picked = |sampled, draw| {
        let mut case = Case::good();
        (case.policy.sampled, case.draw) = (sampled, draw);
        case.decide().verdict == Verdict::NeedsReview
    };
    assert!(!picked(0.0, 0.0) && picked(1.0, 0.999) && picked(0.5, 0.49) && !picked(0.5, 0.5));
    let mut spoilt = Case::good();
    (spoilt.policy.sampled, spoilt.draw) = (1.0, 0.0);
    spoil(Reason::SelfieLivenessUncertain, &mut spoilt);
    assert_eq!(spoilt.decide().reasons, [Reason::SelfieLivenessUncertain]);
}
