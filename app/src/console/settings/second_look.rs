//! The confirmation page for a change that weakens something or overwrites what somebody else has saved, and the preview of any other change: old
//! and new values, and what the change would do. A person who weakens something confirms their identity.

use super::{BACK, section::path};
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{grouped, minutes};
use crate::console::proof::{Proof, proof_fields};
use crate::console::table::{Table, cell, row_name};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use crate::{PageMeta, forms};
use domain::tenant::Section;
use leptos::prelude::*;
use service::settings::preview::{Callers, Decisions, Difference, Erasures, MAX_DECISIONS, Preview, Tally};

/// A change that is not saved yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SecondLook {
    /// Its section.
    pub section: Section,
    /// What it would do.
    pub preview: Preview,
    /// The form as typed, which is sent again.
    pub typed: Vec<(String, String)>,
    /// What the person is asked for, if the change weakens something and they have not just proved who they are.
    pub proof: Option<Proof>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn changes(preview: &Preview) -> AnyView {
    let rows = preview.changes.iter().map(|Difference { setting, old, new }| {
        [
            row_name(labels::setting(*setting)),
            cell(labels::value_of(*setting, old)),
            cell(labels::value_of(*setting, new)),
        ]
    });
    Table::new(
        say("Changes", "変更内容"),
        [say("Setting", "設定"), say("Current", "現在"), say("New", "変更後")],
    )
    .rows(rows)
}

fn numbers(name: &'static str, head: [&'static str; 3], rows: [(&'static str, [String; 3]); 2]) -> AnyView {
    let rows = rows.map(|(name, values)| {
        let values = values.map(|value| cell(value).class("number"));
        std::iter::once(row_name(name)).chain(values)
    });
    Table::new(name, std::iter::once("").chain(head)).rows(rows)
}

fn decisions(found: &Decisions) -> AnyView {
    let Decisions { before, after, .. } = found;
    if *before == Tally::default() {
        return view! {
            <p class="soft">{say(
                "No decision of the last 30 days can be re-evaluated: there was none, or its data was erased or came from a sandbox.",
                "過去30日間の判定のうち、やり直せるものはありません。判定がないか、データが消去済みか、サンドボックスのものです。",
            )}</p>
        }
            .into_any();
    }
    let row = |tally: &Tally| [tally.approved, tally.needs_review, tally.rejected].map(|count| count.to_string());
    view! {
        <p>{which(found)}</p>
        {numbers(
            say("Decisions", "判定"),
            [say("Approved", "承認"), say("In review", "要審査"), say("Rejected", "不承認")],
            [(say("As decided", "実際の判定"), row(before)), (say("New settings", "新しい設定"), row(after))],
        )}
    }
    .into_any()
}

/// Which decisions were re-evaluated. Sandbox decisions with simulated findings count towards the limit, but are not re-evaluated.
fn which(found: &Decisions) -> String {
    let Tally {
        approved,
        needs_review,
        rejected,
    } = found.before;
    let all = approved + needs_review + rejected;
    if found.capped {
        return tell!(
            "Of the last {MAX_DECISIONS} decisions, {all} could be re-evaluated with the new settings. The search for people approved before is not repeated.",
            "直近{MAX_DECISIONS}件の判定のうち、{all}件を新しい設定でやり直した結果です。承認済みの人物の検索は、やり直していません。"
        );
    }
    let decisions = if all == 1 { "decision" } else { "decisions" };
    tell!(
        "{all} {decisions} of the last 30 days, re-evaluated with the new settings. The search for people approved before is not repeated.",
        "過去30日間の判定{all}件を新しい設定でやり直した結果です。承認済みの人物の検索は、やり直していません。"
    )
}

fn erasures(found: &Erasures) -> AnyView {
    let row = |counts: [i64; 3]| counts.map(grouped);
    view! {
        <p>{say(
            "Sessions that have ended and whose personal data will be erased. Sessions that would be erased sooner than under the new period keep their date. This cannot be undone.",
            "終了済みのセッションのうち、個人情報が消去されるものの件数です。新しい期間よりも早い消去予定日が決まっているものは、その日に消去されます。消去は取り消せません。",
        )}</p>
        {numbers(
            say("Erasures", "消去"),
            [say("At once", "ただちに"), say("Within a week", "1週間以内"), say("Within 30 days", "30日以内")],
            [(say("As it is", "現在の期間"), row(found.before)), (say("New period", "新しい期間"), row(found.after))],
        )}
    }
    .into_any()
}

/// Which addresses were looked at.
fn looked_at(found: &Callers) -> String {
    match found.since {
        None => say(
            "Addresses that used an API key in the last 30 days, and whether they could still call the API. Those that would be refused come first:",
            "変更後にAPIを呼び出せるかどうかを、アドレスごとに示します。過去30日間にAPIキーを使用したアドレス（拒否されるものから順に表示）：",
        )
        .to_owned(),
        Some(since) => {
            let since = minutes(since);
            tell!(
                "Addresses that used an API key since {since} UTC and those from which each key was last used, and whether they could still call the API. The audit \
                 log is too long to be searched for 30 days. Those that would be refused come first:",
                "変更後にAPIを呼び出せるかどうかを、アドレスごとに示します。監査ログが長いため、過去30日間のすべては検索していません。{since}（UTC）以降にAPIキーを使用したアドレスと、\
                 各キーが最後に使用されたアドレス（拒否されるものから順に表示）："
            )
        }
    }
}

fn callers(found: &Callers) -> AnyView {
    let word = |admitted: bool| {
        if admitted {
            say("admitted", "許可")
        } else {
            say("refused", "拒否")
        }
    };
    let own = tell!(
        "{}, your address: {}",
        "{}（現在のアドレス）：{}",
        found.own,
        word(found.own_is_admitted)
    );
    let own_address = found.own.to_string();
    let rows = found
        .lately
        .iter()
        .filter(|caller| caller.address != own_address)
        .map(|caller| {
            let address = &caller.address;
            view! { <li>{tell!("{address}: {}", "{address}：{}", word(caller.is_admitted))}</li> }
        })
        .collect_view();
    let none = found
        .lately
        .is_empty()
        .then(|| view! { <p class="soft">{say("No API key was used in the last 30 days.", "過去30日間に使用されたAPIキーはありません。")}</p> });
    let more = (found.more > 0).then(|| view! { <li>{tell!("{} more", "ほか{}件", found.more)}</li> });
    view! {
        <p>{looked_at(found)}</p>
        <ul class="bullets">{rows}{more}<li>{own}</li></ul>{none}
    }
    .into_any()
}

/// That nothing works without a step.
fn no_session(view: &SecondLook) -> Option<AnyView> {
    let none = view.section == Section::Steps && !view.typed.iter().any(|(name, _)| name == "step");
    let sentence = say(
        "No session can be created until at least one step is enabled. POST /v1/verification-sessions will return 409.",
        "ステップを1つ以上有効にするまで、セッションを作成できません。POST /v1/verification-sessionsは409を返します。",
    );
    none.then(|| view! { <p><strong>{sentence}</strong></p> }.into_any())
}

/// The page.
pub(super) fn render(view: &SecondLook, frame: &Frame, meta: &PageMeta) -> AnyView {
    let preview = &view.preview;
    let weaker = preview
        .weakenings
        .iter()
        .map(|weaker| view! { <li>{labels::weakening(*weaker)}</li> })
        .collect_view();
    let weakens = !preview.weakenings.is_empty();
    let weaker = weakens.then(|| view! { <ul class="bullets">{weaker}</ul> });
    let confirmed = weakens.then(|| view! { <input type="hidden" name=forms::CONFIRMED value=forms::YES/> });
    let typed = view
        .typed
        .iter()
        .map(|(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone()/> })
        .collect_view();
    let action = path(view.section);
    let back = action.clone();
    let panel =
        |title: &'static str, inside: AnyView| view! { <section class="panel"><h2>{title}</h2>{inside}</section> };
    let main = view! {
        <div class="narrow-page stack">
            <p class="crumb"><a href=back.clone()>{labels::section(view.section)}</a></p>
            <h1>{say("Check this change", "変更内容の確認")}</h1>
            {mistakes(&view.mistakes)}
            <div class="panel notice"><p>{say("Nothing is saved yet.", "まだ保存されていません。")}</p>{weaker}{no_session(view)}</div>
            // What is said of the section as a whole leads here.
            <div id=view.section.as_str() tabindex="-1">{panel(say("What changes", "変更内容"), changes(preview))}</div>
            {preview.decisions.as_ref().map(|found| panel(say("Effect on decisions", "判定への影響"), decisions(found)))}
            {preview.erasures.as_ref().map(|found| panel(say("Effect on personal data", "個人情報への影響"), erasures(found)))}
            {preview.callers.as_ref().map(|found| panel(say("Effect on callers", "API呼び出し元への影響"), callers(found)))}
            <form class="stack" method="post" action=action data-passkey=view.proof.and_then(Proof::challenge)>
                {typed}
                {confirmed}
                {view.proof.map(|proof| proof_fields(proof, &view.mistakes, meta))}
                <p class="head-actions"><button class="button primary" type="submit">{say("Save the change", "変更を保存")}</button>
                    <button class="button secondary" type="submit" name=BACK value="yes">{say("Change it", "修正する")}</button>
                    <a class="button secondary" href=back>{say("Cancel", "キャンセル")}</a></p>
            </form>
        </div>
    };
    let title = title(
        meta,
        say("Check this change", "変更内容の確認"),
        !view.mistakes.is_empty(),
    );
    page(frame, meta, &title, main.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shorter_retention_erases_is_told_in_groups_of_digits() {
        let html = erasures(&Erasures {
            before: [0, 0, 7],
            after: [12_345, 0, 0],
        })
        .to_html();
        assert!(html.contains(">12,345<") && html.contains(">7<"), "{html}");
    }

    #[test]
    fn a_capped_sample_says_so_even_if_some_of_it_was_skipped() {
        let found = |approved, capped| Decisions {
            before: Tally {
                approved,
                ..Tally::default()
            },
            after: Tally::default(),
            capped,
        };
        for (approved, capped, wanted) in [
            (500, true, "Of the last 500 decisions, 500 could"),
            (412, true, "Of the last 500 decisions, 412 could"),
            (500, false, "500 decisions of the last 30 days, re-evaluated"),
            (1, false, "1 decision of the last 30 days, re-evaluated"),
        ] {
            assert!(
                which(&found(approved, capped)).starts_with(wanted),
                "{approved} {capped}"
            );
        }
    }
}
