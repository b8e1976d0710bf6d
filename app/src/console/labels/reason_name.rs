//! The names of reasons, for filters and checkboxes.

use crate::console::words::say;
use domain::reasons::Reason;

/// The name of a reason in a few words. Its sentence says more, and its code stands beside it where it matters.
#[must_use]
pub(in crate::console) fn reason_name(reason: Reason) -> String {
    let name = match reason {
        Reason::DocumentNotFound => say("No document in the photo", "書類が写っていない"),
        Reason::DocumentBlurry => say("Document blurred", "書類のぼやけ"),
        Reason::DocumentGlare => say("Reflection on the document", "書類の反射"),
        Reason::DocumentTooDark => say("Document too dark", "書類が暗い"),
        Reason::DocumentCutOff => say("Document cut off", "書類の見切れ"),
        Reason::DocumentObstructed => say("Document partly covered", "書類の一部が隠れている"),
        Reason::DocumentWrongSide => say("Wrong side of the document", "書類の面の誤り"),
        Reason::DocumentSideMissing => say("A side of the document is missing", "書類の片面の不足"),
        Reason::DocumentNotInColor => say("Document not in colour", "書類がカラーではない"),
        Reason::DocumentTypeMismatch => say("Not the document chosen", "書類の種類の相違"),
        Reason::DocumentUnreadable => say("Document not readable", "書類の読み取り不可"),
        Reason::DocumentMrzChecksumFailed => say("MRZ check digits wrong", "MRZのチェックディジット不一致"),
        Reason::DocumentDataInconsistent => say("Document contradicts itself", "書類の記載の矛盾"),
        Reason::DocumentPortraitMissing => say("No portrait on the document", "書類の顔写真なし"),
        Reason::DocumentAuthenticityUnknown => say("Document not shown to be genuine", "書類の真正性が不明"),
        Reason::DocumentReused => say("Document used before", "書類の再利用"),
        Reason::DocumentExpired => say("Document expired", "書類の有効期限切れ"),
        Reason::DocumentTypeNotSupported => say("Document not supported", "対象外の書類"),
        Reason::DocumentSidesMismatch => say("Sides of different documents", "表面と裏面の不一致"),
        Reason::DocumentScreenCapture => say("Document photographed from a screen", "書類の画面撮影"),
        Reason::DocumentPrintedCopy => say("Printed copy of a document", "書類の印刷コピー"),
        Reason::DocumentTampered => say("Document altered", "書類の改変"),
        Reason::DocumentSpecimen => say("Specimen document", "見本の書類"),
        Reason::SelfieNoFace => say("No face in the selfie", "自撮りに顔がない"),
        Reason::SelfieMultipleFaces => say("Several faces in the selfie", "自撮りに複数の顔"),
        Reason::SelfieFaceCovered => say("Face covered in the selfie", "自撮りの顔が隠れている"),
        Reason::SelfieLowQuality => say("Selfie of poor quality", "自撮りの画質が低い"),
        Reason::SelfieChallengeNotFollowed => say("Requested movements not made", "顔の動きが未確認"),
        Reason::SelfieLivenessUncertain => say("Live person not confirmed", "生体検知が不確実"),
        Reason::SelfieFaceMatchUncertain => say("Same face not confirmed", "顔照合が不確実"),
        Reason::SelfieLivenessFailed => say("Not a live person", "生体検知が不合格"),
        Reason::SelfieScreenReplay => say("Selfie photographed from a screen", "自撮りの画面撮影"),
        Reason::SelfieInjectionSuspected => say("Selfie may not come from the camera", "自撮りの差し替えの疑い"),
        Reason::SelfieIsDocumentPhoto => say("Selfie is the document’s portrait", "自撮りに書類の顔写真を使用"),
        Reason::SelfieFaceMismatch => say("Face does not match", "顔の不一致"),
        Reason::InputNameMismatch => say("Name does not match", "氏名の不一致"),
        Reason::InputBirthDateMismatch => say("Date of birth does not match", "生年月日の不一致"),
        Reason::InputAddressMismatch => say("Address does not match", "住所の不一致"),
        Reason::InputGenderMismatch => say("Gender does not match", "性別の不一致"),
        Reason::InputNotComparable => say("Details could not be compared", "入力内容を照合できない"),
        Reason::DuplicatePerson => say("Person already verified", "同一人物の重複"),
        Reason::CheckUnavailable => say("Check unavailable", "検査の実施不可"),
        Reason::QualitySampling => say("Quality control sample", "品質管理の抽出"),
        Reason::ManualRejection => say("Another reason, in the note", "その他の理由（メモに記入）"),
    };
    name.to_owned()
}
