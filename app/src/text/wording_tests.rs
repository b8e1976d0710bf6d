//! What the texts have in common, in every language.

use super::{
    Text, camera, capture, details, entry, finish, problem,
    tests::{all, no_text_says},
};
use domain::language::Language;

/// The quotation marks of a language.
const fn quotation_marks(language: Language) -> [char; 2] {
    match language {
        Language::Ja => ['「', '」'],
        Language::Ko => ['‘', '’'],
        Language::Es => ['«', '»'],
        Language::En | Language::ZhHans | Language::Vi | Language::Pt => ['“', '”'],
    }
}

#[test]
fn a_text_that_quotes_a_button_or_a_field_calls_it_by_its_name() {
    let quotes = [
        (camera::NOT_BY_ITSELF, camera::SEND_AGAIN),
        (camera::COLOURS_LEAD, camera::COLOURS_WITHOUT),
        (capture::CHOOSE_KEEPS, entry::CONTINUE),
        (entry::SANDBOX_HINT, entry::START_BUTTON),
        (details::ONE_NAME_HINT, details::LAST_NAME),
        (details::ONE_NAME_HINT, details::FIRST_NAME),
    ];
    for (text, named) in quotes {
        for language in Language::ALL {
            let [open, close] = quotation_marks(*language);
            let quoted = format!("{open}{}{close}", named.get(*language));
            let said = text.get(*language);
            assert!(said.contains(&quoted), "{language}: {said} lacks {quoted}");
        }
    }
}

#[test]
fn a_text_has_the_quotation_marks_of_its_language_alone() {
    for (name, text) in all() {
        for language in Language::ALL {
            let own = quotation_marks(*language);
            // The apostrophe of English is the same sign as a closing quotation mark of Korean.
            let foreign = |c: char| {
                "\"'“”‘’«»「」『』„".contains(c) && !own.contains(&c) && !(*language == Language::En && c == '’')
            };
            let said = text.get(*language);
            assert!(!said.contains(foreign), "{name} in {language}: {said}");
            let count = |mark: char| said.matches(mark).count();
            assert_eq!(count(own[0]), count(own[1]), "{name} in {language}: {said}");
        }
    }
}

#[test]
fn what_happens_alike_is_said_alike_in_every_language() {
    for language in Language::ALL {
        let first = |text: Text| text.get(*language).split(['.', '。']).next().unwrap_or_default();
        assert_eq!(first(details::OFFLINE), first(finish::WAITING_OFFLINE), "{language}");
        for text in [camera::BROKEN, finish::FAILED_LEAD] {
            assert_eq!(first(text), problem::BROKEN_TITLE.get(*language), "{language}");
        }
    }
}

/// Nobody is asked to tell “whoever sent the link”: it is a company.
#[test]
fn whoever_should_contact_the_sender_is_told_that_it_is_a_company() {
    let texts = [
        camera::NOT_ACCEPTED_ON_THE_WAY,
        problem::SUBMITTED_LEAD,
        problem::BROKEN_LEAD,
        problem::BROKEN_LEAD_SENT,
        entry::HOME_LEAD,
    ];
    for language in Language::ALL {
        let company = match language {
            Language::En => "compan",
            Language::Ja => "企業",
            Language::ZhHans => "企业",
            Language::Ko => "기업",
            Language::Vi => "công ty",
            Language::Pt | Language::Es => "empresa",
        };
        for text in texts {
            let said = text.get(*language).to_lowercase();
            assert!(said.contains(company), "{language}: {said}");
        }
    }
}

/// Korean honours what the reader has done, and not what a company has.
#[test]
fn korean_honours_the_reader() {
    no_text_says(&[
        (Language::Ko, "보낸 내용"),
        (Language::Ko, "시작했다면"),
        (Language::Ko, "선택한 "),
        (Language::Ko, "입력한 "),
    ]);
}
