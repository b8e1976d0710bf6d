//! Continuing on another device: the QR code on the start page, the page with a new link, copying.

use super::texts;

texts! {
    /// Desktop: use a phone.
    START_QR: "Scan with your phone", "スマートフォンで読み取ってください";
    /// Under the QR code.
    START_QR_HINT: "Your phone’s camera takes better photos. The code opens this page.", "スマートフォンのカメラのほうが鮮明に撮影できます。読み取ると、このページが開きます。";
    /// Label of the QR code.
    QR_LABEL: "QR code of the link", "リンクのQRコード";
    /// Copy the link.
    COPY: "Copy the link", "リンクをコピー";
    /// After copying; announced by screen readers.
    COPIED: "Copied", "コピーしました";
    /// If the browser does not allow copying.
    NOT_COPIED: "Select the link and copy it by hand", "リンクを選択してコピーしてください";
    /// Label of the link as text.
    LINK: "Your link", "リンク";
    /// Start page in a browser without a camera.
    NO_CAMERA_TITLE: "This app may not be able to open the camera", "このアプリではカメラを使えないことがあります";
    /// The same.
    NO_CAMERA_LEAD: "Copy the link and open it in Safari or Chrome before you tap “{button}”. In this app you may only be able to upload photos you have already taken.", "「{button}」を押す前にリンクをコピーし、Safari または Chrome で開いてください。このまま進むと、撮影済みの写真を送る方法しか使えないことがあります。";
    /// The link cannot be opened any more, mostly because it was opened elsewhere while this page was open. Nothing says which it is.
    OPENED_TITLE: "Continue where you opened the link", "リンクを開いた先で続けてください";
    /// The same.
    OPENED_LEAD: "The link has been opened or can no longer be used. You can close this page.", "リンクが開かれたか、使えなくなりました。このページは閉じてかまいません。";
    /// The same.
    OPENED_HINT: "If you have not opened it, ask the sender for a new link.", "リンクを開いていない場合は、送信元に新しいリンクをご依頼ください。";
    /// Link to the page.
    OTHER_DEVICE: "Continue on another phone or browser", "別の端末・ブラウザーで続ける";
    /// The page.
    TITLE: "Continue on another phone or browser", "別の端末・ブラウザーで続ける";
    /// Before the link is made.
    LEAD: "We will show you a link to open there. Everything you have sent so far is saved, and you can continue where you left off.", "別の端末やブラウザーで開くためのリンクを表示します。これまでに送信した内容は保存されており、続きから再開できます。";
    /// Before the link is made.
    ONE_PLACE: "This page stops working as soon as you open the link there.", "リンクを開くと、このページは使えなくなります。";
    /// Makes the link.
    MAKE: "Show the link", "リンクを表示";
    /// Stay here.
    STAY: "Continue here", "このまま続ける";
    /// With the link.
    SCAN: "Scan this code with the other phone, or copy the link and open it in another browser.", "別のスマートフォンで読み取るか、リンクをコピーして別のブラウザーで開いてください。";
    /// With the link.
    LASTS: "The link works once, within {minutes} {minutes:minute|minutes}. Do not share it with anyone.", "リンクは{minutes}分以内に一度だけ使えます。ほかの人には渡さないでください。";
}
