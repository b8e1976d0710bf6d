//! The details of the audit log. They are stored and exported in English; the pages show them in the language of the console.

use super::{failure, role, ruling, section, setting, slot_name, status, value, verdict};
use crate::console::words::{say, tell};
use domain::{
    audit::AuditAction,
    audit_detail::{DetailPhrase, DetailWord, ENTRIES_BEFORE, KeyClause},
    named::Named,
    outcome::Verdict,
    role::Role,
    ruling::Ruling,
    sandbox::SandboxTime,
    session::{FailureReason, Status},
    setting::Setting,
    tenant::{Section, TenantSettings},
    time::{Span, Unit},
};
use service::{settings::preview::Value, stored::Slot};

/// A word in Japanese.
const fn japanese(word: DetailWord) -> &'static str {
    match word {
        DetailWord::All | DetailWord::Everything => "すべて",
        DetailWord::AuditLog => "監査ログ",
        DetailWord::InvalidId => "無効なID",
        DetailWord::AuthenticatorApp => "認証アプリ",
        DetailWord::Code => "コード",
        DetailWord::ConfirmationCode => "再認証のコード",
        DetailWord::ConfirmationPasskey => "再認証のパスキー",
        DetailWord::ConfirmationPassword => "再認証のパスワード",
        DetailWord::Disabled => "無効化",
        DetailWord::Enabled => "有効化",
        DetailWord::MetadataSearch => "メタデータで検索",
        DetailWord::NameSearch => "氏名で検索",
        DetailWord::BirthDateSearch => "生年月日で検索",
        DetailWord::ErasedBeforeRestore => "バックアップの復元前に消去済み",
        DetailWord::CommandLineLink => "コマンドラインで発行したリンク",
        DetailWord::NewNetwork => "新しいネットワーク",
        DetailWord::Nobody => "担当なし",
        DetailWord::OpenId => "OpenID",
        DetailWord::OpenIdOther => "OpenID：別の人が再認証",
        DetailWord::OpenIdUnknown => "OpenID：対応するアカウントなし",
        DetailWord::OpenIdRefused => "OpenID：プロバイダーの応答が無効",
        DetailWord::Operator => "運用者",
        DetailWord::Passkey => "パスキー",
        DetailWord::People => "メンバー",
        DetailWord::Sessions => "セッション",
        DetailWord::SecondPasskey => "2要素認証のパスキー",
        DetailWord::Stopped => "2要素認証の前に中断",
    }
}

/// The Japanese before and after the value of a phrase.
const fn around(phrase: DetailPhrase) -> [&'static str; 2] {
    match phrase {
        DetailPhrase::NewBrowser => ["新しいブラウザー：", ""],
        DetailPhrase::Passkey => ["パスキー「", "」"],
        DetailPhrase::NoteIn => ["メモの閲覧：", ""],
        DetailPhrase::MoreByNameAndBirthDate => ["氏名と生年月日による検索：", "件超"],
        DetailPhrase::MoreByName => ["氏名による検索：", "件超"],
        DetailPhrase::MoreByBirthDate => ["生年月日による検索：", "件超"],
        DetailPhrase::ByNameAndBirthDate => ["氏名と生年月日による検索：", "件"],
        DetailPhrase::ByName => ["氏名による検索：", "件"],
        DetailPhrase::ByBirthDate => ["生年月日による検索：", "件"],
        DetailPhrase::UnsentEvents => ["未送信のイベント", "件"],
        DetailPhrase::Events => ["イベント", "件"],
        DetailPhrase::Bytes => ["", "バイト"],
        DetailPhrase::AgainFrom => ["再エクスポートの開始位置：", ""],
        DetailPhrase::Action => ["操作：", ""],
        DetailPhrase::By => ["実行者：", ""],
        DetailPhrase::About => ["対象：", ""],
        DetailPhrase::From => ["開始：", ""],
        DetailPhrase::Until => ["終了：", ""],
        DetailPhrase::After => ["続き：", ""],
        DetailPhrase::State | DetailPhrase::Status => ["状態：", ""],
        DetailPhrase::Type => ["種類：", ""],
        DetailPhrase::Session => ["セッション：", ""],
        DetailPhrase::IdPrefix => ["IDの先頭：", ""],
        DetailPhrase::Verdict => ["判定：", ""],
        DetailPhrase::Reason => ["理由：", ""],
        DetailPhrase::Document => ["書類：", ""],
        DetailPhrase::LastStep => ["離脱前のステップ：", ""],
    }
}

/// The detail of an entry about such an action.
pub(in crate::console) fn detail(action: &Named<AuditAction>, stored: &str) -> String {
    with_gap(match action {
        Named::Known(AuditAction::SettingsChange) => settings(stored),
        Named::Known(AuditAction::KeyIssue) => key(stored),
        Named::Known(AuditAction::AuditTrim) => trimmed(stored),
        Named::Known(AuditAction::SessionDecide) => {
            FailureReason::parse(stored).map_or_else(|| parts(stored), |reason| failure(reason).to_owned())
        }
        Named::Known(AuditAction::FactorAdd | AuditAction::FactorRemove) => whole(stored),
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
    whole(stored)
}

/// A detail of one part, in which somebody may have typed anything.
fn whole(stored: &str) -> String {
    translated(stored).map_or_else(|| stored.to_owned(), |japanese| tell!("{stored}", "{japanese}"))
}

/// A part of a detail in Japanese, if this version writes such a part.
fn translated(stored: &str) -> Option<String> {
    if let Some(word) = DetailWord::parse(stored) {
        return Some(japanese(word).to_owned());
    }
    if let Some(name) = vocabulary(stored) {
        return Some(name.to_owned());
    }
    let (phrase, value) = DetailPhrase::read(stored)?;
    let [before, after] = around(phrase);
    Some(format!("{before}{}{after}", vocabulary(value).unwrap_or(value)))
}

/// A value that has a name on other pages.
fn vocabulary(stored: &str) -> Option<&'static str> {
    Role::parse(stored)
        .map(|known| role(Some(known)))
        .or_else(|| Status::parse(stored).map(|known| status(known).0))
        .or_else(|| Verdict::parse(stored).map(|known| verdict(known).0))
        .or_else(|| Ruling::parse(stored).map(|known| ruling(known).0))
        .or_else(|| Slot::parse(stored).map(slot_name))
        .or_else(|| {
            SandboxTime::parse(stored).map(|known| match known {
                SandboxTime::Deadline => say("deadline", "期限"),
                SandboxTime::RetentionEnd => say("end of the retention period", "保存期間の終了"),
            })
        })
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

/// `create,read from 192.0.2.0/24; expires 2026-..; in place of key_.., which expires at 2026-..`
fn key(stored: &str) -> String {
    let japanese = KeyClause::ALL.iter().fold(stored.to_owned(), |text, clause| {
        text.replacen(clause.as_str(), clause_in_japanese(*clause), 1)
    });
    tell!("{stored}", "{japanese}")
}

const fn clause_in_japanese(clause: KeyClause) -> &'static str {
    match clause {
        KeyClause::From => "、接続元：",
        KeyClause::AndOthers => "、ほか",
        KeyClause::NeverExpires => "、無期限",
        KeyClause::Expires => "、期限：",
        KeyClause::InPlaceOf | KeyClause::InPlaceOfWithoutExpiry => "、更新前のキー：",
        KeyClause::ReplacedExpires => "、更新前のキーの期限：",
    }
}

/// `12 entries from before 2026-..`
fn trimmed(stored: &str) -> String {
    match stored.split_once(ENTRIES_BEFORE) {
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
            (A::AuditExport, "again from position 3", "再エクスポートの開始位置：3"),
            (A::SessionAdvanceInSandbox, "retention_end", "保存期間の終了"),
            (A::FactorRemove, "authenticator app", "認証アプリ"),
            (A::TenantView, "people", "メンバー"),
            (A::TenantView, "audit log", "監査ログ"),
            (A::TenantView, "sessions", "セッション"),
            (A::FactorAdd, "passkey Key, at home → 2", "パスキー「Key, at home → 2」"),
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
