//! Writes every capture page, in every language, as HTML files into a folder, for viewing.
//!
//! `cargo run --example gallery -- FOLDER [CSS-FILE]`
#![expect(clippy::expect_used, reason = "a tool for the desk stops at the first fault")]

use app::capture::{
    check, choose, consent, details, document, home, problem, result, selfie, start, submit, unanswered,
};
use app::shell::text;
use app::text::{capture as capture_text, picture::FileFault};
use app::{Accent, Assets, Brand, PageMeta, Progress, Stage};
use domain::document::{DocumentType, Side};
use domain::findings::Challenge;
use domain::ids::{CaptureId, SessionId};
use domain::language::Language;
use domain::reasons::Reason;
use domain::session::{Plan, Step};
use domain::time::Timestamp;
use domain::user_input::{FormStyle, InputFault, InputField, TypedForm, UserInput};
use leptos::prelude::{AnyView, Owner};
use std::path::Path;

#[cfg(test)]
mod tests;

/// 2026-08-02T12:00:00Z.
const NOON: Timestamp = Timestamp::from_millis(1_785_672_000_000);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder to write to");
    let css = arguments.next().unwrap_or_else(|| "main.css".into());
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for &language in Language::ALL {
        for (name, html) in pages(language, &css) {
            let file = Path::new(&folder).join(format!("{name}.{language}.html"));
            std::fs::write(file, html).expect("the page can be written");
        }
    }
}

fn plan() -> Plan {
    Plan {
        steps: vec![Step::Document, Step::Selfie],
    }
}

pub(crate) fn meta(language: Language, css: &str, stage: Option<Stage>) -> PageMeta {
    PageMeta {
        language,
        nonce: "bm9uY2U".into(),
        assets: Assets {
            js: "/honnin.js".into(),
            wasm: "/honnin_bg.wasm".into(),
            css: css.into(),
            console_css: css.replace("main.css", "console.css"),
        },
        brand: Some(Brand {
            name: "Sakura Bank".into(),
            accent: Accent::parse("#a8326e"),
            logo: None,
            contact: Some("https://bank.example/help".into()),
        }),
        path: "/capture".into(),
        progress: stage.map(|s| Progress::of(&plan(), s)),
        closing: None,
        notice: None,
    }
}

pub(crate) fn pages(language: Language, css: &str) -> Vec<(String, String)> {
    // The pages tell their islands by a context, which an owner keeps.
    let owner = Owner::new();
    let views = owner.with(|| views(language, css)).into_iter();
    views.map(|(name, view)| (name, text(|| view))).collect()
}

fn views(language: Language, css: &str) -> Vec<(String, AnyView)> {
    let at = |stage| meta(language, css, Some(stage));
    let free = meta(language, css, None);
    let mut pages = vec![
        ("00-start".to_owned(), start::render(&start_view(), &free)),
        (
            "00-start-sandbox".to_owned(),
            start::render(
                &start::StartView {
                    sandbox: true,
                    ..start_view()
                },
                &free,
            ),
        ),
        (
            "00-start-continue".into(),
            start::render(&start_view(), &at(Stage::Details)),
        ),
        (
            "01-consent".into(),
            consent::render(
                &consent::ConsentView {
                    plan: plan(),
                    retention_days: 90,
                    face_search: false,
                    declining: false,
                },
                &at(Stage::Consent),
            ),
        ),
        (
            "01-consent-declining".into(),
            consent::render(
                &consent::ConsentView {
                    plan: plan(),
                    retention_days: 90,
                    face_search: false,
                    declining: true,
                },
                &at(Stage::Consent),
            ),
        ),
        (
            "01-consent-search".into(),
            consent::render(
                &consent::ConsentView {
                    plan: plan(),
                    retention_days: 90,
                    face_search: true,
                    declining: false,
                },
                &at(Stage::Consent),
            ),
        ),
        (
            "02-choose".into(),
            choose::render(&choose_view(false), &at(Stage::Document)),
        ),
        (
            "02-choose-missing".into(),
            choose::render(&choose_view(true), &at(Stage::Document)),
        ),
    ];
    for (name, kind, side, fault) in [
        ("04-document-passport", DocumentType::Passport, Side::Front, None),
        (
            "04-document-mynumber",
            DocumentType::MyNumberCard,
            Side::Front,
            Some(FileFault::Heic),
        ),
        ("06-document-back", DocumentType::DrivingLicense, Side::Back, None),
    ] {
        let view = document::DocumentView {
            document_type: kind,
            side,
            tries_left: 2,
            fault,
        };
        pages.push((name.into(), document::render(&view, &at(Stage::Document))));
    }
    let (licence, passport) = (DocumentType::DrivingLicense, DocumentType::Passport);
    for (name, document_type, side, problems, looks_like) in [
        ("05-check", passport, Side::Front, vec![], None),
        ("05-check-waiting", passport, Side::Front, vec![], None),
        (
            "05-check-problem",
            passport,
            Side::Front,
            vec![Reason::DocumentGlare, Reason::DocumentBlurry],
            None,
        ),
        (
            "05-check-other-kind",
            licence,
            Side::Front,
            vec![Reason::DocumentTypeMismatch],
            Some(passport),
        ),
        (
            "05-check-unknown-kind",
            passport,
            Side::Front,
            vec![Reason::DocumentTypeMismatch, Reason::DocumentBlurry],
            None,
        ),
        (
            "05-check-is-back",
            licence,
            Side::Front,
            vec![Reason::DocumentWrongSide],
            None,
        ),
        (
            "05-check-is-front",
            licence,
            Side::Back,
            vec![Reason::DocumentWrongSide],
            None,
        ),
    ] {
        let view = check::CheckView {
            photo: CaptureId::parse("cap_00000000000000000000000000000000").expect("an id"),
            picture_url: "sample.jpg".into(),
            screen_url: "sample.jpg".into(),
            kept: true,
            read: if problems.is_empty() {
                vec![
                    (capture_text::READ_NAME, "ERIKSSON ANNA MARIA".into()),
                    (capture_text::READ_NUMBER, "L898902C3".into()),
                    (capture_text::READ_BIRTH, app::text::dates::date(language, "1974-08-12")),
                ]
            } else {
                Vec::new()
            },
            document_type,
            side,
            analysed: name != "05-check-waiting",
            problems,
            looks_like,
            found_more: Vec::new(),
            tries_left: 3,
        };
        pages.push((name.into(), check::render(&view, &at(Stage::Document))));
    }
    pages.push((
        "07-details".into(),
        details::render(&details_view(false), &at(Stage::Details)),
    ));
    pages.push((
        "07-details-faults".into(),
        details::render(&details_view(true), &at(Stage::Details)),
    ));
    let unsaved = details::DetailsView {
        unsaved: true,
        ..details_view(false)
    };
    pages.push((
        "07-details-unsaved".into(),
        details::render(&unsaved, &at(Stage::Details)),
    ));
    let selfie_view = selfie::SelfieView {
        challenge_id: "c1".into(),
        challenge: Challenge::TurnLeft,
        colours: true,
        tries_left: 5,
        problems: vec![],
        anyway: None,
        without_movement: false,
        fault: None,
    };
    let again = selfie::SelfieView {
        problems: vec![Reason::SelfieMultipleFaces],
        tries_left: 1,
        ..selfie_view.clone()
    };
    pages.push(("08-selfie".into(), selfie::render(&selfie_view, &at(Stage::Selfie))));
    pages.push(("08-selfie-again".into(), selfie::render(&again, &at(Stage::Selfie))));
    let photo = CaptureId::parse("cap_00000000000000000000000000000000").expect("an id");
    let anyway = selfie::SelfieView {
        problems: vec![Reason::SelfieFaceCovered],
        anyway: Some(selfie::PoorSelfie {
            shown: check::shown(&photo, &[Reason::SelfieFaceCovered]),
            picture_url: "face.jpg".into(),
        }),
        tries_left: 3,
        ..selfie_view.clone()
    };
    pages.push(("08-selfie-anyway".into(), selfie::render(&anyway, &at(Stage::Selfie))));
    let cannot = selfie::SelfieView {
        problems: vec![Reason::SelfieLowQuality],
        without_movement: true,
        ..selfie_view.clone()
    };
    pages.push((
        "08-selfie-cannot-again".into(),
        selfie::render(&cannot, &at(Stage::Selfie)),
    ));
    for (name, file) in [
        ("08-selfie-fault-straight", selfie::SelfieFile::Straight),
        ("08-selfie-fault-turned", selfie::SelfieFile::Turned),
        ("08-selfie-fault-alone", selfie::SelfieFile::Alone),
    ] {
        let view = selfie::SelfieView {
            fault: Some((file, FileFault::Heic)),
            ..selfie_view.clone()
        };
        pages.push((name.into(), selfie::render(&view, &at(Stage::Selfie))));
    }
    pages.push(("10-submit".into(), submit::render(&submit_view(), &at(Stage::Submit))));
    let poor = submit::SubmitView {
        selfie: Some(submit::SelfieShown {
            may_retake: false,
            picture_url: Some("face.jpg".into()),
            poor: true,
        }),
        ..submit_view()
    };
    pages.push((
        "10-submit-poor-selfie".into(),
        submit::render(&poor, &at(Stage::Submit)),
    ));
    pages.push(("21-home".into(), home::render(true, &unbranded(&free))));
    pages.extend(endings(&free));
    pages
}

/// Pages that belong to no tenant.
fn unbranded(meta: &PageMeta) -> PageMeta {
    PageMeta {
        brand: None,
        ..meta.clone()
    }
}

fn start_view() -> start::StartView {
    start::StartView {
        action: "/v/token".into(),
        plan: plan(),
        retention_days: 90,
        qr_svg: Some(r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h3v3H0zM5 0h3v3H5zM0 5h3v3H0z"/></svg>"##.into()),
        follow: "/v/token/opened".into(),
        sandbox: false,
        no_cookies: false,
    }
}

fn choose_view(missing: bool) -> choose::ChooseView {
    let (usual, others) = choose::offered(!missing);
    choose::ChooseView {
        usual,
        others,
        chosen: None,
        again: false,
        missing,
    }
}

fn details_view(faults: bool) -> details::DetailsView {
    let form = TypedForm {
        last_name: "山田".into(),
        first_name: "太郎".into(),
        last_name_kana: if faults { "Yamada".into() } else { "ヤマダ".into() },
        birth_date: "1990-02-28".into(),
        ..TypedForm::default()
    };
    let read = form.clone();
    let faults = if faults {
        vec![
            (InputField::LastNameKana, InputFault::NotKana),
            (InputField::Address, InputFault::Missing),
        ]
    } else {
        Vec::new()
    };
    details::DetailsView {
        form,
        read,
        style: FormStyle::Japanese,
        printed: vec![(InputField::LastName, printed(0)), (InputField::BirthDate, printed(96))],
        other_address: None,
        faults,
        being_read: false,
        unsaved: false,
    }
}

/// A part of the sample picture, as the items of a document are shown.
fn printed(top: u32) -> app::parts::crop::Crop {
    app::parts::crop::Crop {
        url: "sample.jpg".into(),
        top,
        width: 520,
        height: 96,
        sheet: (800, 600),
    }
}

fn submit_view() -> submit::SubmitView {
    submit::SubmitView {
        document: Some(submit::DocumentShown {
            document_type: DocumentType::DrivingLicense,
            pictures: vec![(Side::Front, "sample.jpg".into()), (Side::Back, "sample.jpg".into())],
        }),
        input: Some(UserInput {
            last_name: Some("山田".into()),
            first_name: Some("太郎".into()),
            last_name_kana: Some("ヤマダ".into()),
            first_name_kana: Some("タロウ".into()),
            birth_date: Some("1990-02-28".into()),
            address: Some("東京都千代田区丸の内1-2-3 サクラマンション1203号室".into()),
        }),
        selfie: Some(submit::SelfieShown {
            may_retake: true,
            picture_url: Some("face.jpg".into()),
            poor: false,
        }),
    }
}

fn endings(meta: &PageMeta) -> Vec<(String, AnyView)> {
    use problem::Problem;
    use result::ResultState;
    let states = [
        ("waiting", ResultState::Waiting),
        ("approved", ResultState::Approved),
        ("review", ResultState::Review),
        ("rejected", ResultState::Rejected),
        ("declined", ResultState::Declined),
        ("cancelled", ResultState::Cancelled),
        ("erased", ResultState::Erased),
        ("failed", ResultState::Failed),
    ];
    let results = states.into_iter().map(|(name, state)| {
        let view = result::ResultView {
            state,
            return_url: Some("https://example.com/back".into()),
            session: SessionId::parse("vs_00112233445566778899aabbccddeeff").expect("an id"),
            at: Some(NOON),
        };
        (format!("11-result-{name}"), result::render(&view, meta))
    });
    let problems = [
        ("link", Problem::LinkUnusable { taking_part: true }),
        ("session", Problem::SessionOver),
        ("submitted", Problem::Submitted),
        ("expired", Problem::Expired { return_url: None }),
        ("tries", Problem::TooManyTries),
        ("busy", Problem::Busy { sends: false }),
        ("busy-sent", Problem::Busy { sends: true }),
        ("not-sent", Problem::NotSent),
        ("too-slow", Problem::TooSlow),
        ("broken", Problem::Broken { sends: false }),
        ("broken-sent", Problem::Broken { sends: true }),
        ("not-found", Problem::NotFound { taking_part: false }),
        ("not-found-open", Problem::NotFound { taking_part: true }),
        ("stale", Problem::Stale),
    ];
    let reference = problem::Reference {
        request: "req_0123456789abcdef".into(),
        at: NOON,
    };
    let problems = problems.into_iter().map(|(name, what)| {
        let page = problem::render(&what, &reference, &unbranded(meta));
        (format!("20-problem-{name}"), page)
    });
    let unanswered = unanswered::Unanswered::ALL.into_iter().map(|what| {
        let page = unanswered::render(what, &unbranded(meta));
        (format!("20-unanswered-{what:?}").to_lowercase(), page)
    });
    results.chain(problems).chain(unanswered).collect()
}
