//! The details of the audit log. They are stored and exported in English; the pages show them in the language of the console.

use super::{failure, role, ruling, section, setting, slot_name, status, value, verdict};
use crate::console::words::{say, tell};
use domain::{
    audit::AuditAction,
    named::Named,
    outcome::Verdict,
    role::Role,
    ruling::Ruling,
    session::{FailureReason, Status},
    setting::Setting,
    tenant::{Section, TenantSettings},
    time::{Span, Unit},
};
use service::{
    settings::preview::Value,
    stored::{NEW_NETWORK, Slot},
};

/// The words that an entry stores, with their Japanese.
const WORDS: &[(&str, &str)] = &[
    ("all", "すべて"),
    ("an invalid id", "無効なID"),
    ("authenticator app", "認証アプリ"),
    ("code", "コード"),
    ("confirmation: code", "再認証のコード"),
    ("confirmation: passkey", "再認証のパスキー"),
    ("confirmation: password", "再認証のパスワード"),
    ("deadline", "期限"),
    ("disabled", "無効化"),
    ("enabled", "有効化"),
    ("everything", "すべて"),
    ("metadata search", "メタデータで検索"),
    ("name search", "氏名で検索"),
    ("date of birth search", "生年月日で検索"),
    (
        "erased before the backup was restored",
        "バックアップの復元前に消去済み",
    ),
    ("link from the command line", "コマンドラインで発行したリンク"),
    (NEW_NETWORK, "新しいネットワーク"),
    ("nobody", "担当なし"),
    ("openid", "OpenID"),
    ("openid: another person confirmed", "OpenID：別の人が再認証"),
    (
        "openid: no account for the provider's person",
        "OpenID：対応するアカウントなし",
    ),
    (
        "openid: the provider's answer was refused",
        "OpenID：プロバイダーの応答が無効",
    ),
    ("operator", "運用者"),
    ("passkey", "パスキー"),
    ("passkey as the second factor", "2要素認証のパスキー"),
    ("password", "パスワード"),
    ("retention_end", "保存期間の終了"),
    ("stopped before the second factor", "2要素認証の前に中断"),
];

/// What stands before and after a value that an entry stores, and the Japanese around the value.
const AROUND: &[([&str; 2], [&str; 2])] = &[
    (["new browser: ", ""], ["新しいブラウザー：", ""]),
    (["passkey ", ""], ["パスキー「", "」"]),
    (["note in ", ""], ["メモの閲覧：", ""]),
    (
        ["by name and date of birth: more than ", " found"],
        ["氏名と生年月日による検索：", "件超"],
    ),
    (["by name: more than ", " found"], ["氏名による検索：", "件超"]),
    (
        ["by date of birth: more than ", " found"],
        ["生年月日による検索：", "件超"],
    ),
    (
        ["by name and date of birth: ", " found"],
        ["氏名と生年月日による検索：", "件"],
    ),
    (["by name: ", " found"], ["氏名による検索：", "件"]),
    (["by date of birth: ", " found"], ["生年月日による検索：", "件"]),
    (["", " unsent events"], ["未送信のイベント", "件"]),
    (["", " events"], ["イベント", "件"]),
    (["", " bytes"], ["", "バイト"]),
    (["action ", ""], ["操作：", ""]),
    (["by ", ""], ["実行者：", ""]),
    (["about ", ""], ["対象：", ""]),
    (["from ", ""], ["開始：", ""]),
    (["until ", ""], ["終了：", ""]),
    (["after ", ""], ["続き：", ""]),
    (["state ", ""], ["状態：", ""]),
    (["type ", ""], ["種類：", ""]),
    (["session ", ""], ["セッション：", ""]),
    (["id prefix ", ""], ["IDの先頭：", ""]),
    (["status ", ""], ["状態：", ""]),
    (["verdict ", ""], ["判定：", ""]),
    (["reason ", ""], ["理由：", ""]),
    (["document ", ""], ["書類：", ""]),
    (["last step ", ""], ["離脱前のステップ：", ""]),
];

/// The detail of an entry about such an action.
pub(in crate::console) fn detail(action: &Named<AuditAction>, stored: &str) -> String {
    with_gap(match action {
        Named::Known(AuditAction::SettingsChange) => settings(stored),
        Named::Known(AuditAction::KeyIssue) => key(stored),
        Named::Known(AuditAction::AuditTrim) => trimmed(stored),
        Named::Known(AuditAction::SessionDecide) => {
            FailureReason::parse(stored).map_or_else(|| parts(stored), |reason| failure(reason).to_owned())
        }
        Named::Known(AuditAction::PersonInvite | AuditAction::PersonJoin) => {
            let japanese: Vec<_> = stored.split(',').map(detail_part).collect();
            let japanese = japanese.join("、");
            tell!("{stored}", "{japanese}")
        }
        _ => parts(stored),
    })
}

/// A detail that may say how much of it is left out.
fn with_gap(detail: String) -> String {
    for (after_count, unit) in [(" bytes left out] ", "バイト"), (" characters left out] ", "文字")] {
        if let Some((before, after)) = detail.split_once(after_count)
            && let Some((before, count)) = before.rsplit_once(" [")
            && count.parse::<u64>().is_ok()
        {
            return tell!("{detail}", "{before} [{count}{unit}省略] {after}");
        }
    }
    detail
}

/// One of the parts of a detail.
pub(in crate::console) fn detail_part(stored: &str) -> String {
    if let Some((before, after)) = stored.split_once(" → ") {
        return format!("{} → {}", detail_part(before), detail_part(after));
    }
    translated(stored).map_or_else(|| stored.to_owned(), |japanese| tell!("{stored}", "{japanese}"))
}

fn translated(stored: &str) -> Option<String> {
    let word = WORDS.iter().find(|(english, _)| *english == stored);
    word.map(|(_, japanese)| (*japanese).to_owned())
        .or_else(|| vocabulary(stored).map(str::to_owned))
        .or_else(|| {
            let around = AROUND.iter().find_map(|([before, after], around)| {
                let value = stored.strip_prefix(before)?.strip_suffix(after)?;
                Some((value, around))
            });
            around.map(|(value, [before, after])| format!("{before}{}{after}", vocabulary(value).unwrap_or(value)))
        })
}

/// A value that has a name on other pages.
fn vocabulary(stored: &str) -> Option<&'static str> {
    Role::parse(stored)
        .map(|known| role(Some(known)))
        .or_else(|| Status::parse(stored).map(|known| status(known).0))
        .or_else(|| Verdict::parse(stored).map(|known| verdict(known).0))
        .or_else(|| Ruling::parse(stored).map(|known| ruling(known).0))
        .or_else(|| Slot::parse(stored).map(slot_name))
}

fn parts(stored: &str) -> String {
    let parts: Vec<_> = stored.split(", ").map(detail_part).collect();
    parts.join(say(", ", "、"))
}

/// `look: accent none → #ff0000; contact ..`. A setting that this version does not know keeps its name.
fn settings(stored: &str) -> String {
    let Some((of, changes)) = stored.split_once(": ") else {
        return stored.to_owned();
    };
    let Some(known) = Section::parse(of) else {
        return stored.to_owned();
    };
    let named = |change: &str| {
        let (name, values) = change.split_once(' ')?;
        let known = Setting::parse(name)?;
        let change = added_and_removed(values).or_else(|| old_and_new(known, values));
        Some(format!("{} {}", setting(known), change.as_deref().unwrap_or(values)))
    };
    let changes: Vec<_> = changes
        .split("; ")
        .map(|change| named(change).unwrap_or_else(|| change.to_owned()))
        .collect();
    let (of, changes) = (section(known), changes.join(say("; ", "、")));
    tell!("{of}: {changes}", "{of}：{changes}")
}

/// `24 hours → 12 hours`
fn old_and_new(setting: Setting, values: &str) -> Option<String> {
    let (old, new) = values.split_once(" → ")?;
    let of = |stored: &str| known_value(setting, stored).map_or_else(|| stored.to_owned(), |known| value(&known));
    Some(format!("{} → {}", of(old), of(new)))
}

/// A value that has words of its own, unless it may be what somebody has typed.
fn known_value(setting: Setting, stored: &str) -> Option<Value> {
    let length = || {
        let (count, unit) = stored.split_once(' ')?;
        let units = [Unit::Seconds, Unit::Minutes, Unit::Hours, Unit::Days, Unit::Years];
        let unit = units
            .into_iter()
            .find(|known| unit.trim_end_matches('s') == known.as_str())?;
        let count = count.parse().ok()?;
        Some(Value::Span(Span { count, unit }))
    };
    match stored {
        _ if setting == Setting::Name => None,
        "none" => Some(Value::None),
        "every address" => Some(Value::EveryAddress),
        "true" => Some(Value::Switch(true)),
        "false" => Some(Value::Switch(false)),
        _ => TenantSettings::bounds_of_span(setting).and_then(|_| length()),
    }
}

/// `added ["192.0.2.0/24"], removed []`, or one of them.
fn added_and_removed(values: &str) -> Option<String> {
    if let Some(removed) = values.strip_prefix("removed ") {
        return (end_of_list(removed)? == removed.len()).then(|| tell!("{values}", "削除：{removed}"));
    }
    let lists = values.strip_prefix("added ")?;
    let (added, rest) = lists.split_at(end_of_list(lists)?);
    if rest.is_empty() {
        return Some(tell!("{values}", "追加：{added}"));
    }
    let removed = rest.strip_prefix(", removed ")?;
    Some(tell!("{values}", "追加：{added}、削除：{removed}"))
}

/// Where a list in JSON ends that a text begins with. What is in it may look like anything.
fn end_of_list(text: &str) -> Option<usize> {
    let mut lists = serde_json::Deserializer::from_str(text).into_iter::<Vec<String>>();
    lists.next()?.ok()?;
    Some(lists.byte_offset())
}

/// `create,read from 192.0.2.0/24; expires 2026-..; in place of key_.., which expires at 2026-..`. Those of before name no lifetime, and have no `;`.
fn key(stored: &str) -> String {
    let japanese = stored
        .replacen(" from ", "、接続元：", 1)
        .replacen(", and others", "、ほか", 1)
        .replacen("; does not expire", "、無期限", 1)
        .replacen("; expires ", "、期限：", 1)
        .replacen("; in place of ", "、更新前のキー：", 1)
        .replacen(" in place of ", "、更新前のキー：", 1)
        .replacen(", which expires at ", "、更新前のキーの期限：", 1);
    tell!("{stored}", "{japanese}")
}

/// `12 entries from before 2026-..`
fn trimmed(stored: &str) -> String {
    match stored.split_once(" entries from before ") {
        Some((count, before)) => tell!("{stored}", "{before}より前の{count}件"),
        None => stored.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::words::in_language;
    use domain::language::Language;

    fn shown(language: Language, action: AuditAction, stored: &str) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(in_language(language, async { detail(&action.into(), stored) }))
    }

    #[test]
    fn details_are_in_the_language_of_the_console() {
        use AuditAction as A;
        for (action, stored, japanese) in [
            (A::PersonChange, "reviewer", "審査担当者"),
            (A::PersonChange, "reviewer → admin", "審査担当者 → 管理者"),
            (
                A::SessionSearch,
                "by name: more than 50 found",
                "氏名による検索：50件超",
            ),
            (A::SessionSearch, "by name: 3 found", "氏名による検索：3件"),
            (A::PersonInvite, "admin,operator", "管理者、運用者"),
            (A::PersonSignInRefused, "confirmation: password", "再認証のパスワード"),
            (
                A::PersonSignIn,
                "code, new network, new browser: Chrome on Windows",
                "コード、新しいネットワーク、新しいブラウザー：Chrome on Windows",
            ),
            (A::CaseAssign, "nobody → usr_1", "担当なし → usr_1"),
            (A::CaseOpen, "document-front, selfie", "表面、自撮り写真"),
            (A::CaseRule, "rejected", "不承認"),
            (A::SessionSearch, "by name: 3 found", "氏名による検索：3件"),
            (
                A::WebhookSendRangeAgain,
                "12 events, state delivered, from 2026-08-02",
                "イベント12件、状態：delivered、開始：2026-08-02",
            ),
            (A::SessionExport, "everything", "すべて"),
            (
                A::SessionExport,
                "status completed, name search",
                "状態：完了、氏名で検索",
            ),
            (
                A::KeyIssue,
                "create,read from 192.0.2.1, 192.0.2.2 in place of key_1, which expires at 2026-08-03",
                "create,read、接続元：192.0.2.1, 192.0.2.2、更新前のキー：key_1、更新前のキーの期限：2026-08-03",
            ),
            (
                A::KeyIssue,
                "create from 192.0.2.1; expires 2026-11-01; in place of key_1, which expires at 2026-08-03",
                "create、接続元：192.0.2.1、期限：2026-11-01、更新前のキー：key_1、更新前のキーの期限：2026-08-03",
            ),
            (A::KeyIssue, "create,read; does not expire", "create,read、無期限"),
            (
                A::KeyIssue,
                "create from 192.0.2.1, and others; does not expire",
                "create、接続元：192.0.2.1、ほか、無期限",
            ),
            (
                A::SettingsChange,
                "later: abc [12 bytes left out] xyz",
                "later: abc [12バイト省略] xyz",
            ),
            (
                A::KeyRevoke,
                "abc [3000 characters left out] xyz",
                "abc [3000文字省略] xyz",
            ),
            (A::KeyRevoke, "a [no bytes left out] x", "a [no bytes left out] x"),
            (
                A::AuditTrim,
                "3 entries from before 2026-08-02",
                "2026-08-02より前の3件",
            ),
            (
                A::AuditExport,
                "csv, by usr_1, from 2026-08-02",
                "csv、実行者：usr_1、開始：2026-08-02",
            ),
            (A::KeyRevoke, "what a later version says", "what a later version says"),
        ] {
            assert_eq!(shown(Language::Ja, action, stored), japanese);
            assert_eq!(shown(Language::En, action, stored), stored, "as it is stored");
        }
    }

    #[test]
    fn a_session_that_could_not_be_decided_has_the_sentence_of_its_failure() {
        let lost = |language| shown(language, AuditAction::SessionDecide, "media_lost");
        assert_eq!(lost(Language::En), "A stored picture is missing.");
        assert_eq!(lost(Language::Ja), "保存された画像が見つかりません。");
    }

    #[test]
    fn a_change_of_settings_is_told_with_the_labels_of_the_form() {
        for (stored, english, japanese) in [
            (
                "review: review_target 24 hours → 12 hours; sampled 0 → 1",
                "Review: Review target 24 hours → 12 hours; Quality control, share 0 → 1",
                "審査：審査の目標時間 24時間 → 12時間、品質管理の抽出割合 0 → 1",
            ),
            (
                "look: accent none → #ff0000; name Shop → Bank",
                "Branding: Accent colour none → #ff0000; Name Shop → Bank",
                "ブランド設定：アクセントカラー なし → #ff0000、名称 Shop → Bank",
            ),
            (
                "look: name none → true",
                "Branding: Name none → true",
                "ブランド設定：名称 none → true",
            ),
            (
                "lifetimes: link_lifetime 330 seconds → 1 day; session_lifetime 7 days → 1 year",
                "Lifetimes and retention: Link lifetime 330 seconds → 1 day; Session lifetime 7 days → 1 year",
                "有効期間・保存期間：リンクの有効期間 330秒 → 1日、セッションの有効期間 7日 → 1年",
            ),
            (
                "steps: flashes true → false",
                "Verification steps: Screen colours true → false",
                "確認ステップ：画面の色 オン → オフ",
            ),
            (
                "addresses: ip_allow_list every address → 192.0.2.0/24",
                "IP allow-list: Networks that may call the API every address → 192.0.2.0/24",
                "IP許可リスト：APIを呼び出せるネットワーク すべてのアドレス → 192.0.2.0/24",
            ),
            (
                r#"callbacks: callback_urls added ["https://a.example/], removed ["], removed ["https://b.example/"]"#,
                r#"Callback URLs: Allowed callback URLs added ["https://a.example/], removed ["], removed ["https://b.example/"]"#,
                r#"コールバックURL：許可するコールバックURL 追加：["https://a.example/], removed ["]、削除：["https://b.example/"]"#,
            ),
            (
                r#"callbacks: callback_urls added ["https://a.example/"]; callback_urls removed ["https://b.example/"]"#,
                r#"Callback URLs: Allowed callback URLs added ["https://a.example/"]; Allowed callback URLs removed ["https://b.example/"]"#,
                r#"コールバックURL：許可するコールバックURL 追加：["https://a.example/"]、許可するコールバックURL 削除：["https://b.example/"]"#,
            ),
            (
                "webhook: a_later_one 1 → 2",
                "Webhook: a_later_one 1 → 2",
                "Webhook：a_later_one 1 → 2",
            ),
            ("later: x 1 → 2", "later: x 1 → 2", "later: x 1 → 2"),
        ] {
            assert_eq!(shown(Language::En, AuditAction::SettingsChange, stored), english);
            assert_eq!(shown(Language::Ja, AuditAction::SettingsChange, stored), japanese);
        }
    }
}
