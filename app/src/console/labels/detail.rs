//! The details of the audit log. They are stored and exported in English; the pages show them in the language of the console.

use super::{role, ruling, section, setting, slot_name, status, verdict};
use crate::console::words::{say, tell};
use domain::{
    audit::AuditAction, named::Named, outcome::Verdict, role::Role, ruling::Ruling, session::Status, tenant::Section,
};
use service::stored::{NEW_NETWORK, Slot};

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
    (["status ", ""], ["ステータス：", ""]),
    (["verdict ", ""], ["判定：", ""]),
    (["reason ", ""], ["理由：", ""]),
    (["document ", ""], ["書類：", ""]),
    (["last step ", ""], ["最後のステップ：", ""]),
];

/// The detail of an entry about such an action.
pub(in crate::console) fn detail(action: &Named<AuditAction>, stored: &str) -> String {
    match action {
        Named::Known(AuditAction::SettingsChange) => settings(stored),
        Named::Known(AuditAction::KeyIssue) => key(stored),
        Named::Known(AuditAction::AuditTrim) => trimmed(stored),
        Named::Known(AuditAction::PersonInvite | AuditAction::PersonJoin) => {
            let japanese: Vec<_> = stored.split(',').map(detail_part).collect();
            let japanese = japanese.join("、");
            tell!("{stored}", "{japanese}")
        }
        _ => parts(stored),
    }
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

/// `look: accent null → "#ff0000"; contact ..`
fn settings(stored: &str) -> String {
    let Some((of, changes)) = stored.split_once(": ") else {
        return stored.to_owned();
    };
    let Some(known) = Section::parse(of) else {
        return stored.to_owned();
    };
    let named = |change: &str| match change.split_once(' ') {
        Some((name, values)) => format!("{} {values}", setting(name)),
        None => change.to_owned(),
    };
    let changes: Vec<_> = changes.split("; ").map(named).collect();
    let (of, changes) = (section(known), changes.join("、"));
    tell!("{stored}", "{of}：{changes}")
}

/// `create,read from 192.0.2.0/24; expires 2026-..; in place of key_.., which expires at 2026-..`. Those of before name no lifetime, and have no `;`.
fn key(stored: &str) -> String {
    let japanese = stored
        .replacen(" from ", "、接続元：", 1)
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
                "ステータス：完了、氏名で検索",
            ),
            (
                A::SettingsChange,
                "review: review_target 24 hours → 12 hours; sampled 0 → 1",
                "審査：審査の目標時間 24 hours → 12 hours、品質管理の抽出割合 0 → 1",
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
}
