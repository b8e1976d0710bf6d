//! Rules for every page in every language, whatever its content. The pages are the gallery's.
//!
//! Each test must catch its planted fault: a text with unfilled placeholders, a field without a label, an inline style.

use app::capture::{check, details};
use domain::{
    document::{DocumentType, Side},
    ids::CaptureId,
    language::Language,
    reasons::Reason,
    user_input::{FormStyle, InputFault, InputField, TypedForm},
};

fn every_page(check: impl Fn(&str, &str, Language)) {
    for &language in Language::ALL {
        let pages = super::pages(language, "main.css");
        assert!(pages.len() > 25);
        for (name, html) in pages {
            check(&format!("{name}.{language}"), &html, language);
        }
    }
}

/// The page without the content of `element`.
fn without(html: &str, element: &str) -> String {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once(&open) {
        out.push_str(before);
        rest = after.split_once(&close).map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// Every tag of that element, from `<` to `>`.
fn tags<'a>(html: &'a str, element: &str) -> Vec<&'a str> {
    let open = format!("<{element} ");
    html.match_indices(&open)
        .filter_map(|(at, _)| html[at..].split_once('>').map(|(tag, _)| tag))
        .collect()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!(" {name}=\""))?
        .1
        .split_once('"')
        .map(|(value, _)| value)
}

#[test]
fn a_page_is_a_document_in_its_language_with_one_title_one_heading_and_one_main_part() {
    every_page(|name, html, language| {
        assert!(html.starts_with("<!DOCTYPE html>"), "{name}");
        assert!(html.contains(&format!("<html lang=\"{language}\"")), "{name}");
        for part in ["<title>", "<h1>", "<main "] {
            assert_eq!(html.matches(part).count(), 1, "{name}: {part}");
        }
    });
}

#[test]
fn no_place_in_a_text_is_left_unfilled() {
    every_page(|name, html, _| {
        let seen = without(&without(html, "style"), "script");
        // An island's props are JSON, braces and all; places in what a script tells are filled by the script.
        let without_attribute = |html: &str, name: &str| -> String {
            html.split(&format!("{name}=\""))
                .map(|part| part.split_once('"').map_or(part, |(_, rest)| rest))
                .collect()
        };
        let seen = without_attribute(&without_attribute(&seen, "data-props"), "data-told");
        assert!(!seen.contains('{') && !seen.contains('}'), "{name}");
    });
}

#[test]
fn nothing_on_a_page_needs_more_than_its_strict_policy() {
    every_page(|name, html, _| {
        // Which no policy forbids: without scripts, a page that waits loads itself again.
        let again = "<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>";
        assert_eq!(html.contains(again), name.contains("result-waiting"), "{name}");
        let strict = html.replace(again, "");
        for forbidden in [" style=\"", " onclick=", " onload=", "javascript:", "http-equiv"] {
            assert!(!strict.contains(forbidden), "{name}: {forbidden}");
        }
        for tag in tags(html, "script").into_iter().chain(tags(html, "style")) {
            assert_eq!(attribute(tag, "nonce"), Some("bm9uY2U"), "{name}: {tag}");
        }
        assert!(!html.contains("<script>") && !html.contains("<style>"), "{name}");
    });
}

#[test]
fn every_field_has_a_label_and_every_description_exists() {
    every_page(|name, html, _| {
        for tag in tags(html, "input").into_iter().chain(tags(html, "textarea")) {
            if attribute(tag, "type") == Some("hidden") {
                continue;
            }
            let id = attribute(tag, "id").unwrap_or_else(|| panic!("{name}: {tag}"));
            assert!(html.contains(&format!(" for=\"{id}\"")), "{name}: {id}");
            for described in attribute(tag, "aria-describedby")
                .unwrap_or_default()
                .split_whitespace()
            {
                assert!(html.contains(&format!(" id=\"{described}\"")), "{name}: {described}");
            }
        }
    });
}

#[test]
fn every_mistake_leads_to_its_field() {
    let mut found = 0;
    for &language in Language::ALL {
        for (name, html) in super::pages(language, "main.css") {
            let Some((_, summary)) = html.split_once("class=\"error-summary\"") else {
                continue;
            };
            let summary = summary.split_once("</div>").map_or("", |(s, _)| s);
            let prefix = app::text::entry::ERROR_PREFIX.get(language);
            assert!(html.contains(&format!("<title>{prefix}")), "{name} in {language}");
            for tag in tags(summary, "a") {
                let id = attribute(tag, "href")
                    .and_then(|h| h.strip_prefix('#'))
                    .unwrap_or_default();
                assert!(html.contains(&format!(" id=\"{id}\"")), "{name}: {id}");
                found += 1;
            }
        }
    }
    assert!(found >= 8, "{found}");
}

#[test]
fn after_a_poor_selfie_the_mistake_leads_to_the_camera_and_without_one_to_the_file() {
    let pages = super::pages(Language::En, "main.css");
    let (_, page) = pages.iter().find(|(name, _)| name == "08-selfie-again").unwrap();
    let (_, summary) = page.split_once("class=\"error-summary\"").unwrap();
    let (summary, rest) = summary.split_once("</div>").unwrap();
    for (class, leads_to) in [("scripted", "camera"), ("unscripted", "straight")] {
        let (_, item) = summary.split_once(&format!("class=\"{class}\"")).unwrap();
        let link = tags(item, "a")[0];
        assert_eq!(attribute(link, "href"), Some(format!("#{leads_to}").as_str()), "{link}");
    }
    // What the keyboard reaches next is the button that opens the camera.
    let (_, after) = rest.split_once(" id=\"camera\"").unwrap();
    let next = tags(after, "button")[0];
    assert_eq!(attribute(next, "type"), Some("button"), "{next}");
    let before = after.split("<button").next().unwrap();
    assert!(before.contains("<leptos-island") && !before.contains("<a "), "{before}");
}

#[test]
fn a_selfie_in_which_the_same_is_found_again_can_be_used_anyway() {
    for name in ["08-selfie", "08-selfie-again"] {
        assert!(!page_named(name).contains("Use it anyway"), "{name}");
    }
    let page = page_named("08-selfie-anyway");
    let (before, after) = page.split_once("Use it anyway").unwrap();
    assert!(after.contains("</form>"), "{after}");
    let (_, form) = before.rsplit_once("<form").unwrap();
    assert!(form.contains("action=\"/capture/check\"") && form.contains("If you use this photo anyway"));
    let photo = tags(form, "img")[0];
    assert_eq!(attribute(photo, "src"), Some("face.jpg"));
    assert_eq!(attribute(photo, "alt"), Some("The photo you just took"));
    let shown = "value=\"cap_00000000000000000000000000000000,selfie_face_covered\"";
    assert!(form.contains(shown) && form.contains("value=\"use\""), "{form}");
}

/// The page with this name in English.
fn page_named(name: &str) -> String {
    let pages = super::pages(Language::En, "main.css");
    let (_, page) = pages.into_iter().find(|(known, _)| known == name).unwrap();
    page.replace("<!>", "")
}

/// Planted fault that this test detects: a mistake of any file of the selfie is shown at the first one.
#[test]
fn a_file_of_the_selfie_that_is_refused_is_named_at_its_own_field_in_a_form_that_is_open() {
    for file in ["straight", "turned", "alone"] {
        let page = page_named(&format!("08-selfie-fault-{file}"));
        let (_, summary) = page.split_once("class=\"error-summary\"").unwrap();
        let (summary, forms) = summary.split_once("</div>").unwrap();
        let links = tags(summary, "a");
        assert_eq!(links.len(), 1, "{summary}");
        assert_eq!(attribute(links[0], "href"), Some(format!("#{file}").as_str()), "{file}");
        let wrong: Vec<_> = tags(forms, "input")
            .into_iter()
            .filter(|tag| attribute(tag, "aria-invalid") == Some("true"))
            .filter_map(|tag| attribute(tag, "id"))
            .collect();
        assert_eq!(wrong, [file]);
        let cannot = tags(forms, "details")
            .into_iter()
            .find(|tag| attribute(tag, "id") == Some("cannot"))
            .unwrap();
        assert_eq!(cannot.contains(" open"), file == "alone", "{cannot}");
    }
}

/// Planted fault that this test detects: whoever cannot move is sent to the camera by what was wrong with their photo.
#[test]
fn after_a_poor_photo_of_whoever_cannot_move_the_mistake_leads_to_another_single_photo() {
    let page = page_named("08-selfie-cannot-again");
    let (_, summary) = page.split_once("class=\"error-summary\"").unwrap();
    let (summary, forms) = summary.split_once("</div>").unwrap();
    let links = tags(summary, "a");
    assert_eq!(links.len(), 1, "{summary}");
    assert_eq!(attribute(links[0], "href"), Some("#alone"));
    let (_, cannot) = forms.split_once(" id=\"cannot\"").unwrap();
    assert!(cannot.split_once('>').unwrap().0.contains("open"), "{cannot}");
}

#[test]
fn the_details_lead_back_to_the_choice_of_the_document() {
    let page = page_named("07-details");
    let button = page
        .split("<button")
        .find(|button| button.contains(">Use another document<"));
    let is_its = |attribute: &str| button.is_some_and(|button| button.contains(attribute));
    assert!(is_its("form=\"details\"") && is_its("value=\"other\""), "{page}");
}

#[test]
fn a_button_that_waits_for_the_analysis_says_what_it_waits_for_and_is_pressed_once() {
    for (name, told, button) in [
        ("05-check", "Reading your document", "use"),
        ("08-selfie-anyway", "Sending", "use"),
        ("10-submit", "Sending", "send"),
    ] {
        let page = page_named(name);
        let (_, form) = page.split_once(&format!("data-told=\"{told}\"")).unwrap();
        let (form, scripts) = form.split_once("</form>").unwrap();
        let has = |attribute: &str| form.contains(attribute);
        assert!(
            has(&format!("value=\"{button}\"")) && has("role=\"status\""),
            "{name}: {form}"
        );
        assert!(scripts.contains(&format!("data-use=\"{button}\"")), "{name}: {scripts}");
    }
}

#[test]
fn whoever_has_no_try_left_for_a_poor_selfie_is_told_that_a_person_looks_at_it() {
    for (name, is_told) in [("10-submit", false), ("10-submit-poor-selfie", true)] {
        let page = page_named(name);
        let (_, selfie) = page.split_once("<h2>Your face</h2>").unwrap();
        let told = selfie.contains("You have used all attempts. A person at");
        assert_eq!(told, is_told, "{name}: {selfie}");
    }
}

#[test]
fn only_the_camera_pages_load_the_browsers_half() {
    every_page(|name, html, _| {
        let camera = name.contains("document-") || name.contains("06-") || name.contains("08-selfie");
        assert_eq!(html.contains("<leptos-island"), camera, "{name}");
        assert_eq!(html.contains("honnin_bg.wasm"), camera, "{name}");
    });
}

#[test]
fn only_a_sandboxs_start_page_offers_to_complete_with_each_outcome() {
    use domain::sandbox::SandboxOutcome;
    every_page(|name, html, _| {
        let offered: Vec<_> = tags(html, "button")
            .into_iter()
            .filter(|tag| attribute(tag, "name") == Some("outcome"))
            .filter_map(|tag| attribute(tag, "value"))
            .collect();
        let all: Vec<_> = SandboxOutcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
        let wanted = if name.contains("sandbox") { all } else { Vec::new() };
        assert_eq!(offered, wanted, "{name}");
    });
}

#[test]
fn what_was_typed_is_shown_as_text_never_as_markup() {
    let nasty = "\"><script>alert(1)</script>&</textarea>";
    let form = TypedForm {
        last_name: nasty.into(),
        address: nasty.into(),
        ..TypedForm::default()
    };
    let view = details::DetailsView {
        form,
        read: TypedForm::default(),
        style: FormStyle::International,
        printed: Vec::new(),
        other_address: None,
        faults: Vec::new(),
        being_read: false,
        unsaved: false,
    };
    let html = app::shell::text(|| details::render(&view, &super::meta(Language::En, "main.css", None)));
    assert!(!html.contains("<script>alert"), "{html}");
    assert_eq!(html.matches("</textarea>").count(), 1);
}

/// A photo with problems.
fn photo(problems: &[Reason], found_more: &[Reason], tries_left: u8) -> check::CheckView {
    check::CheckView {
        photo: CaptureId::parse("cap_00000000000000000000000000000000").unwrap(),
        picture_url: "sample.jpg".into(),
        screen_url: "card.jpg".into(),
        kept: true,
        document_type: DocumentType::Passport,
        side: Side::Front,
        problems: problems.to_vec(),
        looks_like: None,
        analysed: true,
        found_more: found_more.to_vec(),
        read: Vec::new(),
        tries_left,
    }
}

fn check_page(view: &check::CheckView) -> String {
    app::shell::text(|| check::render(view, &super::meta(Language::En, "main.css", None))).replace("<!>", "")
}

/// A photo with problems, and what is said about it: the page, and its box with the cause.
fn checked(problems: &[Reason], found_more: &[Reason], tries_left: u8) -> (String, String) {
    let html = check_page(&photo(problems, found_more, tries_left));
    let (_, rest) = html.split_once("class=\"cause\"").unwrap();
    let (cause, _) = rest.split_once("data-live").unwrap();
    (html.clone(), cause.to_owned())
}

#[test]
fn attempts_are_counted_beside_the_cause_and_without_any_left_a_person_looks() {
    let glare = [Reason::DocumentGlare];
    let (page, cause) = checked(&glare, &[], 2);
    assert!(cause.contains("2 attempts left"), "{cause}");
    assert!(page.contains("Use it anyway") && page.contains("Take it again"));
    let (page, cause) = checked(&glare, &[], 0);
    assert!(cause.contains("You have used all attempts. A person at"), "{cause}");
    assert!(page.contains("<h1>A person will check this photo</h1>"), "{page}");
    assert!(
        page.contains(">Continue</button>") && !page.contains("Take it again"),
        "{page}"
    );
}

#[test]
fn only_a_photo_that_is_shown_can_be_enlarged() {
    for kept in [true, false] {
        let view = check::CheckView {
            kept,
            ..photo(&[Reason::DocumentWrongSide], &[], 2)
        };
        let html = check_page(&view);
        for part in ["class=\"snap-frame\"", "id=\"zoom\"", "\".snap-frame\""] {
            assert_eq!(html.contains(part), kept, "{part}");
        }
    }
}

#[test]
fn a_back_with_my_number_leads_to_another_document_and_not_to_the_same_side_again() {
    let page = |kept: bool, side: Side| {
        check_page(&check::CheckView {
            kept,
            side,
            document_type: DocumentType::ResidenceCard,
            ..photo(&[Reason::DocumentWrongSide], &[], 2)
        })
    };
    let (again, choose) = ("This is the front again", ">Use another document</a>");
    let numbered = page(false, Side::Back);
    assert!(
        numbered.contains("This side shows My Number") && numbered.contains(choose),
        "{numbered}"
    );
    assert!(
        !numbered.contains(again) && !numbered.contains("This looks like the other side"),
        "{numbered}"
    );
    let turned = page(true, Side::Back);
    assert!(turned.contains(again) && !turned.contains(choose), "{turned}");
    let front = page(false, Side::Front);
    assert!(
        front.contains("This is not the front") && !front.contains(choose),
        "{front}"
    );
}

#[test]
fn what_was_found_after_the_choice_is_not_folded_away() {
    let (_, cause) = checked(
        &[Reason::DocumentGlare, Reason::DocumentCutOff],
        &[Reason::DocumentCutOff],
        3,
    );
    let (open, folded) = cause.split_once("<details").unwrap();
    assert!(
        open.contains("We checked the photo again and found more problems:"),
        "{open}"
    );
    assert!(
        open.contains("outside the photo") && folded.contains("reflected"),
        "{cause}"
    );
}

/// The details page as it is with what was read and what was typed.
fn detailed(read: &TypedForm, form: &TypedForm, printed: Vec<(InputField, app::parts::crop::Crop)>) -> String {
    let view = details::DetailsView {
        form: form.clone(),
        read: read.clone(),
        style: FormStyle::Japanese,
        printed,
        other_address: None,
        faults: vec![(InputField::FirstName, InputFault::Missing)],
        being_read: false,
        unsaved: false,
    };
    app::shell::text(|| details::render(&view, &super::meta(Language::En, "main.css", None)))
}

#[test]
fn what_was_read_is_marked_until_it_is_changed_and_no_more_is_said_to_be_filled_in() {
    let read = TypedForm {
        birth_date: "1990-02-28".into(),
        address: "1 Sample Town".into(),
        ..TypedForm::default()
    };
    let typed = TypedForm {
        last_name: "Yamada".into(),
        address: "2 Sample Town".into(),
        ..read.clone()
    };
    for (form, marks) in [(&read, 2), (&typed, 1)] {
        let html = detailed(&read, form, Vec::new());
        assert_eq!(html.matches("Read from your document").count(), marks, "{html}");
        assert!(
            html.contains("Enter your name. We have read your date of birth"),
            "{html}"
        );
    }
    let named = TypedForm {
        last_name: "Yamada".into(),
        ..read
    };
    assert!(detailed(&named, &named, Vec::new()).contains("Check what we read"));
    let nothing = TypedForm::default();
    assert!(detailed(&nothing, &named, Vec::new()).contains("exactly as they appear"));
}

#[test]
fn what_differs_from_what_was_read_is_the_users_own() {
    let read = TypedForm {
        last_name: "Yamada".into(),
        birth_date: "1990-02-28".into(),
        ..TypedForm::default()
    };
    let own = |form: &TypedForm| {
        let html = detailed(&read, form, Vec::new());
        let fields = html.split(" data-typed").skip(1);
        let names = fields.map(|field| attribute(field, "for").unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(own(&read), Vec::<String>::new());
    let cleared = TypedForm {
        last_name: String::new(),
        birth_date: "1990-02-27".into(),
        address: "2 Sample Town".into(),
        ..read.clone()
    };
    assert_eq!(own(&cleared), ["lastName", "birthDay", "address"]);
}

/// As of an era, which a licence prints, or of a century that goes without saying.
#[test]
fn a_year_of_two_digits_stays_as_it_was_typed_and_is_told_to_need_four() {
    let view = details::DetailsView {
        form: TypedForm {
            birth_date: "0052-01-21".into(),
            ..TypedForm::default()
        },
        faults: vec![(InputField::BirthDate, InputFault::TooLongAgo)],
        ..super::details_view(false)
    };
    let html = app::shell::text(|| details::render(&view, &super::meta(Language::En, "main.css", None)));
    for (name, typed) in [("birthYear", "52"), ("birthMonth", "1"), ("birthDay", "21")] {
        let field = tags(&html, "input")
            .into_iter()
            .find(|tag| attribute(tag, "id") == Some(name))
            .unwrap();
        assert_eq!(attribute(field, "value"), Some(typed), "{field}");
    }
    assert!(html.contains("Enter all four digits of the year"), "{html}");
}

/// Japanese people know the year of an era, as 昭和61年, S61 or 令和元: on a phone, a number pad has none of these letters.
#[test]
fn a_year_of_an_era_can_be_typed_where_the_page_is_japanese() {
    let field = |language, name: &str| {
        let meta = super::meta(language, "main.css", None);
        let html = app::shell::text(|| details::render(&super::details_view(false), &meta));
        let inputs = tags(&html, "input");
        let field = inputs
            .into_iter()
            .find(|tag| attribute(tag, "id") == Some(name))
            .unwrap();
        let of = |name| attribute(field, name).unwrap().to_owned();
        (of("inputmode"), of("maxlength").parse::<usize>().unwrap())
    };
    let (keyboard, longest) = field(Language::Ja, "birthYear");
    assert_eq!(keyboard, "text");
    for typed in ["昭和61年", "昭和 61年", "令和元", "S61", "1986"] {
        assert!(typed.chars().count() <= longest, "{typed}");
    }
    for (language, name, digits) in [
        (Language::Ja, "birthMonth", 2),
        (Language::Ja, "birthDay", 2),
        (Language::En, "birthYear", 4),
    ] {
        assert_eq!(
            field(language, name),
            ("numeric".to_owned(), digits),
            "{name} in {language}"
        );
    }
}

#[test]
fn the_tick_of_whoever_has_one_name_stays_as_it_was_sent() {
    for one_name in [false, true] {
        let form = TypedForm {
            one_name,
            ..TypedForm::default()
        };
        let html = detailed(&TypedForm::default(), &form, Vec::new());
        let tick = tags(&html, "input")
            .into_iter()
            .find(|tag| attribute(tag, "id") == Some("oneName"))
            .unwrap();
        assert_eq!(tick.contains(" checked"), one_name, "{tick}");
    }
}

#[test]
fn a_name_that_is_printed_whole_is_shown_once() {
    let crops = |last, first| {
        let places = vec![
            (InputField::LastName, super::printed(last)),
            (InputField::FirstName, super::printed(first)),
        ];
        let form = TypedForm::default();
        detailed(&form, &form, places).matches("class=\"crop\"").count()
    };
    assert_eq!(crops(0, 0), 1);
    assert_eq!(crops(0, 96), 2);
}
