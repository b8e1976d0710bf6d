//! Small parts of the console's pages: times, badges, selects, paging, empty states.

use super::words::{say, tell};
use crate::PageMeta;
use crate::parts::Mistake;
use domain::time::{Millis, Timestamp};
use leptos::prelude::*;
use service::people::password;

/// A time in UTC, to the minute, below a heading that says so; the markup holds the exact one.
pub(super) fn time(at: Timestamp) -> AnyView {
    let iso = at.to_iso();
    let shown = minutes(at);
    view! { <time datetime=iso.clone() title=iso>{shown}</time> }.into_any()
}

/// The same where no heading says so: `2026-08-02 09:30 UTC`.
pub(super) fn time_utc(at: Timestamp) -> AnyView {
    view! { {time(at)}" UTC" }.into_any()
}

/// A time in UTC, to the second: of what may follow closely on something else.
pub(super) fn time_to_second(at: Timestamp) -> AnyView {
    let iso = at.to_iso();
    view! { <time datetime=iso.clone() title=iso>{seconds(at)}</time> }.into_any()
}

/// `2026-08-02 09:30:15`.
#[must_use]
pub(super) fn seconds(at: Timestamp) -> String {
    at.to_iso().get(..19).unwrap_or_default().replace('T', " ")
}

/// `2026-08-02 09:30`.
#[must_use]
pub(super) fn minutes(at: Timestamp) -> String {
    at.to_iso().get(..16).unwrap_or_default().replace('T', " ")
}

/// How long it has been, in the largest unit that fits.
#[must_use]
pub(super) fn age(then: Timestamp, now: Timestamp) -> String {
    let minutes = (now.as_millis() - then.as_millis()).max(0) / 60_000;
    match minutes {
        0 => say("under 1 min", "1分未満").to_owned(),
        1..60 => tell!("{minutes} min", "{minutes}分"),
        60..2880 => tell!("{} h", "{}時間", minutes / 60),
        _ => tell!("{} d", "{}日", minutes / 1440),
    }
}

/// How long ago, in the largest unit that fits.
#[must_use]
pub(super) fn ago(then: Timestamp, now: Timestamp) -> String {
    if now.as_millis() - then.as_millis() < 60_000 {
        return say("just now", "たった今").to_owned();
    }
    tell!("{} ago", "{}前", age(then, now))
}

/// How long something took, in the largest unit that fits.
#[must_use]
pub(super) fn duration(span: Millis) -> String {
    match span.0 {
        ..1_000 => say("under 1 s", "1秒未満").to_owned(),
        millis @ 1_000..120_000 => tell!("{} s", "{}秒", millis / 1_000),
        millis @ 120_000..7_200_000 => tell!("{} min", "{}分", millis / 60_000),
        millis @ 7_200_000..172_800_000 => tell!("{} h", "{}時間", millis / 3_600_000),
        millis => tell!("{} d", "{}日", millis / Millis::days(1).0),
    }
}

/// A number with a comma before every three digits: `10,000`.
#[must_use]
pub(super) fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `vs_0123…cdef`.
#[must_use]
pub(super) fn short(id: &str) -> String {
    let end = id.len().saturating_sub(4);
    format!("{}…{}", id.get(..7).unwrap_or(id), id.get(end..).unwrap_or_default())
}

/// The tone of a badge: good, bad, warning, in progress or neutral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Good.
    Good,
    /// Bad.
    Bad,
    /// Needs attention.
    Warn,
    /// In progress.
    Live,
    /// Neutral.
    Plain,
}

impl Tone {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Warn => "warn",
            Self::Live => "live",
            Self::Plain => "plain",
        }
    }
}

/// A word with a colour; the word alone also conveys the meaning. It begins with a capital, whatever it is elsewhere.
pub(super) fn badge(word: impl Into<String>, tone: Tone) -> AnyView {
    let (class, word) = (format!("badge {}", tone.class()), word.into());
    let mut letters = word.chars();
    let first = letters.next().map(char::to_uppercase);
    let word: String = first.into_iter().flatten().chain(letters).collect();
    view! { <span class=class>{word}</span> }.into_any()
}

/// The options of a select.
pub(super) fn options(items: impl IntoIterator<Item = (String, String)>, chosen: &str) -> AnyView {
    items
        .into_iter()
        .map(|(value, name)| {
            let selected = value == chosen;
            view! { <option value=value selected=selected>{name}</option> }
        })
        .collect_view()
        .into_any()
}

/// A select with its label; the first option means no filter.
pub(super) fn select(
    name: &'static str,
    label: &'static str,
    any: &'static str,
    items: impl IntoIterator<Item = (String, String)>,
    chosen: &str,
) -> AnyView {
    let all = std::iter::once((String::new(), any.to_owned())).chain(items);
    let options = options(all, chosen);
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <select class="input" id=name name=name>{options}</select>
        </div>
    }
    .into_any()
}

/// One line of text with label, hint and mistake.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// `id` and `name`.
    pub name: &'static str,
    /// The label.
    pub label: &'static str,
    /// The unit of a number, which the label says.
    pub unit: Option<String>,
    /// Help text under the label.
    pub hint: Option<String>,
    /// `type`.
    pub kind: &'static str,
    /// What was typed.
    pub value: String,
    /// `autocomplete` token.
    pub autocomplete: &'static str,
    /// Narrow, for numbers.
    pub narrow: bool,
    /// What browsers offer to fill in.
    pub suggestions: Vec<String>,
    /// The most characters. In a field of several lines, a script counts how many are left.
    pub most: Option<usize>,
}

impl Line {
    /// A line of plain text that browsers do not fill in.
    pub(super) fn text(name: &'static str, label: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            label,
            kind: "text",
            value: value.into(),
            autocomplete: "off",
            ..Self::default()
        }
    }
}

/// The error message of a field, if any.
#[must_use]
pub(super) fn mistake_of(mistakes: &[Mistake], field: &str) -> Option<String> {
    mistakes
        .iter()
        .find(|mistake| mistake.field == field)
        .map(|mistake| mistake.sentence.clone())
}

/// The ids of what describes a field, for `aria-describedby`: each is the field's name and one of `parts`.
fn described_by(name: &str, parts: &[Option<&str>]) -> Option<String> {
    let parts = parts.iter().flatten();
    let ids: Vec<_> = parts.map(|part| format!("{name}-{part}")).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

/// What is wrong with a field, above it.
pub(super) fn field_error(name: &str, sentence: Option<String>) -> Option<AnyView> {
    let id = format!("{name}-error");
    sentence.map(|sentence| view! { <p class="error" id=id>{sentence}</p> }.into_any())
}

/// Choices that belong together, with what is wrong with them.
pub(super) fn choices(name: &'static str, legend: &'static str, inside: AnyView, mistakes: &[Mistake]) -> AnyView {
    let error = mistake_of(mistakes, name);
    let wrong = error.is_some();
    let described = described_by(name, &[wrong.then_some("error")]);
    view! {
        <fieldset class="field" id=name class:wrong=wrong aria-describedby=described>
            <legend>{legend}</legend>
            {field_error(name, error)}
            {inside}
        </fieldset>
    }
    .into_any()
}

/// The mistakes in the order of the form's fields, which `fields` are.
#[must_use]
pub(super) fn in_order(mut mistakes: Vec<Mistake>, fields: &[&str]) -> Vec<Mistake> {
    let position = |mistake: &Mistake| fields.iter().position(|field| *field == mistake.field);
    mistakes.sort_by_key(|mistake| position(mistake).unwrap_or(fields.len()));
    mistakes
}

/// The button that copies what is in the `<code>` elements of the section around it. The script shows it.
pub(super) fn copy_button(meta: &PageMeta) -> AnyView {
    let (done, failed) = (
        say("Copied.", "コピーしました。"),
        say(
            "Your browser did not allow it. Select the text and copy it by hand.",
            "コピーできませんでした。テキストを選択してコピーしてください。",
        ),
    );
    view! {
        <p class="copy" data-copying hidden>
            <button class="button secondary small" type="button">{say("Copy", "コピー")}</button>" "
            <span role="status" data-done=done data-failed=failed></span>
        </p>
        <script nonce=meta.nonce.clone() inner_html=include_str!("copy.js")></script>
    }
    .into_any()
}

/// Recovery codes, which are shown only now.
pub(super) fn shown_codes(codes: &[String], meta: &PageMeta) -> AnyView {
    let codes = codes
        .iter()
        .map(|code| view! { <li><code>{code.clone()}</code></li> })
        .collect_view();
    view! {
        <section class="panel secret" role="status">
            <h2>{say("Your recovery codes", "リカバリーコード")}</h2>
            <ul class="recovery-codes">{codes}</ul>
            {copy_button(meta)}
            <p>{say(
                "Keep them where you keep passwords: they are not shown again. Each one signs you in once if you have lost your device.",
                "パスワードと同じ場所に保管してください。再表示はできません。端末を紛失したときは、1つのコードで1回サインインできます。",
            )}</p>
        </section>
    }
    .into_any()
}

/// A field of one line.
pub(super) fn line(line: Line, mistakes: &[Mistake]) -> AnyView {
    let Line {
        name,
        label,
        unit,
        hint,
        kind,
        value,
        autocomplete,
        narrow,
        suggestions,
        most,
    } = line;
    let label = match unit {
        Some(unit) => tell!("{label} ({unit})", "{label}（{unit}）"),
        None => label.to_owned(),
    };
    let error = mistake_of(mistakes, name);
    let wrong = error.is_some();
    let hint_id = format!("{name}-hint");
    let described = described_by(name, &[hint.is_some().then_some("hint"), wrong.then_some("error")]);
    let class = if narrow { "input narrow" } else { "input" };
    let list = (!suggestions.is_empty()).then(|| format!("{name}-list"));
    let offered = list.clone().map(|list| {
        let offered = suggestions
            .into_iter()
            .map(|value| view! { <option value=value></option> })
            .collect_view();
        view! { <datalist id=list>{offered}</datalist> }
    });
    view! {
        <div class="field" class:wrong=wrong>
            <label for=name>{label}</label>
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
            {field_error(name, error)}
            <input class=class id=name name=name type=kind value=value autocomplete=autocomplete list=list
                maxlength=most aria-describedby=described aria-invalid=wrong.then_some("true") spellcheck="false"/>
            {offered}
        </div>
    }
    .into_any()
}

/// The field for the current password at sign-in.
pub(super) fn current_password(wrong: &[Mistake]) -> AnyView {
    password_field(say("Password", "パスワード"), wrong)
}

/// The same in a form for something else, where it must not be mistaken for the password of what the form creates.
pub(super) fn confirming_password(wrong: &[Mistake]) -> AnyView {
    let label = say(
        "Your password, to confirm that it is you",
        "ご自身のパスワード（再認証のため）",
    );
    password_field(label, wrong)
}

fn password_field(label: &'static str, wrong: &[Mistake]) -> AnyView {
    let field = Line {
        name: "password",
        label,
        kind: "password",
        autocomplete: "current-password",
        ..Line::default()
    };
    line(field, wrong)
}

/// The field for a new password.
pub(super) fn new_password() -> Line {
    Line {
        name: "password",
        label: say("Password", "パスワード"),
        kind: "password",
        autocomplete: "new-password",
        hint: Some(tell!(
            "At least {} characters. A sentence is easier to remember than symbols.",
            "{}文字以上で入力してください。記号を交ぜるより、文にするほうが覚えやすくなります。",
            password::LEAST
        )),
        ..Line::default()
    }
}

/// A field of several lines.
pub(super) fn area(line: Line, rows: u32, mistakes: &[Mistake]) -> AnyView {
    let Line {
        name,
        label,
        hint,
        value,
        most,
        ..
    } = line;
    let count = most.map(|most| {
        let most = grouped(i64::try_from(most).unwrap_or(i64::MAX));
        let left = say("{left} of {most} characters left", "残り{left}文字（{most}文字以内）").replace("{most}", &most);
        let limit = tell!("At most {most} characters", "{most}文字以内");
        view! { <p class="hint" id=format!("{name}-count") data-counts=name data-told=left>{limit}</p> }
    });
    // Each line may have a mistake of its own.
    let errors = mistakes.iter().filter(|mistake| mistake.field == name);
    let errors: Vec<_> = errors
        .map(|mistake| view! { <p class="error">{mistake.sentence.clone()}</p> })
        .collect();
    let wrong = !errors.is_empty();
    let errors = wrong.then(|| view! { <div id=format!("{name}-error")>{errors}</div> });
    let hint_id = format!("{name}-hint");
    let described = described_by(
        name,
        &[
            hint.is_some().then_some("hint"),
            wrong.then_some("error"),
            most.is_some().then_some("count"),
        ],
    );
    view! {
        <div class="field" class:wrong=wrong>
            <label for=name>{label}</label>
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
            {errors}
            <textarea class="input" id=name name=name rows=rows.to_string() maxlength=most aria-describedby=described
                aria-invalid=wrong.then_some("true") spellcheck="false" inner_html=crate::html::escaped(&value)></textarea>
            {count}
        </div>
    }
    .into_any()
}

/// A checkbox.
pub(super) fn tick(name: &'static str, value: &'static str, label: impl Into<String>, ticked: bool) -> AnyView {
    let id = format!("{name}-{value}");
    view! {
        <div class="tick-row">
            <input type="checkbox" id=id.clone() name=name value=value checked=ticked/>
            <label for=id>{label.into()}</label>
        </div>
    }
    .into_any()
}

/// The list of a page's keyboard shortcuts, which its script opens, and the switch for all of them, which `shortcuts.js` keeps.
pub(super) fn shortcuts(keys: &[(&'static str, &'static str)]) -> AnyView {
    let rows = keys
        .iter()
        .map(|(key, what)| view! { <div><dt><kbd>{*key}</kbd></dt><dd>{*what}</dd></div> })
        .collect_view();
    view! {
        <dialog class="keys" data-keys aria-label=say("Keyboard shortcuts", "キーボードショートカット")>
            <h2>{say("Keyboard shortcuts", "キーボードショートカット")}</h2>
            <dl class="facts">{rows}</dl>
            <form method="dialog"><button class="button secondary small" type="submit">{say("Close", "閉じる")}</button></form>
            // After the button, which has the focus once the list is open.
            <div class="tick-row">
                <input type="checkbox" id="shortcuts" autocomplete="off" data-shortcuts/>
                <label for="shortcuts">{say("Use shortcuts in this browser", "このブラウザーでショートカットを使用する")}</label>
            </div>
        </dialog>
    }
    .into_any()
}

/// What an empty list shows: what it is for, and what to do next.
pub(super) fn empty(title: &'static str, advice: impl IntoView) -> impl IntoView {
    view! { <div class="empty"><h2>{title}</h2><p>{advice}</p></div> }
}

/// The link to the next page of a list.
pub(super) fn next_page(href: Option<String>) -> AnyView {
    href.map(
        |href| view! { <p class="paging"><a class="button secondary small" href=href rel="next">{say("Next page", "次のページ")}</a></p> },
    )
    .into_any()
}

/// The heading of a page, with its actions.
pub(super) fn heading(title: impl Into<String>, actions: AnyView) -> AnyView {
    view! { <div class="head"><h1>{title.into()}</h1><div class="head-actions">{actions}</div></div> }.into_any()
}

/// A definition list.
pub(super) fn facts(items: Vec<(&'static str, AnyView)>) -> AnyView {
    let items = items
        .into_iter()
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        .collect_view();
    view! { <dl class="facts">{items}</dl> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::mistake;

    #[test]
    fn what_is_wrong_is_tied_to_its_field() {
        let field = |hint: Option<&str>| Line {
            hint: hint.map(str::to_owned),
            ..Line::text("networks", "Networks", "x")
        };
        let wrong = [mistake("networks", "x is no network.")];
        let boxes = || choices("networks", "Networks", ().into_any(), &wrong);
        for (view, described) in [
            (line(field(Some("As CIDR.")), &wrong), "networks-hint networks-error"),
            (area(field(Some("As CIDR.")), 2, &wrong), "networks-hint networks-error"),
            (line(field(None), &wrong), "networks-error"),
            (area(field(None), 2, &wrong), "networks-error"),
            (boxes(), "networks-error"),
        ] {
            let html = view.to_html();
            assert!(html.contains(&format!("aria-describedby=\"{described}\"")), "{html}");
            assert!(html.contains("id=\"networks-error\""), "{html}");
        }
        let counted = Line {
            most: Some(2_000),
            ..field(Some("As CIDR."))
        };
        let html = area(counted, 2, &[]).to_html();
        assert!(
            html.contains(r#"aria-describedby="networks-hint networks-count""#),
            "{html}"
        );
        assert!(html.contains(r#"id="networks-count""#), "{html}");
        let right = line(field(None), &[]).to_html();
        assert!(
            !right.contains("aria-describedby") && !right.contains("-error"),
            "{right}"
        );
    }

    #[test]
    fn a_long_number_is_grouped() {
        for (number, told) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (-12_345, "-12,345"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), told);
        }
    }

    #[test]
    fn a_duration_is_told_in_the_largest_fitting_unit() {
        for (millis, told) in [
            (0, "under 1 s"),
            (36_900, "36 s"),
            (119_999, "119 s"),
            (120_000, "2 min"),
            (7_200_000, "2 h"),
            (172_800_000, "2 d"),
        ] {
            assert_eq!(duration(Millis(millis)), told);
        }
    }

    #[test]
    fn an_age_is_told_in_the_largest_fitting_unit() {
        let now = Timestamp::from_millis(10 * 86_400_000);
        for (millis, told) in [
            (0, "under 1 min"),
            (59_999, "under 1 min"),
            (60_000, "1 min"),
            (3_600_000, "1 h"),
            (172_800_000, "2 d"),
        ] {
            assert_eq!(age(Timestamp::from_millis(now.as_millis() - millis), now), told);
        }
    }

    #[test]
    fn a_moment_is_told_by_how_long_ago_it_was() {
        let now = Timestamp::from_millis(10 * 86_400_000);
        for (millis, told) in [
            (-1, "just now"),
            (59_999, "just now"),
            (60_000, "1 min ago"),
            (172_800_000, "2 d ago"),
        ] {
            assert_eq!(ago(Timestamp::from_millis(now.as_millis() - millis), now), told);
        }
    }
}
