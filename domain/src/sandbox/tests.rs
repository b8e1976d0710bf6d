//! Whatever the plan and the pre-registered data, the rules give the requested verdict.

use super::*;
use crate::outcome::Authenticity;
use proptest::prelude::*;

const TODAY: Date = time::macros::date!(2026 - 08 - 02);

fn plan(steps: &[Step]) -> Plan {
    Plan { steps: steps.to_vec() }
}

fn reasons(steps: &[Step], verdict: Verdict) -> Vec<&'static str> {
    let made = make_up(&plan(steps), None, verdict, TODAY);
    assert_eq!(made.decision.verdict, verdict);
    made.decision.reasons.iter().map(|reason| reason.as_str()).collect()
}

#[test]
fn each_plan_has_a_flaw_of_its_own_for_each_verdict() {
    let (both, document, selfie) = (Step::ALL, &[Step::Document][..], &[Step::Selfie][..]);
    for steps in [both, document, selfie] {
        assert_eq!(reasons(steps, Verdict::Approved), [""; 0]);
    }
    assert_eq!(reasons(both, Verdict::Rejected), ["selfie_face_mismatch"]);
    assert_eq!(
        reasons(document, Verdict::Rejected),
        ["document_expired", "document_authenticity_unknown"]
    );
    assert_eq!(reasons(selfie, Verdict::Rejected), ["selfie_liveness_failed"]);
    assert_eq!(reasons(both, Verdict::NeedsReview), ["document_authenticity_unknown"]);
    assert_eq!(
        reasons(document, Verdict::NeedsReview),
        ["document_authenticity_unknown"]
    );
    assert_eq!(reasons(selfie, Verdict::NeedsReview), ["selfie_liveness_uncertain"]);
}

#[test]
fn the_person_is_the_one_that_is_known_and_the_checks_follow_the_plan() {
    let known = PreRegistered {
        last_name: Some("髙橋".into()),
        birth_date: Some("2001-12-31".into()),
        gender: Some(Gender::Male),
        ..PreRegistered::default()
    };
    let made = make_up(&plan(Step::ALL), Some(&known), Verdict::Approved, TODAY);
    let typed = made.typed.unwrap();
    assert_eq!(
        (&typed.last_name, &typed.birth_date),
        (&known.last_name, &known.birth_date)
    );
    let compared = made.decision.checks.input_match.unwrap();
    assert_eq!(compared.matched, Some(true));
    assert!(compared.fields.unwrap()["gender"]);
    let document = made.decision.checks.document.unwrap();
    assert_eq!(document.authenticity, Some(Authenticity::Authentic));

    let alone = make_up(&plan(&[Step::Selfie]), Some(&known), Verdict::Approved, TODAY);
    assert!(alone.typed.is_none() && alone.fields.is_empty() && alone.document_type.is_none());
    assert!(alone.decision.checks.document.is_none() && alone.decision.checks.input_match.is_none());
}

#[test]
fn an_item_that_no_document_could_confirm_is_left_out_and_the_others_are_not() {
    let known = PreRegistered {
        last_name: Some(" ".into()),
        first_name: Some("Taro".into()),
        birth_date: Some("2999-01-01".into()),
        address: Some("Tokyo".into()),
        gender: Some(Gender::Male),
    };
    let made = make_up(&plan(Step::ALL), Some(&known), Verdict::Approved, TODAY);
    let typed = made.typed.unwrap();
    assert_eq!(
        (typed.last_name.as_deref(), typed.first_name.as_deref()),
        (Some("SAMPLE"), Some("Taro"))
    );
    assert_eq!(
        (typed.birth_date.as_deref(), typed.address.as_deref()),
        (Some("1990-02-28"), Some("Tokyo"))
    );
    let compared = made.decision.checks.input_match.unwrap();
    assert_eq!(compared.matched, Some(true));
    assert!(compared.fields.unwrap()["gender"]);
}

#[test]
fn the_body_names_an_outcome_and_nothing_else() {
    for outcome in SandboxOutcome::ALL {
        let body = format!(r#"{{"outcome": "{outcome}", "else": 1}}"#);
        assert_eq!(SandboxOutcome::parse_body(body.as_bytes()), Ok(*outcome));
    }
    for (body, tag) in [
        ("", "Missing"),
        ("{}", "Missing"),
        ("[]", "Type"),
        (r#"{"outcome":null}"#, "Type"),
        (r#"{"outcome":["approved"]}"#, "Type"),
        (r#"{"outcome":"Approved"}"#, "Format"),
        (r#"{"outcome":"approved","outcome":"approved"}"#, "Syntax"),
        ("{", "Syntax"),
    ] {
        let issues = SandboxOutcome::parse_body(body.as_bytes()).unwrap_err();
        assert_eq!(
            issues.iter().map(|issue| issue.tag).collect::<Vec<_>>(),
            [tag],
            "{body}"
        );
    }
}

fn any_known() -> impl Strategy<Value = PreRegistered> {
    let text = || {
        prop::option::of(prop_oneof![
            "\\PC{1,8}",
            "[!-/ ]{1,3}",
            "[a-z]{1,9}",
            "[\u{0}-\u{1f}]{1,2}"
        ])
    };
    let date = prop::option::of("[0-9]{4}-[0-9]{2}-[0-9]{2}");
    let gender = prop::option::of(prop::sample::select(Gender::ALL));
    (text(), text(), text(), date, gender).prop_map(|(last_name, first_name, address, birth_date, gender)| {
        PreRegistered {
            birth_date,
            last_name,
            first_name,
            address,
            gender,
        }
    })
}

proptest! {
    /// A planted fault that this test detected: `known` compared even if no document could confirm it.
    #[test]
    fn the_verdict_asked_for_comes_about(
        known in prop::option::of(any_known()),
        steps in prop::sample::select(vec![vec![Step::Document], vec![Step::Selfie], Step::ALL.to_vec()]),
        verdict in prop::sample::select(Verdict::ALL),
    ) {
        let made = make_up(&plan(&steps), known.as_ref(), verdict, TODAY);
        prop_assert_eq!(made.decision.verdict, verdict);
        prop_assert_eq!(made.decision.reasons.is_empty(), verdict == Verdict::Approved);
        let checks = &made.decision.checks;
        prop_assert!(checks.document.as_ref().is_none_or(|check| check.performed));
        prop_assert!(checks.selfie.as_ref().is_none_or(|check| check.performed));
    }
}
