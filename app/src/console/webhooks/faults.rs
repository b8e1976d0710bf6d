//! Why an attempt failed.

use crate::console::words::with_japanese;
use service::webhook::sender::fault::Fault;

/// In a word or two.
pub(super) fn name(fault: Fault) -> String {
    let ja = match fault {
        Fault::NoReceiver => "受信先なし",
        Fault::NoSecret => "シークレットなし",
        Fault::UrlRefused => "URL不可",
        Fault::CannotRender => "読み取り不可",
        Fault::NoteWithheld => "メモの送信保留",
        Fault::Unresolved => "名前解決の失敗",
        Fault::AddressRefused => "アドレス不可",
        Fault::ConnectTimeout => "接続のタイムアウト",
        Fault::ConnectFailed => "接続の拒否",
        Fault::Tls => "TLSのエラー",
        Fault::TimedOut => "応答のタイムアウト",
        Fault::Closed => "切断",
        Fault::BadAnswer => "不正な応答",
        Fault::Redirect => "リダイレクト",
        Fault::Status => "エラー応答",
    };
    with_japanese(fault.as_str().replace('_', " "), ja)
}

/// In a sentence.
pub(super) fn sentence(fault: Fault) -> String {
    let ja = match fault {
        Fault::NoReceiver => "受信先のURLが設定されていません。",
        Fault::NoSecret => "有効な署名シークレットがありません。",
        Fault::UrlRefused => "受信先のURLは使用できません。",
        Fault::CannotRender => {
            "イベントまたは署名シークレットを読み取れないため、送信できません。原因は運用者がログで確認できます。"
        }
        Fault::NoteWithheld => {
            "イベントに審査担当者のメモが含まれています。その後、メモを閲覧できないメンバーが受信先のURLを変更しました。\
             管理者がURLを保存し直して確認するか、イベントを再送してください。"
        }
        Fault::Unresolved => "受信先のホスト名を解決できません。",
        Fault::AddressRefused => "受信先のホスト名が、公開されていないアドレスに解決されます。",
        Fault::ConnectTimeout => "時間内に接続できませんでした。",
        Fault::ConnectFailed => "接続が拒否されました。",
        Fault::Tls => {
            "TLSハンドシェイクに失敗しました。証明書の期限切れ・自己署名・不一致、または受信先のTLS未対応が考えられます。"
        }
        Fault::TimedOut => "時間内に応答がありませんでした。",
        Fault::Closed => "応答の前に接続が閉じられました。",
        Fault::BadAnswer => "応答がHTTPではないか、ヘッダーが大きすぎます。",
        Fault::Redirect => "受信先がリダイレクトを返しました。リダイレクトには従いません。",
        Fault::Status => "受信先が2xx以外のステータスを返しました。",
    };
    with_japanese(fault.sentence(), ja)
}
