//! The time there is: told before it is over, and put off where it can be.

use super::texts;

texts! {
    /// Nobody has done anything for a while.
    IDLE_TITLE: "Do you need more time?", "時間を延長しますか？";
    /// The same.
    IDLE_LEAD: "For your protection this page closes in about {minutes} min. What you have sent is kept.", "安全のため、このページはあと約{minutes}分で閉じます。送信済みの内容は保存されています。";
    /// Puts the end off.
    IDLE_MORE: "I need more time", "延長する";
    /// An end that cannot be put off is near.
    LAST_TITLE: "Little time is left", "残り時間がわずかです";
    /// The same.
    LAST_LEAD: "This verification can be finished here for about {minutes} more min. After that you need a new link.", "この本人確認を続けられるのはあと約{minutes}分です。その後は新しいリンクが必要です。";
    /// Understood.
    LAST_OK: "Go on", "続ける";
    /// For browsers without scripts, at the foot.
    NOTE: "This page closes when it is not used for {minutes} minutes.", "{minutes}分間操作がないと、このページは閉じます。";
}
