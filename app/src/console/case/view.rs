//! A case on one screen: pictures, readings, checks, the decision. Without scripts every picture opens in full size; the script
//! adds zoom, rotation, brightness, comparison and keyboard shortcuts.

use super::assignment::{Assignment, assignment};
use super::burst::{Burst, burst};
use super::faces::{Faces, faces};
use crate::PageMeta;
use crate::console::ask_again::ATTEMPT;
use crate::console::findings::{Item, ScoreRow, checks, evidence, how_decided, items, reasons, scores};
use crate::console::flash::{Notice, flash};
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page, problems};
use crate::console::parts::{Line, Tone, age, area, badge, minutes, short, shortcuts};
use crate::console::selection::{QUEUE, Selection};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::{
    document::DocumentType,
    ids::SessionId,
    named::Named,
    reasons::{Effect, Reason},
    ruling::Ruling,
    session::{AttemptNumber, Step},
    time::Timestamp,
};
use leptos::prelude::*;
use service::review::{NOTE_LIMIT, Neighbours};

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// `Front`, `Selfie`, ..
    pub name: String,
    /// Its address.
    pub url: String,
    /// Address of the reduced picture, for the row of thumbnails.
    pub small_url: String,
    /// Address of the card, cropped and straightened, if the card was found.
    pub card_url: Option<String>,
    /// Sentences of what is wrong with it.
    pub problems: Vec<String>,
    /// Whether compare mode shows it: the side with the portrait, and the selfie.
    pub compared: bool,
}

/// Who may decide the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reservation {
    /// The person viewing it, until that time.
    Mine(Timestamp),
    /// Another reviewer, until that time.
    Other(String, Timestamp),
    /// Nobody: this reviewer has decided it, which takes effect soon.
    Decided(String, Ruling),
    /// Nobody: it is not waiting, or no longer. The reviewer who decided it, if any, what, and when.
    Over(Option<(String, Ruling, Timestamp)>),
}

/// How an earlier attempt ended in review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Earlier {
    /// `Asked again by ..`
    pub what: String,
    /// When.
    pub at: Timestamp,
    /// The note left for the next reviewer.
    pub note: Option<String>,
}

/// The case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CaseView {
    /// Session id.
    pub id: String,
    /// Since when it has been waiting.
    pub since: Timestamp,
    /// Now.
    pub now: Timestamp,
    /// Kind of document.
    pub document: Option<DocumentType>,
    /// Which attempt.
    pub attempt: AttemptNumber,
    /// The pictures that count.
    pub pictures: Vec<Shown>,
    /// Portrait and selfie, to be compared.
    pub faces: Option<Faces>,
    /// The frames of the selfie.
    pub burst: Option<Burst>,
    /// Readings.
    pub items: Vec<Item>,
    /// Codes and sentences.
    pub reasons: Vec<(Named<Reason>, String)>,
    /// Checks in words.
    pub checks: Vec<(&'static str, String, Tone)>,
    /// Every score of the decision.
    pub scores: Vec<ScoreRow>,
    /// Who is to decide it, while it is waiting.
    pub assignment: Option<Assignment>,
    /// Who may decide.
    pub reservation: Reservation,
    /// Steps that were not performed.
    pub not_performed: Vec<Step>,
    /// Other sessions that were approved with this document in the meantime.
    pub same_document: Vec<String>,
    /// Other sessions that were approved with this face in the meantime.
    pub same_face: Vec<String>,
    /// How earlier attempts ended, oldest first.
    pub earlier: Vec<Earlier>,
    /// The note as typed.
    pub note: String,
    /// The reasons as ticked.
    pub ticked: Vec<String>,
    /// Whether note or reasons are as typed, and stored nowhere.
    pub is_unsaved: bool,
    /// The next case, once the reviewer has confirmed that what they have typed may be lost.
    pub onward: Option<SessionId>,
    /// What was just done.
    pub done: Option<Notice>,
    /// Whether a decision was to be undone that can no longer be.
    pub too_late: bool,
    /// What is wrong with the decision.
    pub mistakes: Vec<Mistake>,
    /// The part of the queue that the reviewer works on.
    pub selection: Selection,
    /// The cases before and after this one in it.
    pub neighbours: Neighbours,
}

impl CaseView {
    /// Where the way to another case leads.
    fn leave(&self) -> String {
        self.selection.href(&format!("{QUEUE}/{}/leave", self.id))
    }
}

/// A picture, which `key` chooses.
fn shot(key: String, shown: &Shown) -> AnyView {
    let alt = tell!("{}, as taken by the user", "{}（利用者が撮影）", shown.name);
    let seen = shown.card_url.clone().unwrap_or_else(|| shown.url.clone());
    let link = seen.clone();
    let original = shown.card_url.is_some().then(|| {
        view! {
            <p class="hint">{say("Cut out and straightened. ", "書類を切り抜き、傾きを補正しています。")}
                <a href=shown.url.clone() target="_blank" rel="noopener">{say("The photo as taken", "元の写真")}</a></p>
        }
    });
    let problems = shown
        .problems
        .iter()
        .map(|p| view! { <li>{p.clone()}</li> })
        .collect_view();
    view! {
        <figure class="shot" class:compared=shown.compared data-shot=key.clone() data-small=shown.small_url.clone()>
            <figcaption><strong>{shown.name.clone()}</strong><kbd>{key.clone()}</kbd></figcaption>
            <a class="shot-frame" href=link target="_blank" rel="noopener">
                <img src=seen alt=alt/>
            </a>
            {original}
            <ul class="shot-problems">{problems}</ul>
        </figure>
    }
    .into_any()
}

fn gallery(pictures: &[Shown]) -> AnyView {
    if pictures.is_empty() {
        return view! { <div class="empty"><h2>{say("No pictures", "画像なし")}</h2><p>{say(
            "No pictures were taken, or they have been erased.",
            "画像は撮影されていないか、消去されています。",
        )}</p></div> }
        .into_any();
    }
    let shots = pictures
        .iter()
        .enumerate()
        .map(|(i, shown)| shot((i + 1).to_string(), shown))
        .collect_view();
    let tool = |tool: &'static str, name: &'static str, key: &'static str| {
        // Those that are on or off.
        let pressed = matches!(tool, "loupe" | "fill").then_some("false");
        view! {
            <button class="button secondary small" type="button" data-tool=tool aria-pressed=pressed>{name}" "<kbd>{key}</kbd></button>
        }
    };
    view! {
        <div class="viewer-area" data-viewer>
            <div class="tools" data-tools hidden>
                {tool("zoom", say("Zoom", "拡大"), "Z")}
                {tool("loupe", say("Loupe", "ルーペ"), "L")}
                {tool("rotate", say("Rotate", "回転"), "R")}
                {tool("dark", say("Darker", "暗く"), "D")}
                {tool("bright", say("Brighter", "明るく"), "B")}
                {tool("contrast", say("Contrast", "コントラスト"), "V")}
                {tool("fill", say("Full screen", "全画面"), "F")}
                {tool("compare", say("Compare faces", "顔を比較"), "C")}
                <button class="button quiet small" type="button" data-tool="help">{say("Shortcuts ", "ショートカット ")}<kbd>"?"</kbd></button>
            </div>
            <div class="gallery" data-gallery>{shots}</div>
        </div>
    }
    .into_any()
}

/// The keys that tick the first reasons; those before them choose pictures.
const REASON_KEYS: [&str; 5] = ["5", "6", "7", "8", "9"];

/// The field of a reason that is ticked, and the place of all of them on the page.
pub(super) const REASON: &str = "reason";
pub(super) const REASONS: &str = "reasons";
/// The field of the note.
pub(super) const NOTE: &str = "note";

/// A reason that is ticked with one tap.
fn pick(reason: Reason, ticked: bool, key: Option<&'static str>) -> AnyView {
    let id = format!("reason-{reason}");
    let sentence = match reason {
        Reason::ManualRejection => None,
        reason => Some(labels::reason(&Named::Known(reason))),
    };
    view! {
        <div class="pick"><input type="checkbox" id=id.clone() name=REASON value=reason.as_str() checked=ticked data-key=key/>
            <label for=id title=sentence>{labels::reason_name(reason)}{key.map(|key| view! { " "<kbd aria-hidden="true">{key}</kbd> })}</label></div>
    }
    .into_any()
}

/// The reasons of the case come first, ticked, so that a rejection keeps them unless the reviewer takes one away; the rest is
/// behind a fold.
fn picks(ticked: &[String], noted: &[(Named<Reason>, String)]) -> AnyView {
    let is_ticked = |reason: &Reason| ticked.iter().any(|ticked| ticked == reason.as_str());
    let near = |reason: &Reason| is_ticked(reason) || noted.iter().any(|(noted, _)| noted == reason);
    // What only the system can know is not a reason for a reviewer to choose.
    let of_the_system =
        |reason: &Reason| matches!(reason.effect(), Effect::AskAgain) || matches!(reason, Reason::CheckUnavailable);
    let grounds = Reason::ALL.iter().copied().filter(|reason| reason.counts_against());
    let (likely, rest): (Vec<Reason>, Vec<Reason>) = grounds.partition(near);
    let keys = REASON_KEYS.into_iter().map(Some).chain(std::iter::repeat(None));
    let likely = likely
        .into_iter()
        .zip(keys)
        .map(|(reason, key)| pick(reason, is_ticked(&reason), key))
        .collect_view();
    let rest = rest
        .into_iter()
        .filter(|reason| !of_the_system(reason))
        .map(|reason| pick(reason, false, None))
        .collect_view();
    view! {
        <div class="picks">{likely}</div>
        <details class="fold"><summary>{say("All reasons", "すべての理由")}</summary><div class="picks">{rest}</div></details>
    }
    .into_any()
}

fn ruling(view: &CaseView) -> AnyView {
    let action = view.selection.href(&format!("{QUEUE}/{}", view.id));
    let missing: Vec<&str> = view.not_performed.iter().map(|step| labels::step(*step)).collect();
    let refused = (!missing.is_empty()).then(|| {
        let steps = missing.join(say(" and ", "と"));
        let was = if missing.len() == 1 { "was" } else { "were" };
        let sentence = tell!(
            "Cannot be approved: {steps} {was} not checked. Ask the user again.",
            "{steps}が確認されていないため承認できません。再提出を依頼してください。"
        );
        view! { <p class="note">{sentence}</p> }
    });
    let note = Line {
        name: NOTE,
        label: say("Note", "メモ"),
        hint: Some(
            say(
                "Sent to your server in the webhook. If you ask the user again, the note stays here for the next reviewer.",
                "Webhookでサーバーに送信されます。再提出を依頼する場合は送信されず、次の審査担当者に引き継がれます。",
            )
            .into(),
        ),
        value: view.note.clone(),
        most: Some(NOTE_LIMIT),
        ..Line::default()
    };
    view! {
        <form class="stack ruling" id=RULING method="post" action=action data-ruling data-unsaved=view.is_unsaved.then_some("yes")
            data-leaving=before_leaving()>
            <input type="hidden" name=ATTEMPT value=view.attempt.to_string()/>
            {refused}
            {same_document(&view.same_document)}
            {same_face(&view.same_face)}
            <fieldset class="rejecting" id=REASONS tabindex="-1">
                <legend>{say("Reasons for rejection", "不承認の理由")}</legend>{picks(&view.ticked, &view.reasons)}</fieldset>
            {area(note, 2, &view.mistakes)}
        </form>
    }
    .into_any()
}

/// The field with the sessions that this page named for their document, and its place on the page.
pub(super) const SAME_DOCUMENT: &str = "same_document";
/// The same for their face.
pub(super) const SAME_FACE: &str = "same_face";

fn same_document(sessions: &[String]) -> Option<AnyView> {
    let sentence = say(
        "Since this case went to review, its document was approved in another session. Compare them before you approve it.",
        "この案件が審査に回されたあと、同じ書類が別のセッションで承認されました。承認する前に比較してください。",
    );
    approved_since(SAME_DOCUMENT, sentence, sessions)
}

fn same_face(sessions: &[String]) -> Option<AnyView> {
    let sentence = say(
        "Since this case went to review, the same face was approved in another session. Compare them before you approve it.",
        "この案件が審査に回されたあと、同じ顔が別のセッションで承認されました。承認する前に比較してください。",
    );
    approved_since(SAME_FACE, sentence, sessions)
}

/// The sessions that were approved while the case waited, each in a field of this name.
fn approved_since(field: &'static str, sentence: &'static str, sessions: &[String]) -> Option<AnyView> {
    let named = sessions
        .iter()
        .map(|id| {
            let page = format!("/admin/sessions/{id}");
            view! {
                <input type="hidden" name=field value=id.clone()/>
                <li><a href=page><code>{id.clone()}</code></a></li>
            }
        })
        .collect_view();
    let warning = view! {
        <div class="note" id=field tabindex="-1">
            <p>{sentence}</p>
            <ul>{named}</ul>
        </div>
    };
    (!sessions.is_empty()).then(|| warning.into_any())
}

/// The buttons of the form above, which stay in sight while it scrolls.
fn rulings(view: &CaseView) -> Option<AnyView> {
    let buttons = view! {
        <div class="rulings">
            <button class="button approve" type="submit" form=RULING name=RULED value=APPROVE disabled=!view.not_performed.is_empty()>
                {say("Approve ", "承認 ")}<kbd>"A"</kbd></button>
            <button class="button reject" type="submit" form=RULING name=RULED value=REJECT>
                {say("Reject ", "不承認 ")}<kbd>"X"</kbd></button>
            <button class="button secondary" type="submit" form=RULING name=RULED value=ASK_AGAIN>
                {say("Ask again ", "再提出を依頼 ")}<kbd>"T"</kbd></button>
        </div>
    };
    matches!(view.reservation, Reservation::Mine(_)).then(|| buttons.into_any())
}

/// The form of the decision.
const RULING: &str = "ruling";

/// The field of the button that was pressed.
pub(super) const RULED: &str = "decision";
/// Its values.
pub(super) const APPROVE: &str = "approve";
pub(super) const REJECT: &str = "reject";
pub(super) const ASK_AGAIN: &str = "ask_again";
/// Another one: nothing is decided yet.
pub(super) const LOOK: &str = "look";

/// The button that Enter presses in the form of the decision, because it is the first one: it shows the case again as it is filled in. Nobody sees
/// it, finds it with the keyboard or hears of it.
fn first_button(view: &CaseView) -> Option<AnyView> {
    let button = view! {
        <button class="default" type="submit" form=RULING name=RULED value=LOOK tabindex="-1" aria-hidden="true"></button>
    };
    matches!(view.reservation, Reservation::Mine(_)).then(|| button.into_any())
}

/// The question to a reviewer who moves to another case after typing something.
fn before_leaving() -> &'static str {
    say(
        "Your note and the reasons you chose are not saved. Leave this case?",
        "メモと選択した理由は保存されていません。別の案件に移動しますか？",
    )
}

/// The same, where no script asks it.
fn leaving(view: &CaseView) -> Option<AnyView> {
    let to = view
        .onward
        .as_ref()
        .filter(|_| matches!(view.reservation, Reservation::Mine(_)))?;
    let action = view.leave();
    let question = view! {
        <div class="note" role="alert" tabindex="-1" autofocus>
            <p>{before_leaving()}</p>
            <p><button class="button secondary small" type="submit" form=RULING formaction=action name=LEAVING value=to.to_string()>
                {say("Leave without saving", "保存せずに移動")}</button></p>
        </div>
    };
    Some(question.into_any())
}

/// The place of the decision on the page, whether or not there is anything to decide.
pub(super) const DECISION: &str = "decision";

/// Where a decision leads that can no longer be undone: what is left to do is on the session's page.
fn too_late(view: &CaseView) -> Option<AnyView> {
    let page = format!("/admin/sessions/{}", view.id);
    let sentence = say(
        "This decision can no longer be undone. You can ask the user again on the session page.",
        "この判定はもう取り消せません。再提出の依頼は、セッションの詳細から行えます。",
    );
    // Nothing was entered that could be corrected.
    let heading = say("There is a problem", "取り消せませんでした");
    view.too_late.then(|| problems(heading, [(page, sentence.to_owned())]))
}

/// What was typed but can no longer be sent stays available for copying.
fn typed(view: &CaseView) -> AnyView {
    let text = view.note.clone();
    let shown = (!text.is_empty())
        .then(|| view! { <p class="soft small">{say("Your note was not sent:", "メモは送信されませんでした：")}</p><blockquote class="note-text"><p>{text}</p></blockquote> });
    shown.into_any()
}

fn earlier(list: &[Earlier]) -> AnyView {
    let rows = list
        .iter()
        .map(|earlier| {
            let note = earlier
                .note
                .clone()
                .map(|note| view! { <blockquote class="note-text"><p>{note}</p></blockquote> });
            view! { <p class="small">{earlier.what.clone()}" "<span class="soft">{minutes(earlier.at)}" UTC"</span></p>{note} }
        })
        .collect_view();
    rows.into_any()
}

/// What the script says instead of sending a decision that would not arrive.
fn out_of_reach() -> AnyView {
    view! {
        <p class="note" role="alert" data-away hidden>{say(
            "The server did not answer, so nothing was sent. What you typed is still on this page: try again in a moment.",
            "サーバーから応答がないため、送信していません。入力内容はこのページに残っています。しばらくしてから再度お試しください。",
        )}</p>
        <p class="note" role="alert" data-signed-out hidden>{say(
            "You are no longer signed in, or may no longer review. What you typed is still on this page and was not sent. ",
            "サインアウトされているか、審査の権限がなくなっています。入力内容は未送信のまま、このページに残っています。",
        )}<a href="/admin/sign-in" target="_blank" rel="noopener">{say("Sign in in a new tab", "新しいタブでサインイン")}</a>{say(
            ", then come back and send it again.",
            "してから、このページに戻って再度送信してください。",
        )}</p>
    }
    .into_any()
}

/// The form of the decision, or why there is none: who has the case, or what became of it.
fn state(view: &CaseView) -> AnyView {
    match &view.reservation {
        Reservation::Mine(until) => {
            let hold = format!("/admin/review/{}/hold?{ATTEMPT}={}", view.id, view.attempt);
            view! {
                <p class="soft small" data-hold=hold>{say("Reserved for you until ", "この案件は ")}
                    <time data-until datetime=until.to_iso()>{minutes(*until)}</time>{say(" UTC.", "（UTC）まで、自分が対応中です。")}</p>
                <p class="note" role="alert" data-lost hidden>{say(
                    "Your reservation of this case has expired. Copy your note, then open the case again.",
                    "案件の対応期限が切れました。メモの内容を控えてから、案件を開き直してください。",
                )}</p>
                {out_of_reach()}
                {ruling(view)}
            }
            .into_any()
        }
        Reservation::Other(name, until) => view! {
            <p class="note">{tell!(
                "{name} has reserved this case until {} UTC. You can view it but not decide it.",
                "{}（UTC）まで{name}がこの案件に対応中です。閲覧はできますが、判定はできません。",
                minutes(*until)
            )}</p>
            {typed(view)}
        }
        .into_any(),
        Reservation::Decided(name, ruling) => view! {
            <p class="note">{tell!(
                "{} by {name}. This takes effect in a few seconds.",
                "{}（{name}）。数秒後に確定します。",
                labels::ruling(*ruling).0
            )}</p>
            {typed(view)}
        }
        .into_any(),
        Reservation::Over(Some((name, ruling, at))) => {
            let said = tell!("{} by {name} at {} UTC.", "{}（{} UTC、{name}）", labels::ruling(*ruling).0, minutes(*at));
            view! { <p class="note">{said}</p>{typed(view)} }.into_any()
        }
        Reservation::Over(None) => {
            view! { <p class="soft">{say("This session is not waiting for review.", "このセッションは審査待ちではありません。")}</p>{typed(view)} }.into_any()
        }
    }
}

/// What the system found.
fn why(view: &CaseView) -> AnyView {
    let title = match view.reservation {
        Reservation::Over(_) => say("Why this case went to review", "審査に回された理由"),
        Reservation::Mine(_) | Reservation::Other(..) | Reservation::Decided(..) => {
            say("Why this case needs review", "審査が必要な理由")
        }
    };
    view! {
        <section class="panel why">
            <h2>{title}</h2>
            {earlier(&view.earlier)}
            {if view.reasons.is_empty() {
                view! { <p class="soft">{say("No reasons recorded.", "理由の記録はありません。")}</p> }.into_any()
            } else {
                reasons(&view.reasons)
            }}
            {checks(&view.checks)}
            {(!view.scores.is_empty() || view.document.is_some()).then(|| view! {
                <details class="fold"><summary>{say("Scores and limits", "スコアとしきい値")}</summary>{scores(&view.scores)}{view.document.map(evidence)}{how_decided()}</details>
            })}
        </section>
    }
    .into_any()
}

fn side(view: &CaseView) -> AnyView {
    let assigned = view.assignment.as_ref().map(|to| {
        let action = view.selection.href(&format!("{QUEUE}/{}/assign", view.id));
        assignment(
            to,
            &action,
            matches!(view.reservation, Reservation::Mine(_)).then_some(RULING),
        )
    });
    view! {
        {why(view)}
        {assigned}
        <section class="panel decide" id=DECISION tabindex="-1">
            <h2>{say("Decision", "判定")}</h2>{too_late(view)}{leaving(view)}{mistakes(&view.mistakes)}{state(view)}</section>
        {rulings(view)}
    }
    .into_any()
}

fn keys() -> AnyView {
    shortcuts(&[
        ("1 – 4", say("choose a picture", "画像を選択")),
        (
            say("Wheel, pinch", "ホイール、ピンチ"),
            say("zoom; drag to move", "拡大・縮小（ドラッグで移動）"),
        ),
        ("Z", say("zoom to the middle and back", "中央を拡大、元に戻す")),
        ("+, -", say("zoom in steps", "段階的に拡大、縮小")),
        (
            say("Arrow keys", "矢印キー"),
            say(
                "move the enlarged picture, or the loupe",
                "拡大した画像またはルーペを移動",
            ),
        ),
        (
            "L",
            say(
                "magnifier at the pointer; press again to close it",
                "ポインターを追うルーペ（もう一度押すと終了）",
            ),
        ),
        ("F", say("full screen; Esc leaves it", "全画面表示（Escで終了）")),
        ("R", say("rotate it", "回転")),
        ("B, D", say("brighter, darker", "明るくする、暗くする")),
        ("V", say("more contrast", "コントラストを上げる")),
        ("0", say("as it was", "元に戻す")),
        (
            "C",
            say(
                "compare portrait and selfie: side by side, overlaid",
                "顔写真と自撮り写真を比較（並べる、重ねる）",
            ),
        ),
        (
            "S",
            say(
                "flicker between them; again to stop",
                "交互に表示（もう一度押すと停止）",
            ),
        ),
        ("5 – 9", say("tick a reason", "理由を選択")),
        ("N", say("write a note; Esc leaves it", "メモを記入（Escで終了）")),
        (
            "A, X, T",
            say(
                "go to Approve, Reject, Ask again; Enter decides",
                "「承認」「不承認」「再提出を依頼」へ移動（Enterで確定）",
            ),
        ),
        (
            "U",
            say("go to Undo of your last decision", "直前の判定の「取り消す」へ移動"),
        ),
        ("J, K", say("next and previous case", "次の案件、前の案件")),
    ])
}

/// Field: the next case.
pub(super) const ONWARD: &str = "case";
/// The same, whatever was typed.
pub(super) const LEAVING: &str = "leaving";

/// The ways to the cases beside this one. They are buttons of a form, because they free this case for others: of that of the decision, if there is
/// one, so that what is being typed there is not lost unasked.
fn beside(view: &CaseView) -> Option<AnyView> {
    let Neighbours { previous, next } = &view.neighbours;
    let action = view.leave();
    let is_ruled_here = matches!(view.reservation, Reservation::Mine(_));
    let step = |id: Option<&SessionId>, step: &'static str, name: &'static str| {
        let action = is_ruled_here.then(|| action.clone());
        id.map(|id| {
            view! { <button class="button quiet small" type="submit" form=is_ruled_here.then_some(RULING) formaction=action
                name=ONWARD value=id.to_string() data-step=step>{name}</button> }
        })
    };
    let steps = view! {
        {step(previous.as_ref(), "previous", say("Previous", "前の案件"))}
        {step(next.as_ref(), "next", say("Next case", "次の案件"))}
    };
    if previous.is_none() && next.is_none() {
        None
    } else if is_ruled_here {
        Some(steps.into_any())
    } else {
        Some(view! { <form class="head-actions" method="post" action=action>{steps}</form> }.into_any())
    }
}

/// The page.
#[must_use]
pub(super) fn render(view: &CaseView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let session = format!("/admin/sessions/{}", view.id);
    let id = short(&view.id);
    let readings = (!view.items.is_empty()).then(|| view! { <section class="panel">{items(&view.items)}</section> });
    let attempt = (view.attempt > AttemptNumber::FIRST)
        .then(|| badge(tell!("attempt {}", "{}回目の提出", view.attempt), Tone::Plain));
    let waits = matches!(view.reservation, Reservation::Mine(_) | Reservation::Other(..));
    let waiting = waits.then(|| {
        let told = tell!("waiting: {}", "待ち時間：{}", age(view.since, view.now));
        view! { <span class="soft head-note">{told}</span> }
    });
    let done = view.done.as_ref().map(flash);
    let main = view! {
        {done}
        <p class="crumb"><a href=view.selection.href(QUEUE)>{say("Review", "審査")}</a></p>
        {first_button(view)}
        <div class="head">
            <h1>{view.document.map_or(say("Case", "案件"), labels::document)}" "<span class="mono soft">{id.clone()}</span>" "{attempt}
                {waiting}</h1>
            <div class="head-actions">
                {beside(view)}
                <a class="button quiet small" href=session>{say("Session page", "セッションの詳細")}</a>
            </div>
        </div>
        <div class="case">
            <div class="stack">{gallery(&view.pictures)}{readings}{view.faces.as_ref().map(faces)}{view.burst.as_ref().map(burst)}</div>
            <div class="stack case-side">{side(view)}</div>
        </div>
        {keys()}
        <script nonce=meta.nonce.clone() inner_html=include_str!("../shortcuts.js")></script>
        <script nonce=meta.nonce.clone() inner_html=include_str!("../local_times.js")></script>
        <script nonce=meta.nonce.clone() inner_html=include_str!("case.js")></script>
        <script nonce=meta.nonce.clone() inner_html=include_str!("faces.js")></script>
    };
    let is_refused = view.too_late || !view.mistakes.is_empty();
    let title = title(meta, &tell!("Case {id}", "案件 {id}"), is_refused);
    page(frame, meta, &title, main.into_any())
}
