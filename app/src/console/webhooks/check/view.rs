//! The debugger: paste what the receiver got, and read why verification fails.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, Tone, area, badge, heading};
use crate::console::table::{Table, cell, row_name};
use crate::console::webhooks::view::ReceiverStatus;
use crate::console::words::say;
use leptos::prelude::*;

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// What was checked.
    pub about: &'static str,
    /// Its colour.
    pub tone: Tone,
    /// One word.
    pub word: &'static str,
    /// What it means and what to do.
    pub sentence: String,
}

/// The page's content.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct CheckView {
    /// The receiver's state, shown at the top.
    pub receiver_status: ReceiverStatus,
    /// As pasted.
    pub headers: String,
    /// As pasted.
    pub body: String,
    /// The findings; empty before anything is pasted.
    pub findings: Vec<Finding>,
}

/// Pasted text may contain metadata and notes.
impl std::fmt::Debug for CheckView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CheckView({} findings)", self.findings.len())
    }
}

fn findings(view: &CheckView) -> AnyView {
    if view.findings.is_empty() {
        return ().into_any();
    }
    let rows = view.findings.iter().map(|finding| {
        [
            row_name(finding.about),
            cell(badge(finding.word, finding.tone)),
            cell(finding.sentence.clone()),
        ]
    });
    let table = Table::new(
        say("Result", "結果"),
        [
            say("Checked", "確認項目"),
            say("Result", "結果"),
            say("What it means", "説明"),
        ],
    )
    .rows(rows);
    view! {
        <section class="panel" role="status">
            <h2>{say("Result", "結果")}</h2>
            {table}
        </section>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &CheckView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let headers = Line {
        name: "headers",
        label: say("Headers as received", "受信したヘッダー"),
        hint: Some(
            say(
                "One header per line. Only webhook-id, webhook-timestamp and webhook-signature are used.",
                "1行に1つのヘッダーを入力します。使用するのはwebhook-id、webhook-timestamp、webhook-signatureだけです。",
            )
            .into(),
        ),
        value: view.headers.clone(),
        ..Line::default()
    };
    let body = Line {
        name: "body",
        label: say("Body as received", "受信した本文"),
        hint: Some(
            say(
                "The raw bytes as they arrived, before any JSON parser.",
                "JSONを解析する前の、受信したままの本文です。",
            )
            .into(),
        ),
        value: view.body.clone(),
        ..Line::default()
    };
    let main = view! {
        <p class="crumb"><a href="/admin/webhooks">{say("Webhooks", "Webhook")}</a></p>
        {heading(say("Check a signature", "署名の確認"), ().into_any())}
        {view.receiver_status.alarm()}
        <p class="soft">{say(
            "Paste a webhook that your receiver refuses. Nothing you paste is stored.",
            "受信先が拒否したWebhookを貼り付けてください。貼り付けた内容は保存されません。",
        )}</p>
        {findings(view)}
        <form class="stack" method="post" action="/admin/webhooks/check">
            {area(headers, 6, &[])}
            {area(body, 10, &[])}
            <p><button class="button primary" type="submit">{say("Check", "確認する")}</button></p>
        </form>
    };
    page(frame, meta, say("Check a signature", "署名の確認"), main.into_any())
}
