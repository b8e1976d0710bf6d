//! The sections of the settings.

use crate::console::words::say;
use domain::tenant::Section;

/// The title of a section.
pub(in crate::console) fn section(section: Section) -> &'static str {
    match section {
        Section::Steps => say("Verification steps", "確認ステップ"),
        Section::Decision => say("Decision", "判定"),
        Section::Review => say("Review", "審査"),
        Section::Look => say("Branding", "ブランド設定"),
        Section::Webhook => "Webhook",
        Section::Callbacks => say("Callback URLs", "コールバックURL"),
        Section::Addresses => say("IP allow-list", "IP許可リスト"),
        Section::Lifetimes => say("Lifetimes and retention", "有効期間・保存期間"),
        Section::SignIn => say("Sign-in", "サインイン"),
    }
}

/// What a section is about.
pub(in crate::console) fn section_lead(section: Section) -> &'static str {
    match section {
        Section::Steps => say(
            "What new sessions require. Existing sessions are not affected.",
            "新しいセッションで必須とするステップです。既存のセッションには影響しません。",
        ),
        Section::Decision => say(
            "Confidence values from 0 to 1. They are stored with each decision.",
            "0から1までの信頼度です。判定ごとに記録されます。",
        ),
        Section::Review => say(
            "The queue and the overview mark cases that have waited longer than this target.",
            "目標時間を超えた案件は、審査と概要のページで確認できます。",
        ),
        Section::Look => say(
            "What your users see on the capture pages.",
            "撮影ページで利用者に表示されます。",
        ),
        Section::Webhook => say(
            "Where events are sent, and which types.",
            "イベントの送信先と、送信するイベントの種類です。",
        ),
        Section::Callbacks => say(
            "URLs to which users may return after the verification.",
            "本人確認の終了後に利用者の戻り先にできるURLです。",
        ),
        Section::Addresses => say(
            "Leave empty to allow every address. This list applies to the API only, not to this console.",
            "空欄の場合はすべてのアドレスを許可します。適用されるのはAPIだけで、この管理コンソールには適用されません。",
        ),
        Section::Lifetimes => say(
            "How long links are valid, sessions stay open, and personal data is retained.",
            "リンクとセッションの有効期間、および個人情報の保存期間です。",
        ),
        Section::SignIn => say(
            "If you turn this on, people without a second factor must set one up before they can do anything else.",
            "オンにすると、2要素認証を設定していないメンバーは、設定するまでほかの操作ができません。",
        ),
    }
}

/// The sections as the index shows them, under the heading of each group.
pub(in crate::console) fn section_groups() -> [(&'static str, &'static [Section]); 4] {
    use Section::{Addresses, Callbacks, Decision, Lifetimes, Look, Review, SignIn, Steps, Webhook};
    [
        (say("Verification", "本人確認"), &[Steps, Decision, Review]),
        (say("Appearance", "表示"), &[Look]),
        (say("Integration", "連携"), &[Webhook, Callbacks, Addresses]),
        (say("Data and access", "データとアクセス"), &[Lifetimes, SignIn]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_on_the_index_once() {
        let groups = section_groups();
        let mut shown: Vec<Section> = groups.iter().flat_map(|(_, sections)| *sections).copied().collect();
        let mut all = Section::ALL.to_vec();
        shown.sort_unstable();
        all.sort_unstable();
        assert_eq!(shown, all);
    }
}
