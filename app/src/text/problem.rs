//! Pages that say why the flow cannot continue, each with at most one action.

use super::{Text, texts};

texts! {
    /// For unknown, used, expired and replaced links alike.
    LINK_TITLE: "This link cannot be used", "このリンクは使えません";
    /// The same.
    LINK_LEAD: "Each link works once. If you started on this device, continue where you left off.", "リンクは一度だけ使えます。この端末で始めた方は、続きから再開できます。";
    /// The same, if this browser belongs to no session.
    LINK_LEAD_STRANGER: "Each link works once, on one device and for a limited time. If you began in another app or browser, continue there. Otherwise, ask the sender for a new link.", "リンクは1台の端末で一度だけ、期限内に使えます。別のアプリやブラウザーで始めた方は、そちらで続けてください。それ以外の方は、送信元に新しいリンクをご依頼ください。";
    /// The same.
    LINK_ACTION: "Continue where I left off", "続きから再開する";
    /// No cookie, or it has expired.
    SESSION_TITLE: "This page is closed", "このページは終了しました";
    /// The same.
    SESSION_LEAD: "It closes after some time without activity, or when you continue on another device. Everything you have sent is saved. Ask the sender for a new link to continue.", "しばらく操作がないとき、または別の端末で続けたときに終了します。送信済みの内容は保存されています。送信元に新しいリンクをご依頼いただければ、続きから再開できます。";
    /// The same, without a cookie: mostly a page that was opened in a browser from within an app.
    SESSION_LEAD_STRANGER: "If you began in another app or browser, continue there. If the camera does not open there, choose “{other}” there. In all other cases, ask the sender for a new link.", "別のアプリやブラウザーで始めた方は、そちらで続けてください。カメラが開かない場合は、そちらで「{other}」を選んでください。それ以外の方は、送信元に新しいリンクをご依頼ください。";
    /// The same, after everything was sent. It says nothing about the result.
    SUBMITTED_TITLE: "There is nothing left to do here", "お手続きは以上です";
    /// The same.
    SUBMITTED_LEAD: "You have sent everything, and this page has closed. If you have a question, ask the company that sent you the link.", "すべて送信済みで、このページは終了しました。ご不明な点は、リンクの送信元の企業にお問い合わせください。";
    /// The deadline has passed.
    EXPIRED_TITLE: "This verification has expired", "本人確認の期限が過ぎました";
    /// The same.
    EXPIRED_LEAD: "The deadline has passed. Ask the sender for a new link.", "期限が過ぎたため続けられません。送信元に新しいリンクをご依頼ください。";
    /// Too many attempts.
    TRIES_TITLE: "That was your last attempt", "撮影回数の上限に達しました";
    /// The same.
    TRIES_LEAD: "We will continue with the photo we have. A person will review it.", "お預かりした写真で進めます。担当者が確認します。";
    /// The same.
    TRIES_ACTION: "Continue", "次へ";
    /// Overloaded.
    BUSY_TITLE: "We are very busy right now", "ただいま混み合っています";
    /// The same.
    BUSY_LEAD: "Everything you have sent is saved. Wait a moment, then try again.", "送信済みの内容は保存されています。しばらくしてから、もう一度お試しください。";
    /// The same, when something was sent: it may not be saved.
    BUSY_LEAD_SENT: "What you sent earlier is saved, but your last entry may not be. Wait a moment, then try again. If something is missing, enter it again.", "これまでに送信した内容は保存されていますが、今回の内容は保存されていない可能性があります。しばらくしてから、もう一度お試しのうえ、足りない内容があれば入力し直してください。";
    /// The same.
    BUSY_ACTION: "Try again", "もう一度試す";
    /// The same, when a photo was sent: it is not kept.
    NOT_SENT_TITLE: "Your photo was not sent", "写真は送信されませんでした";
    /// The same.
    NOT_SENT_LEAD: "We are very busy right now. Wait a moment, then choose the photo and send it again.", "ただいま混み合っています。しばらくしてから、もう一度写真を選んで送信してください。";
    /// The same, because the connection is slow.
    TOO_SLOW_LEAD: "Your connection was too slow. Try again where the signal is better: choose the photo and send it again.", "通信が遅いため、送信できませんでした。電波の良い場所で、もう一度写真を選んで送信してください。";
    /// The same.
    NOT_SENT_ACTION: "Send the photo again", "写真をもう一度送る";
    /// Our error.
    BROKEN_TITLE: "Something went wrong on our side", "システムエラーが発生しました";
    /// The same.
    BROKEN_LEAD: "Nothing you sent is lost. Try again. If it happens again, give the reference to the company that sent you the link.", "送信済みの内容は保存されています。もう一度お試しください。繰り返す場合は、送信元の企業に受付番号をお伝えください。";
    /// The same, when something was sent: it may not be saved.
    BROKEN_LEAD_SENT: "What you sent earlier is saved, but your last entry may not be. Try again, and re-enter anything missing. If it happens again, give the reference to the company that sent you the link.", "これまでに送信した内容は保存されていますが、今回の内容は保存されていない可能性があります。もう一度お試しのうえ、足りない内容は入力し直してください。繰り返す場合は、送信元の企業に受付番号をお伝えください。";
    /// For a page that no handler answered.
    RETRY_LEAD: "Wait a moment, then try again.", "しばらくしてから、もう一度お試しください。";
    /// For a form of which nothing was processed.
    FORM_NOT_SENT_LEAD: "Your form was not sent. Go back, wait a moment, and send it again.", "送信できませんでした。前の画面に戻り、しばらくしてから、もう一度送信してください。";
    /// For a form of which nobody knows how much was processed.
    FORM_UNCERTAIN_LEAD: "What you sent may not be saved. Go back and send it again.", "送信した内容が保存されていない可能性があります。前の画面に戻り、もう一度送信してください。";
    /// Unknown address.
    NOT_FOUND_TITLE: "Page not found", "ページが見つかりません";
    /// The same.
    NOT_FOUND_LEAD: "Open the link in your message again.", "お手元のメッセージのリンクをもう一度開いてください。";
    /// The same, in the middle of a verification, whose link has been used.
    NOT_FOUND_OPEN: "This page does not exist. Your verification is still open.", "このページは存在しません。お手続きは続けられます。";
    /// What to quote.
    REFERENCE: "Reference", "受付番号";
    /// Sent from another site, or twice from an old page.
    STALE_TITLE: "This page is out of date", "ページの情報が古くなっています";
    /// The same.
    STALE_LEAD: "You have continued in another window or on another device.", "別の画面や端末で手続きが進んでいます。";
}

/// Why the flow cannot continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The link is unknown, used, replaced or expired: one page for all, so that it reveals nothing to someone guessing.
    LinkUnusable {
        /// Whether this browser belongs to a session that it may continue.
        taking_part: bool,
    },
    /// The capture cookie has expired, or a new link has replaced it.
    SessionOver,
    /// The same for a browser that has submitted everything.
    Submitted,
    /// No capture cookie: the session, if there is one, is another browser's.
    Stranger,
    /// The session's deadline has passed.
    Expired {
        /// The tenant's callback URL with `sessionId` and `state`, if there is one.
        return_url: Option<String>,
    },
    /// No tries are left for this step; the session continues to review.
    TooManyTries,
    /// Overloaded or stopping.
    Busy {
        /// Whether something was sent, which may be lost.
        sends: bool,
    },
    /// A picture was refused because too many are being sent at the moment.
    NotSent,
    /// A picture arrived too slowly.
    TooSlow,
    /// Our error.
    Broken {
        /// Whether something was sent, which may be lost.
        sends: bool,
    },
    /// No such page.
    NotFound {
        /// Whether this browser is in the middle of a verification.
        taking_part: bool,
    },
    /// The form belonged to an earlier state.
    Stale,
}

/// Title, lead and action.
pub(crate) struct ProblemTexts {
    pub(crate) title: Text,
    pub(crate) lead: Text,
    pub(crate) action: Option<Text>,
}

impl Problem {
    pub(crate) const fn texts(&self) -> ProblemTexts {
        let (title, lead, action) = match self {
            Self::LinkUnusable { taking_part: true } => (LINK_TITLE, LINK_LEAD, Some(LINK_ACTION)),
            Self::LinkUnusable { taking_part: false } => (LINK_TITLE, LINK_LEAD_STRANGER, None),
            Self::SessionOver => (SESSION_TITLE, SESSION_LEAD, None),
            Self::Stranger => (SESSION_TITLE, SESSION_LEAD_STRANGER, None),
            Self::Submitted => (SUBMITTED_TITLE, SUBMITTED_LEAD, None),
            Self::Expired { .. } => (EXPIRED_TITLE, EXPIRED_LEAD, None),
            Self::TooManyTries => (TRIES_TITLE, TRIES_LEAD, Some(TRIES_ACTION)),
            Self::Busy { sends: false } => (BUSY_TITLE, BUSY_LEAD, Some(BUSY_ACTION)),
            Self::Busy { sends: true } => (BUSY_TITLE, BUSY_LEAD_SENT, Some(BUSY_ACTION)),
            Self::NotSent => (NOT_SENT_TITLE, NOT_SENT_LEAD, Some(NOT_SENT_ACTION)),
            Self::TooSlow => (NOT_SENT_TITLE, TOO_SLOW_LEAD, Some(NOT_SENT_ACTION)),
            Self::Broken { sends: false } => (BROKEN_TITLE, BROKEN_LEAD, Some(BUSY_ACTION)),
            Self::Broken { sends: true } => (BROKEN_TITLE, BROKEN_LEAD_SENT, Some(BUSY_ACTION)),
            Self::NotFound { taking_part: true } => (NOT_FOUND_TITLE, NOT_FOUND_OPEN, Some(LINK_ACTION)),
            Self::NotFound { taking_part: false } => (NOT_FOUND_TITLE, NOT_FOUND_LEAD, None),
            Self::Stale => (STALE_TITLE, STALE_LEAD, Some(LINK_ACTION)),
        };
        ProblemTexts { title, lead, action }
    }
}
