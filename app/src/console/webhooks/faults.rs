//! Why an attempt failed.

use crate::console::words::with_japanese;
use domain::delivery::DeliveryFault;
use service::webhook::sender::fault;

/// In a word or two.
pub(super) fn name(fault: DeliveryFault) -> String {
    let ja = match fault {
        DeliveryFault::NoReceiver => "受信先なし",
        DeliveryFault::NoSecret => "シークレットなし",
        DeliveryFault::UrlRefused => "URL不可",
        DeliveryFault::CannotRender => "読み取り不可",
        DeliveryFault::NoteWithheld => "メモの送信保留",
        DeliveryFault::Unresolved => "名前解決の失敗",
        DeliveryFault::AddressRefused => "アドレス不可",
        DeliveryFault::ConnectTimeout => "接続のタイムアウト",
        DeliveryFault::ConnectFailed => "接続の拒否",
        DeliveryFault::Tls => "TLSのエラー",
        DeliveryFault::TimedOut => "応答のタイムアウト",
        DeliveryFault::Closed => "切断",
        DeliveryFault::BadAnswer => "不正な応答",
        DeliveryFault::Redirect => "リダイレクト",
        DeliveryFault::Status => "エラー応答",
    };
    let en = match fault {
        DeliveryFault::Unresolved => "DNS failed".to_owned(),
        DeliveryFault::Tls => "TLS failed".to_owned(),
        other => other.as_str().replace('_', " "),
    };
    with_japanese(en, ja)
}

/// In a sentence.
pub(super) fn sentence(fault: DeliveryFault) -> String {
    let ja = match fault {
        DeliveryFault::NoReceiver => "受信先のURLが設定されていません。",
        DeliveryFault::NoSecret => "有効な署名シークレットがありません。",
        DeliveryFault::UrlRefused => "受信先のURLは使用できません。",
        DeliveryFault::CannotRender => {
            "イベントまたは署名シークレットを読み取れないため、送信できません。原因は運用者がログで確認できます。"
        }
        DeliveryFault::NoteWithheld => {
            "イベントに審査担当者のメモが含まれています。その後、メモを閲覧できないメンバーが受信先のURLを変更しました。\
             管理者がURLを保存し直して確認するか、イベントを再送してください。"
        }
        DeliveryFault::Unresolved => "受信先のホスト名を解決できません。",
        DeliveryFault::AddressRefused => "受信先のホスト名が、公開されていないアドレスに解決されます。",
        DeliveryFault::ConnectTimeout => "時間内に接続できませんでした。",
        DeliveryFault::ConnectFailed => "接続が拒否されました。",
        DeliveryFault::Tls => {
            "TLSハンドシェイクに失敗しました。証明書の期限切れ・自己署名・不一致、または受信先のTLS未対応が考えられます。"
        }
        DeliveryFault::TimedOut => "時間内に応答がありませんでした。",
        DeliveryFault::Closed => "応答の前に接続が閉じられました。",
        DeliveryFault::BadAnswer => "応答がHTTPではないか、ヘッダーが大きすぎます。",
        DeliveryFault::Redirect => "受信先がリダイレクトを返しました。リダイレクトには従いません。",
        DeliveryFault::Status => "受信先が2xx以外のステータスを返しました。",
    };
    with_japanese(fault::sentence(fault), ja)
}
