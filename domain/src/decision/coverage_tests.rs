//! Every reason code is raised by a measurement or chosen by a reviewer. A code without a scenario beside its rule fails, and so
//! does one whose scenario no longer raises it.

use super::{
    tests::{NOBODY, TODAY, field, passport, selfie, typed},
    *,
};
use crate::document::{FieldName, Side};

/// Evidence that is approved until a scenario spoils it.
pub(crate) struct Case {
    pub(crate) kind: DocumentType,
    pub(crate) document: Vec<DocumentFindings>,
    pub(crate) selfie: Option<SelfieFindings>,
    pub(crate) typed: Option<UserInput>,
    pub(crate) known: Option<PreRegistered>,
    pub(crate) earlier: Earlier,
    pub(crate) draw: f64,
    pub(crate) policy: Policy,
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

    pub(crate) fn page(&mut self) -> &mut DocumentFindings {
        &mut self.document[0]
    }

    pub(crate) fn face(&mut self) -> &mut SelfieFindings {
        self.selfie.as_mut().unwrap()
    }

    pub(crate) fn set(&mut self, name: FieldName, value: &str) {
        let page = self.page();
        page.fields.retain(|field| field.name != name);
        page.fields.push(field(name, value));
    }

    /// Front and back of a card of this kind.
    pub(crate) fn card(&mut self, kind: DocumentType) {
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

/// Chosen by a reviewer, and raised by no measurement.
const BY_REVIEWERS: [Reason; 1] = [Reason::ManualRejection];

/// A reason, and how good evidence is spoilt so that it is raised. It stands beside the rule that raises the reason.
pub(crate) type Scenario = (Reason, fn(&mut Case));

const SAMPLED: Scenario = (Reason::QualitySampling, |case| {
    (case.policy.sampled, case.draw) = (0.2, 0.1)
});

fn scenarios() -> impl Iterator<Item = &'static Scenario> {
    [
        crate::quality::scenarios::ALL,
        document::scenarios::ALL,
        shown::scenarios::ALL,
        selfie::scenarios::ALL,
        input::scenarios::ALL,
        earlier::scenarios::ALL,
        &[SAMPLED],
    ]
    .into_iter()
    .flatten()
}

#[test]
fn every_reason_is_raised_by_its_scenario_or_chosen_by_a_reviewer() {
    let mut without_scenario: Vec<Reason> = Reason::ALL.to_vec();
    for (reason, spoil) in scenarios() {
        let mut case = Case::good();
        assert_eq!(case.decide().reasons, [], "the good case has no reasons");
        spoil(&mut case);
        let raised = case.decide().reasons;
        assert!(
            raised.contains(reason),
            "{reason} is not raised by its scenario, but {raised:?}"
        );
        without_scenario.retain(|other| other != reason);
    }
    assert_eq!(
        without_scenario, BY_REVIEWERS,
        "add a scenario beside the rule that raises the reason"
    );
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
    spoilt.face().liveness = None;
    assert_eq!(spoilt.decide().reasons, [Reason::SelfieLivenessUncertain]);
}
