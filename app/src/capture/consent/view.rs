//! 1, Consent: an explicit tap, with the version of the text. Declining ends the session.

use crate::capture::said;
use crate::parts::choice;
use crate::parts::draw::{Icon, icon};
use crate::text::entry as text;
use crate::{PageMeta, forms, shell};
use domain::session::{Plan, Step};
use leptos::prelude::*;

/// The version of the sentences below; it is stored with the consent. Change it whenever they change.
pub const CONSENT_VERSION: &str = "2026-11-25.1";
/// The version of the page that also asks for the face search; the answer is stored beside it.
pub const CONSENT_VERSION_SEARCH: &str = "2026-11-25.1-search";

/// The consent page.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsentView {
    /// The steps of the session.
    pub plan: Plan,
    /// Days until the data is deleted after the end.
    pub retention_days: u32,
    /// Whether the tenant searches for faces among approved people, which requires a separate consent.
    pub face_search: bool,
    /// Whether the user has declined, and is asked once more before that ends the session.
    pub declining: bool,
}

/// The version of the text, which depends on whether the tenant uses the face search.
#[must_use]
pub const fn version(face_search: bool) -> &'static str {
    if face_search {
        CONSENT_VERSION_SEARCH
    } else {
        CONSENT_VERSION
    }
}

/// The page.
#[must_use]
pub fn render(view: &ConsentView, meta: &PageMeta) -> AnyView {
    if view.declining {
        return declining(meta);
    }
    let (document, selfie) = (view.plan.has(Step::Document), view.plan.has(Step::Selfie));
    let days = view.retention_days.to_string();
    let points = [
        document.then_some(text::CONSENT_DOCUMENT),
        selfie.then_some(if document {
            text::CONSENT_SELFIE
        } else {
            text::CONSENT_SELFIE_ONLY
        }),
        Some(text::CONSENT_REVIEW),
        Some(text::CONSENT_DELETE),
    ];
    let points: Vec<_> = points
        .into_iter()
        .flatten()
        .map(|t| view! { <li>{meta.tell(t, &[("days", &days)])}</li> })
        .collect();
    let short = [
        document.then_some((Icon::Document, text::CONSENT_SHORT_DOCUMENT)),
        selfie.then_some((
            Icon::Face,
            if document {
                text::CONSENT_SHORT_SELFIE
            } else {
                text::CONSENT_SHORT_SELFIE_ONLY
            },
        )),
        Some((Icon::Clock, text::CONSENT_SHORT_DELETE)),
    ];
    let short: Vec<_> = short
        .into_iter()
        .flatten()
        .map(|(mark, t)| view! { <li>{icon(mark)}<span>{meta.tell(t, &[("days", &days)])}</span></li> })
        .collect();
    let [title, lead, agree, decline] = said(
        meta,
        [
            text::CONSENT_TITLE,
            text::CONSENT_LEAD,
            text::CONSENT_AGREE,
            text::CONSENT_DECLINE,
        ],
    );
    let hint = meta.tell(text::CONSENT_DECLINE_HINT, &[]);
    let of_text = version(view.face_search);
    let said_version = meta.tell(text::CONSENT_VERSION, &[("version", of_text)]);
    let search = view.face_search.then(|| search(meta, &days));
    let full = meta.say(text::CONSENT_FULL);
    let main = view! {
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <ul class="terms">{short}</ul>
        <details class="fold">
            <summary>{full}</summary>
            <ul class="points">{points}</ul>
            <p class="hint">{said_version}</p>
        </details>
        <form class="ends" method="post" action=forms::CONSENT>
            <input type="hidden" name=forms::VERSION value=of_text/>
            {search}
            <p class="hint">{hint}</p>
            <div class="actions">
                {choice("primary", forms::DECISION, forms::ACCEPT, agree)}
                {choice("quiet", forms::DECISION, forms::DECLINE, decline)}
            </div>
        </form>
    };
    shell::phone(meta, title.to_owned(), main.into_any())
}

/// The second look at what declining means.
fn declining(meta: &PageMeta) -> AnyView {
    let [title, back, end] = said(meta, [text::DECLINE_TITLE, text::DECLINE_BACK, text::DECLINE_END]);
    let main = view! {
        <h1>{title}</h1>
        <p class="lead">{meta.tell(text::CONSENT_DECLINE_HINT, &[])}</p>
        <p>{meta.tell(text::DECLINE_FINAL, &[])}</p>
        <form class="actions" method="post" action=forms::CONSENT>
            <input type="hidden" name=forms::DECISION value=forms::DECLINE/>
            <a class="button primary" href=forms::CONSENT>{back}</a>
            {choice("secondary", forms::CONFIRMED, forms::YES, end)}
        </form>
    };
    shell::phone(meta, title.to_owned(), main.into_any())
}

/// The separate question: not ticked in advance, and the verification continues without it.
fn search(meta: &PageMeta, days: &str) -> impl IntoView + use<> {
    let [title, hint] = [text::CONSENT_SEARCH_TITLE, text::CONSENT_SEARCH_HINT].map(|t| meta.tell(t, &[]));
    let label = meta.tell(text::CONSENT_SEARCH, &[("days", days)]);
    view! {
        <fieldset class="agree card">
            <legend>{title}</legend>
            <div class="agree-row">
                <input type="checkbox" id=forms::FACE_SEARCH name=forms::FACE_SEARCH value=forms::YES aria-describedby="face-search-hint"/>
                <label for=forms::FACE_SEARCH>{label}</label>
            </div>
            <p class="hint" id="face-search-hint">{hint}</p>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes a sentence changes the version with it: a stored consent names what was agreed to.
    #[test]
    fn the_sentences_of_a_version_stay_as_they_are() {
        let sentences = [
            text::CONSENT_LEAD,
            text::CONSENT_SHORT_DOCUMENT,
            text::CONSENT_SHORT_SELFIE,
            text::CONSENT_SHORT_SELFIE_ONLY,
            text::CONSENT_SHORT_DELETE,
            text::CONSENT_DOCUMENT,
            text::CONSENT_SELFIE,
            text::CONSENT_SELFIE_ONLY,
            text::CONSENT_REVIEW,
            text::CONSENT_DELETE,
            text::CONSENT_DECLINE_HINT,
            text::CONSENT_SEARCH_TITLE,
            text::CONSENT_SEARCH,
            text::CONSENT_SEARCH_HINT,
        ];
        let lines = sentences.iter().flat_map(|text| [text.en, text.ja]);
        let all: Vec<&str> = [CONSENT_VERSION].into_iter().chain(lines).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
    2026-11-25.1
    To verify your identity, we need you to agree to this:
    本人確認のため、次の内容への同意が必要です。
    {tenant} reads the photos of your document.
    {tenant} が書類の写真を読み取ります。
    {tenant} compares your face with the photo on your document. These are biometric data.
    {tenant} がお顔を書類の写真と照合します。これは生体情報にあたります。
    {tenant} takes pictures of your face and measures it. These are biometric data.
    {tenant} がお顔を撮影し、特徴を数値化します。これは生体情報にあたります。
    Everything is deleted {days} {days:day|days} after the verification ends.
    すべての情報は確認の終了から{days}日後に削除されます。
    {tenant} processes photos of your identity document and reads the details on it.
    {tenant} が本人確認書類の写真を取り扱い、記載内容を読み取ります。
    {tenant} takes a short series of pictures of your face, measures it, and compares it with the photo on your document. These are biometric data.
    {tenant} がお顔を連続撮影し、特徴を数値化して、書類の写真と照合します。これは生体情報にあたります。
    {tenant} takes a short series of pictures of your face and measures it. These are biometric data.
    {tenant} がお顔を連続撮影し、特徴を数値化します。これは生体情報にあたります。
    If the automatic check is unclear, a person at {tenant} reviews it.
    自動で判断できない場合は、{tenant} の担当者が目で確認します。
    Everything is deleted {days} {days:day|days} after the verification ends. You can ask {tenant} to delete it earlier.
    すべての情報は確認の終了から{days}日後に削除されます。それより早い削除も {tenant} にお申し出いただけます。
    If you do not agree, the verification ends here and {tenant} is notified.
    同意されない場合、本人確認はここで終了し、{tenant} に通知されます。
    Optional: search for your face
    任意：顔の照合検索について
    I also agree that {tenant} may search for my face among the faces of people it has approved before, to detect when one person is verified more than once. For this, {tenant} keeps the measurements of my face, encrypted, and compares later applicants with them, until they are deleted {days} {days:day|days} after the verification ends. This is biometric data.
    {tenant} が、同じ人物の重複した確認に気づくために、以前に承認した人の顔の中から私の顔を検索することにも同意します。そのために {tenant} は私の顔の特徴の数値を暗号化して保存し、確認の終了から{days}日後に削除するまで、後の申請者との照合に使います。これは生体情報にあたります。
    This is your choice. If you do not agree, a person at {tenant} reviews your verification, which takes longer.
    同意は任意です。同意されない場合も本人確認は続けられます。{tenant} の担当者が目で確認するため、時間がかかります。
    ");
    }
}
