//! The console's words for codes used by the rest of the system.

mod action;
mod detail;
mod reason_name;
mod section;
mod settings;

pub(super) use action::action;
pub(super) use detail::{detail, detail_part};
pub(super) use reason_name::reason_name;
pub(super) use section::{section, section_groups, section_lead};
pub(super) use settings::{setting, span, unit, value, value_of, weakening};

use super::parts::Tone;
use super::words::{language, say, tell};
use domain::{
    decision::{Accepted, MachineReadable, ScoreName, provable},
    document::{DocumentType, FieldName, Side},
    findings::Challenge,
    funnel::FunnelStep,
    named::Named,
    outcome::Verdict,
    reasons::Reason,
    role::Role,
    ruling::Ruling,
    scope::Scope,
    secret_kind::SecretKind,
    session::{FailureReason, Status, Step},
    user_input::Gender,
};
use service::stored::Slot;

/// A status and its tone.
#[must_use]
pub(super) fn status(status: Status) -> (&'static str, Tone) {
    match status {
        Status::Created => (say("Created", "作成済み"), Tone::Plain),
        Status::Collecting => (say("Collecting", "手続き中"), Tone::Live),
        Status::Deciding => (say("Deciding", "判定中"), Tone::Live),
        Status::Reviewing => (say("In review", "審査中"), Tone::Warn),
        Status::Completed => (say("Completed", "完了"), Tone::Plain),
        Status::Expired => (say("Expired", "期限切れ"), Tone::Plain),
        Status::Failed => (say("Failed", "失敗"), Tone::Bad),
    }
}

/// A kind of secret, with the page on which it is replaced, if there is one.
pub(super) fn secret(kind: SecretKind) -> (&'static str, Option<&'static str>) {
    match kind {
        SecretKind::MasterKey => (say("Master key", "マスターキー"), None),
        SecretKind::DatabasePassword => (say("Password of the database", "データベースのパスワード"), None),
        SecretKind::BucketKey => (say("Secret key of the S3 server", "S3サーバーのシークレットキー"), None),
        SecretKind::OpenIdClientSecret => (
            say(
                "Client secret of the OpenID provider",
                "OpenIDプロバイダーのクライアントシークレット",
            ),
            None,
        ),
        SecretKind::KeyServiceToken => (say("Token of the key service", "鍵サービスのトークン"), None),
        SecretKind::WebhookSecret => (
            say("Webhook signing secret", "Webhookの署名シークレット"),
            Some("/admin/webhooks/secrets"),
        ),
        SecretKind::ApiKey => (say("API key", "APIキー"), Some("/admin/keys")),
    }
}

/// A reviewer's decision.
pub(super) fn ruling(ruling: Ruling) -> (&'static str, Tone) {
    match ruling {
        Ruling::Approved => (say("Approved", "承認"), Tone::Good),
        Ruling::Rejected => (say("Rejected", "不承認"), Tone::Bad),
        Ruling::AskedAgain => (say("Asked again", "再提出を依頼"), Tone::Warn),
    }
}

/// A verdict and its tone.
#[must_use]
pub(super) fn verdict(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Approved => (say("Approved", "承認"), Tone::Good),
        Verdict::Rejected => (say("Rejected", "不承認"), Tone::Bad),
        Verdict::NeedsReview => (say("Needs review", "要審査"), Tone::Warn),
    }
}

/// A kind of document.
#[must_use]
pub(super) fn document(kind: DocumentType) -> &'static str {
    crate::text::capture::document_type(kind).get(language())
}

/// The evidence that proves a document of this kind genuine, as one sentence.
#[must_use]
pub(super) fn evidence(kind: DocumentType) -> String {
    let provable = provable(kind);
    let mut ways: Vec<&str> = provable.by.iter().map(|by| machine_readable(*by)).collect();
    if provable.visually {
        ways.push(say(
            "every visual check of its layout, if the settings allow that",
            "レイアウトの外観検査すべての合格（設定で許可している場合）",
        ));
    }
    let (document, ways) = (document(kind), ways.join(say("; or ", "、または")));
    tell!("{document}: {ways}.", "{document}：{ways}。")
}

fn machine_readable(by: MachineReadable) -> &'static str {
    match by {
        MachineReadable::Zone => say(
            "a machine-readable zone with correct check digits, matched by the printed text",
            "チェックディジットが正しく、印字と一致する機械読取領域",
        ),
        MachineReadable::Barcode => say(
            "a PDF417 barcode that names its issuer, matched by the printed text",
            "発行者を示し、印字と一致するPDF417バーコード",
        ),
        MachineReadable::Seal => say(
            "a digital seal with its issuer’s signature, matched by the printed text",
            "発行者の署名があり、印字と一致する電子シール",
        ),
    }
}

/// What a picture shows.
pub(super) fn slot_name(slot: Slot) -> &'static str {
    match slot {
        Slot::Document(Side::Front) => say("Front", "表面"),
        Slot::Document(Side::Back) => say("Back", "裏面"),
        Slot::Selfie => say("Selfie", "自撮り写真"),
    }
}

/// What a tenant accepts without review.
#[must_use]
pub(super) fn accepted(accepted: Accepted) -> &'static str {
    match accepted {
        Accepted::MachineReadable => say(
            "Only documents with machine-readable data",
            "機械読取データのある書類のみ",
        ),
        Accepted::Visual => say(
            "Also documents without machine-readable data, by visual checks of their layout",
            "機械読取データのない書類も、レイアウトの外観検査により承認",
        ),
    }
}

/// A movement that the selfie camera asks for.
#[must_use]
pub(super) fn movement(challenge: Challenge) -> &'static str {
    match challenge {
        Challenge::TurnLeft => say("Turn the head left", "顔を左に向ける"),
        Challenge::TurnRight => say("Turn the head right", "顔を右に向ける"),
        Challenge::ComeCloser => say("Come closer", "顔を近づける"),
    }
}

/// A step.
#[must_use]
pub(super) fn step(step: Step) -> &'static str {
    match step {
        Step::Document => say("Document", "本人確認書類"),
        Step::Selfie => say("Selfie", "自撮り写真"),
    }
}

/// The sentence of a reason; the code itself if this version does not know it.
#[must_use]
pub(super) fn reason(code: &Named<Reason>) -> String {
    match code {
        Named::Known(reason) => reason.sentence(language()).to_owned(),
        Named::Other(code) => code.clone(),
    }
}

/// The sentence of a failure.
#[must_use]
pub(super) fn failure(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::ProcessingError => say(
            "Processing failed permanently.",
            "処理に失敗しました。再試行は行われません。",
        ),
        FailureReason::MediaCorrupted => say("A stored picture is damaged.", "保存された画像が破損しています。"),
        FailureReason::MediaLost => say("A stored picture is missing.", "保存された画像が見つかりません。"),
        FailureReason::AttemptsExhausted => say("All internal retries failed.", "内部の再試行がすべて失敗しました。"),
        FailureReason::ConsentDeclined => say("The user declined consent.", "利用者が同意しませんでした。"),
        FailureReason::DeviceNotSupported => say(
            "The user’s device is not supported.",
            "利用者の端末には対応していません。",
        ),
        FailureReason::SettingsInvalid => say("The settings are no longer valid.", "設定が有効ではなくなりました。"),
        FailureReason::OperatorCancelled => say(
            "Your organisation cancelled the session.",
            "組織側の操作でセッションがキャンセルされました。",
        ),
        FailureReason::ErasedBeforeDecision => say(
            "The personal data was erased before a decision.",
            "判定の前に個人情報が消去されました。",
        ),
    }
}

/// A gender.
#[must_use]
pub(super) fn gender(gender: Gender) -> &'static str {
    match gender {
        Gender::Male => say("male", "男性"),
        Gender::Female => say("female", "女性"),
    }
}

/// A step of the funnel, as what somebody did.
#[must_use]
pub(super) fn funnel_step(step: FunnelStep) -> &'static str {
    match step {
        FunnelStep::Created => say("Created", "作成"),
        FunnelStep::Opened => say("Opened the link", "リンクにアクセス"),
        FunnelStep::Agreed => say("Agreed", "同意"),
        FunnelStep::DocumentSent => say("Sent the document", "書類を送信"),
        FunnelStep::DetailsGiven => say("Gave the details", "情報を入力"),
        FunnelStep::SelfieTaken => say("Took the selfie", "自撮り写真を撮影"),
        FunnelStep::Submitted => say("Submitted", "提出"),
        FunnelStep::Decided => say("Checked automatically", "自動チェック完了"),
    }
}

/// An item read from a document.
#[must_use]
pub(super) fn field(name: FieldName) -> &'static str {
    match name {
        FieldName::LastName => say("Family name", "姓"),
        FieldName::FirstName => say("Given names", "名"),
        FieldName::FullName => say("Name", "氏名"),
        FieldName::LastNameKana => say("Family name (kana)", "姓（カナ）"),
        FieldName::FirstNameKana => say("Given names (kana)", "名（カナ）"),
        FieldName::BirthDate => say("Date of birth", "生年月日"),
        FieldName::Gender => say("Gender", "性別"),
        FieldName::Address => say("Address", "住所"),
        FieldName::Nationality => say("Nationality", "国籍"),
        FieldName::DocumentNumber => say("Document number", "書類番号"),
        FieldName::IssueDate => say("Issued", "発行日"),
        FieldName::ExpiryDate => say("Expires", "有効期限"),
        FieldName::IssuingAuthority => say("Issuing authority", "発行機関"),
        FieldName::IssuingCountry => say("Issuing country", "発行国"),
        FieldName::ResidenceStatus => say("Status of residence", "在留資格"),
        FieldName::Mrz => say("Machine-readable zone", "機械読取領域（MRZ）"),
    }
}

/// The name of a score.
#[must_use]
pub(super) fn score(name: &Named<ScoreName>) -> String {
    let known = match name {
        Named::Known(known) => known,
        Named::Other(rule) => return rule.replace('_', " "),
    };
    let label = match known {
        ScoreName::FaceMatch => say("Face match", "顔照合"),
        ScoreName::Liveness => say("Liveness", "生体検知"),
        ScoreName::PassiveLiveness => say("Liveness by the passive network", "パッシブ方式の生体検知"),
        ScoreName::Turn => say("Head turn", "顔の向きの変化"),
        ScoreName::ComeCloser => say("Came closer by", "接近の度合い"),
        ScoreName::Solidity => say("Depth of the turned face", "横を向いた顔の奥行き"),
        ScoreName::SamePerson => say("Distance between the faces of the burst", "連続写真の顔どうしの距離"),
        ScoreName::SamePersonWatched => say(
            "Greatest distance between the watched straight faces",
            "撮影中に確認した正面の顔どうしの最大距離",
        ),
        ScoreName::SamePersonTurned => say(
            "Distance between the straight and the turned face",
            "正面と横向きの顔の距離",
        ),
        ScoreName::WatchedPortrait => say(
            "Greatest distance of a watched face from the portrait",
            "撮影中に確認した顔と書類の顔写真の最大距離",
        ),
        ScoreName::ColoursFollowed => say("Face reflects the screen’s colours", "画面の色に応じた顔の色の変化"),
        ScoreName::RepeatedFrames => say("Selfie frames that were seen before", "重複する自撮り写真の枚数"),
        ScoreName::ZonesAgree => say("Printed and machine-readable data agree", "印字と機械読取データの一致"),
        ScoreName::MrzReading => say("MRZ reading confidence", "MRZの読み取り信頼度"),
        ScoreName::GreyShare => say("Share of grey", "グレーの割合"),
        ScoreName::Raster => say("Raster of a screen", "画面の網目"),
        ScoreName::Halftone => say("Halftone dots of a printer", "印刷の網点"),
        ScoreName::PortraitRepeated => say(
            "Distance between the document’s two portraits",
            "書類にある2つの顔写真の距離",
        ),
        ScoreName::Layout => say("Layout confidence", "レイアウトの信頼度"),
        ScoreName::LayoutHidden => say("Hidden part of the layout", "レイアウトの隠れた部分"),
        ScoreName::SelfieGrid => say(
            "Pixel grid of a screen around the face",
            "顔の周囲に見える画面の画素格子",
        ),
        ScoreName::EyesCovered => say("Eyes covered", "目の隠れ具合"),
        ScoreName::MouthCovered => say("Mouth covered", "口の隠れ具合"),
        ScoreName::PortraitDistance => say("Distance from the document’s portrait", "書類の顔写真との距離"),
        ScoreName::PortraitDetails => say(
            "Details shared with the document’s portrait",
            "書類の顔写真との細部の一致度",
        ),
        ScoreName::DuplicateFace => say("Match with a face approved before", "承認済みの顔との一致度"),
        ScoreName::SameHolder => say(
            "Match with the earlier holder of the document",
            "書類の以前の名義人との一致度",
        ),
    };
    label.to_owned()
}

/// What a key with a scope may be used for.
#[must_use]
pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Create => say("create sessions", "セッションの作成"),
        Scope::Read => say(
            "list and read sessions and events, including personal data",
            "セッションとイベントの一覧・閲覧（個人情報を含む）",
        ),
        Scope::Manage => say(
            "cancel, reprocess and erase sessions",
            "セッションのキャンセル、再提出の依頼、消去",
        ),
    }
}

/// A role; nobody's own in a tenant is that of an operator.
#[must_use]
pub(super) fn role(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Admin) => say("Admin", "管理者"),
        Some(Role::Developer) => say("Developer", "開発者"),
        Some(Role::Reviewer) => say("Reviewer", "審査担当者"),
        Some(Role::Auditor) => say("Auditor", "監査担当者"),
        None => say("Operator", "運用者"),
    }
}

/// What a role may do.
#[must_use]
pub(super) fn role_hint(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Admin) => say("everything", "すべての操作"),
        Some(Role::Developer) => say(
            "keys, webhooks and allow-lists; no personal data",
            "キー・Webhook・許可リストの管理。個人情報は閲覧不可",
        ),
        Some(Role::Reviewer) => say("cases and sessions", "案件とセッション"),
        Some(Role::Auditor) => say(
            "sessions and the audit log, read-only; no pictures",
            "セッションと監査ログの閲覧のみ。画像は閲覧不可",
        ),
        None => say(
            "runs the installation and invites first admins; no personal data",
            "システムの運用と最初の管理者の招待。個人情報は閲覧不可",
        ),
    }
}
