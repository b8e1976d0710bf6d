//! The debugger: explains in sentences what was pasted.

mod view;

use super::receiver_status;
use crate::{
    console::{
        layout::NavigationItem,
        parts::Tone,
        request::{PageResult, Request, signed_in},
        words::{say, tell},
    },
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::Developer,
    webhook::diagnose::{BodyComparison, Diagnosis, TOLERANCE, Verdict, diagnose_signature},
};
use view::{CheckView, Finding, render};

const HERE: &str = "/admin/webhooks/check";

/// The debugger.
#[component]
pub fn CheckPage() -> impl IntoView {
    signed_in(NavigationItem::Webhooks, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route("/admin/webhooks/check", post(form(HERE, explain)))
}

async fn load(request: Request) -> PageResult<CheckView> {
    let developer = Developer::of(request.staff())?;
    Ok(CheckView {
        receiver_status: receiver_status(&request, &developer).await?,
        headers: String::new(),
        body: String::new(),
        findings: Vec::new(),
    })
}

async fn explain(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let headers = fields.raw("headers").to_owned();
    // Browsers send the lines of a text area with CR LF; our bodies contain no line breaks at all.
    let body = fields.raw("body").replace("\r\n", "\n");
    let explained = diagnose_signature(request.honnin(), &developer, &headers, body.as_bytes()).await?;
    let view = CheckView {
        receiver_status: receiver_status(&request, &developer).await?,
        findings: findings(&explained),
        headers,
        body,
    };
    Ok(Outcome::shown(StatusCode::OK, view))
}

fn findings(explained: &Diagnosis) -> Vec<Finding> {
    [
        Some(signature(&explained.verdict)),
        clock(explained.age_seconds),
        body(explained),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn signature(verdict: &Verdict) -> Finding {
    let (tone, word, sentence) = match verdict {
        Verdict::Matches(ids) => {
            let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
            let sentence = match ids.as_slice() {
                [id] => tell!(
                    "The signature matches secret {id}. If your receiver refuses it, it uses a different secret or changes the body before verifying.",
                    "署名はシークレット{id}と一致します。受信先が拒否する場合、受信先が別のシークレットを使用しているか、検証の前に本文を変更しています。"
                ),
                _ => tell!(
                    "The signatures match secrets {}. If your receiver refuses it, it uses none of them or changes the body before verifying.",
                    "署名はシークレット{}と一致します。受信先が拒否する場合、受信先がそのどちらも使用していないか、検証の前に本文を変更しています。",
                    ids.join(say(" and ", "、"))
                ),
            };
            (Tone::Good, say("valid", "一致"), sentence)
        }
        Verdict::MissingHeader(name) => (
            Tone::Bad,
            say("missing", "なし"),
            tell!(
                "There is no {name} header. A proxy in front of your receiver may drop it.",
                "{name}ヘッダーがありません。受信先の手前のプロキシが削除している可能性があります。"
            ),
        ),
        Verdict::BadTimestamp => (
            Tone::Bad,
            say("unreadable", "形式不正"),
            say(
                "webhook-timestamp is not a number of seconds.",
                "webhook-timestampが秒数ではありません。",
            )
            .to_owned(),
        ),
        Verdict::NoKnownVersion => (
            Tone::Bad,
            say("unreadable", "形式不正"),
            say(
                "webhook-signature contains no value that starts with \"v1,\".",
                "webhook-signatureに「v1,」で始まる値がありません。",
            )
            .to_owned(),
        ),
        Verdict::BadSignature => (
            Tone::Bad,
            say("unreadable", "形式不正"),
            say(
                "webhook-signature is incomplete: a v1 signature is 44 characters of base64.",
                "webhook-signatureが不完全です。v1の署名は44文字のBase64です。",
            )
            .to_owned(),
        ),
        Verdict::NoSecret => (
            Tone::Bad,
            say("no secret", "シークレットなし"),
            say(
                "There is no active signing secret to compare with.",
                "比較できる有効な署名シークレットがありません。",
            )
            .to_owned(),
        ),
        Verdict::NoMatch => (
            Tone::Bad,
            say("not valid", "不一致"),
            say(
                "The signature matches none of the active secrets. The id, the timestamp or the body was changed, or it was signed with a disabled secret.",
                "署名が、有効なシークレットのいずれとも一致しません。ID、時刻、本文のいずれかが変更されたか、無効化済みのシークレットで署名されています。",
            )
            .to_owned(),
        ),
    };
    Finding {
        about: say("Signature", "署名"),
        tone,
        word,
        sentence,
    }
}

fn clock(age: Option<i64>) -> Option<Finding> {
    let age = age?;
    let (tone, word, sentence) = match age {
        age if age < -TOLERANCE => (
            Tone::Bad,
            say("future", "未来の時刻"),
            tell!(
                "The timestamp is {} s ahead of our clock.",
                "時刻がサーバーの時計より{}秒進んでいます。",
                -age
            ),
        ),
        age if age > TOLERANCE => (
            Tone::Warn,
            say("old", "古い"),
            tell!(
                "It was sent {age} s ago by our clock. A receiver that checks the time accepts {TOLERANCE} seconds; if it was refused immediately, its clock is wrong or the webhook was delayed in transit: compare the time at which it arrived with webhook-timestamp.",
                "サーバーの時計で{age}秒前に送信されました。時刻を検証する受信先が受け付けるのは{TOLERANCE}秒以内です。受信後ただちに拒否された場合は、受信先の時計がずれているか、配信が途中で遅延しています。到着時刻をwebhook-timestampと比較してください。"
            ),
        ),
        age => (
            Tone::Good,
            say("fresh", "有効"),
            tell!(
                "It was sent {} s ago by our clock, within {TOLERANCE} s. If your receiver reports it as too old or too new, the receiver’s clock is wrong.",
                "サーバーの時計で{}秒前に送信されており、{TOLERANCE}秒以内です。受信先が古すぎる、または新しすぎると判断する場合は、受信先の時計がずれています。",
                age.max(0)
            ),
        ),
    };
    Some(Finding {
        about: say("Time", "時刻"),
        tone,
        word,
        sentence,
    })
}

fn body(explained: &Diagnosis) -> Option<Finding> {
    let (tone, word, sentence) = match explained.body {
        BodyComparison::Same => (
            Tone::Good,
            say("same", "同一"),
            say(
                "The body matches the bytes sent for this event.",
                "本文は、このイベントで送信したバイト列と一致します。",
            )
            .to_owned(),
        ),
        BodyComparison::SameTrimmed => (
            Tone::Warn,
            say("spaces", "空白"),
            say(
                "White space was added around the body, perhaps by pasting. The signature covers the exact bytes.",
                "本文の前後に空白が追加されています。貼り付けの際に加わった可能性があります。署名はバイト列そのものを対象とします。",
            )
            .to_owned(),
        ),
        BodyComparison::SameJson => (
            Tone::Bad,
            say("rewritten", "書き換え"),
            say(
                "The JSON is the same but the bytes differ: something parsed and re-serialised it. Verify the raw body, before any JSON parser.",
                "JSONの内容は同じですが、バイト列が異なります。途中でJSONが解析され、生成し直されています。解析前の本文をそのまま検証してください。",
            )
            .to_owned(),
        ),
        BodyComparison::Differs(at) => (
            Tone::Bad,
            say("different", "相違"),
            tell!(
                "The body differs from the one sent for this event, from byte {at} on. After personal data is erased, metadata and note are null.",
                "本文が、このイベントで送信したものと{at}バイト目から異なります。個人情報の消去後は、metadataとnoteがnullになります。"
            ),
        ),
        BodyComparison::Hidden => (
            Tone::Plain,
            say("not compared", "未比較"),
            say(
                "This event contains a reviewer’s note that your role may not read, so the body was not compared.",
                "このイベントには、お使いの権限では閲覧できない審査担当者のメモが含まれるため、本文は比較していません。",
            )
            .to_owned(),
        ),
        BodyComparison::UnknownEvent => {
            return match explained.verdict {
                Verdict::MissingHeader("webhook-id") => None,
                _ => Some(Finding {
                    about: say("Body", "本文"),
                    tone: Tone::Warn,
                    word: say("unknown", "不明"),
                    sentence: say(
                        "There is no event with this webhook-id, so the body cannot be compared.",
                        "このwebhook-idのイベントが存在しないため、本文を比較できません。",
                    )
                    .to_owned(),
                }),
            };
        }
    };
    Some(Finding {
        about: say("Body", "本文"),
        tone,
        word,
        sentence,
    })
}
