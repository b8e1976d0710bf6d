//! The time limit: announced before it is reached, and extended if possible.

use super::texts;

texts! {
    /// Nobody has done anything for a while.
    IDLE_TITLE: "Do you need more time?", "時間を延長しますか？";
    /// The same.
    IDLE_LEAD: "For your security, this page will close in about {minutes} min. Everything you have sent is saved.", "安全のため、このページはあと約{minutes}分で閉じます。送信済みの内容は保存されています。";
    /// Extends the time.
    IDLE_MORE: "I need more time", "延長する";
    /// Without a connection, or while the server is too busy.
    IDLE_FAILED: "We could not extend the time. Try again in a moment.", "延長できませんでした。しばらくしてから、もう一度お試しください。";
    /// A deadline that cannot be extended is near.
    LAST_TITLE: "You are running out of time", "残り時間がわずかです";
    /// The same.
    LAST_LEAD: "You have about {minutes} min left to finish this verification. After that you will need a new link.", "この本人確認を続けられるのはあと約{minutes}分です。その後は新しいリンクが必要です。";
    /// Closes the dialog.
    LAST_OK: "Continue", "続ける";
    /// In the footer, for browsers without scripts.
    NOTE: "This page closes after {minutes} {minutes:minute|minutes} of inactivity.", "{minutes}分間操作がないと、このページは閉じます。";
}
