//! The page that says how decisions are made.

use crate::{
    PageMeta,
    console::{
        labels,
        layout::{Frame, page},
        parts::{facts, heading},
        table::{Table, cell, row_name},
        words::{say, tell},
    },
};
use domain::{
    decision::{Accepted, Policy, ScoreName},
    named::Named,
};
use leptos::prelude::*;

/// A measurement and its limit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) name: ScoreName,
    pub(super) value: f64,
}

/// A file of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) file: String,
    pub(super) licence: String,
    pub(super) sha256: String,
}

/// The page's content.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DecisionsView {
    pub(super) policy: Policy,
    pub(super) limits: Vec<Limit>,
    pub(super) models: Vec<Model>,
    /// Whether a link to the settings leads anywhere.
    pub(super) may_change: bool,
}

fn rules() -> AnyView {
    view! {
        <section class="panel">
            <h2>{say("Rules", "判定のルール")}</h2>
            <ol>
                <li>{say(
                    "Some reasons, such as another person’s face, reject the session outright.",
                    "別人の顔など、不承認となる理由が1つでもあれば、セッションは不承認になります。",
                )}</li>
                <li>{say(
                    "Any other reason, a check that could not be run, or a document that is not shown to be authentic sends it to a reviewer.",
                    "その他の理由がある場合、実施できない検査があった場合、本人確認書類の真正性を確認できない場合は、審査担当者に回ります。",
                )}</li>
                <li>{say(
                    "A session is approved automatically only if every required check was performed and no reason was found.",
                    "理由が1つもなく、必要な検査がすべて完了したセッションだけが自動で承認されます。",
                )}</li>
            </ol>
            <p>{say("Every reason and its effect: ", "すべての理由と、判定への影響：")}<a href="/docs#reasons">{say("Reasons", "理由の一覧（英語）")}</a>{say(".", "")}</p>
        </section>
    }
    .into_any()
}

fn thresholds(policy: &Policy) -> AnyView {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let yes = |on: bool| {
        if on {
            say("Yes", "はい")
        } else {
            say("No", "いいえ")
        }
        .into_any()
    };
    let between = |accept: f64, review: f64| {
        let (accept, review) = (decimals(accept), decimals(review));
        tell!(
            "accepted from {accept}, reviewed from {review}",
            "{accept}以上で合格、{review}以上で審査"
        )
        .into_any()
    };
    let duplicates = if policy.find_duplicates {
        tell!(
            "Same person from {}",
            "{}以上で同一人物",
            decimals(policy.duplicate_from)
        )
    } else {
        say("Off", "オフ").to_owned()
    };
    let evidence = match policy.accepted {
        Accepted::MachineReadable => say("Machine-readable data", "機械読取データ"),
        Accepted::Visual => say(
            "Machine-readable data or visual evidence",
            "機械読取データまたは外観検査",
        ),
    };
    view! {
        <section class="panel">
            <h2>{say("Your thresholds", "現在のしきい値")}</h2>
            {facts(vec![
                (say("Face match", "顔照合"), between(policy.match_accept, policy.match_review)),
                (say("Liveness", "生体検知"), between(policy.liveness_accept, policy.liveness_review)),
                (say("Accepted evidence", "真正と認める根拠"), evidence.into_any()),
                (say("Face search among approved people", "承認済みの顔の検索"), duplicates.into_any()),
                (say("Quality control", "品質管理"), percent(policy.sampled).into_any()),
                (say("Statistical signs of fraud alone reject", "統計的な不正の兆候のみで不承認"), yes(policy.reject_on_fraud_signals)),
                (say("Specimens count as genuine", "見本を真正とみなす"), yes(policy.accept_specimens)),
            ])}
        </section>
    }
    .into_any()
}

fn limits(limits: &[Limit]) -> AnyView {
    let rows = limits.iter().map(|limit| {
        let value = if limit.name.is_count() {
            format!("{:.0}", limit.value)
        } else {
            decimals(limit.value)
        };
        let bound = if limit.name.is_at_most() {
            tell!("no more than {value}", "{value}以下")
        } else {
            tell!("at least {value}", "{value}以上")
        };
        [
            row_name(labels::score(&Named::Known(limit.name))),
            cell(bound).class("nowrap"),
        ]
    });
    view! {
        <section class="panel">
            <h2>{say("Measurements and their limits", "測定値としきい値")}</h2>
            <p class="soft">{say(
                "The page of each session shows what was measured against these limits.",
                "各セッションのページに、測定値がこのしきい値とともに表示されます。",
            )}</p>
            {Table::new(say("Limits", "しきい値"), [say("Measurement", "測定項目"), say("Limit", "しきい値")]).rows(rows)}
        </section>
    }
    .into_any()
}

/// Two decimals, as beside a decision, and up to four where two would hide the limit.
fn decimals(value: f64) -> String {
    let mut text = format!("{value:.4}");
    while text.ends_with('0') && text.rfind('.').is_some_and(|point| text.len() - point > 3) {
        text.pop();
    }
    text
}

fn models(models: &[Model]) -> AnyView {
    let rows = models.iter().map(|model| {
        [
            row_name(model.file.clone()),
            cell(model.licence.clone()),
            cell(view! { <code class="mono">{model.sha256.clone()}</code> }),
        ]
    });
    view! {
        <section class="panel">
            <h2>{say("Models", "モデル")}</h2>
            <p class="soft">{say(
                "The neural networks that assess pictures. Each decision records the hashes of the networks it used.",
                "画像を判定するニューラルネットワークです。判定ごとに、使用したモデルのハッシュ値が記録されます。",
            )}</p>
            {Table::new(say("Models", "モデル"), [say("File", "ファイル"), say("Licence", "ライセンス"), "SHA-256"]).rows(rows)}
        </section>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &DecisionsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let change = view.may_change.then(
        || view! { <a class="button secondary small" href="/admin/settings/decision">{say("Settings", "設定")}</a> },
    );
    let main = view! {
        {heading(say("How decisions are made", "判定の仕組み"), change.into_any())}
        {rules()}
        {thresholds(&view.policy)}
        {limits(&view.limits)}
        {models(&view.models)}
    };
    page(
        frame,
        meta,
        say("How decisions are made", "判定の仕組み"),
        main.into_any(),
    )
}

#[cfg(test)]
mod tests {
    use super::decimals;

    #[test]
    fn a_limit_has_at_least_two_decimals_and_as_many_as_it_needs() {
        assert_eq!(
            [0.5, 0.655, 0.0785, -0.5, 7.5].map(decimals),
            ["0.50", "0.655", "0.0785", "-0.50", "7.50"]
        );
    }
}
