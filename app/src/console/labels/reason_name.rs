//! The names of reasons, for filters and checkboxes.

use crate::console::words::language;
use domain::{language::Language, reasons::Reason};

/// The name of a reason in a word or two: in English, its code as people write it.
#[must_use]
pub(in crate::console) fn reason_name(reason: Reason) -> String {
    if language() == Language::Ja {
        return japanese(reason).to_owned();
    }
    if reason == Reason::ManualRejection {
        return "Another reason, in the note".to_owned();
    }
    let words = reason.as_str().replace('_', " ");
    let words = words.replace("mrz", "MRZ").replace("ocr", "OCR");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// In Japanese, the codes say nothing.
const fn japanese(reason: Reason) -> &'static str {
    match reason {
        Reason::DocumentNotFound => "書類が写っていない",
        Reason::DocumentBlurry => "書類のぼやけ",
        Reason::DocumentGlare => "書類の反射",
        Reason::DocumentTooDark => "書類が暗い",
        Reason::DocumentCutOff => "書類の見切れ",
        Reason::DocumentObstructed => "書類の一部が隠れている",
        Reason::DocumentWrongSide => "書類の面の誤り",
        Reason::DocumentSideMissing => "書類の片面の不足",
        Reason::DocumentNotInColor => "書類がカラーではない",
        Reason::DocumentTypeMismatch => "書類の種類の相違",
        Reason::DocumentUnreadable => "書類の読み取り不可",
        Reason::DocumentMrzChecksumFailed => "MRZのチェックディジット不一致",
        Reason::DocumentDataInconsistent => "書類の記載の矛盾",
        Reason::DocumentPortraitMissing => "書類の顔写真なし",
        Reason::DocumentAuthenticityUnknown => "書類の真正性が不明",
        Reason::DocumentReused => "書類の再利用",
        Reason::DocumentExpired => "書類の有効期限切れ",
        Reason::DocumentTypeNotSupported => "対象外の書類",
        Reason::DocumentSidesMismatch => "表面と裏面の不一致",
        Reason::DocumentScreenCapture => "書類の画面撮影",
        Reason::DocumentPrintedCopy => "書類の印刷コピー",
        Reason::DocumentTampered => "書類の改変",
        Reason::DocumentSpecimen => "見本の書類",
        Reason::SelfieNoFace => "自撮りに顔がない",
        Reason::SelfieMultipleFaces => "自撮りに複数の顔",
        Reason::SelfieFaceCovered => "自撮りの顔が隠れている",
        Reason::SelfieLowQuality => "自撮りの画質が低い",
        Reason::SelfieChallengeNotFollowed => "顔の動きが未確認",
        Reason::SelfieLivenessUncertain => "生体検知が不確実",
        Reason::SelfieFaceMatchUncertain => "顔照合が不確実",
        Reason::SelfieLivenessFailed => "生体検知が不合格",
        Reason::SelfieScreenReplay => "自撮りの画面撮影",
        Reason::SelfieInjectionSuspected => "自撮りの差し替えの疑い",
        Reason::SelfieIsDocumentPhoto => "自撮りに書類の顔写真を使用",
        Reason::SelfieFaceMismatch => "顔の不一致",
        Reason::InputNameMismatch => "氏名の不一致",
        Reason::InputBirthDateMismatch => "生年月日の不一致",
        Reason::InputAddressMismatch => "住所の不一致",
        Reason::InputGenderMismatch => "性別の不一致",
        Reason::InputNotComparable => "入力内容を照合できない",
        Reason::DuplicatePerson => "同一人物の重複",
        Reason::CheckUnavailable => "検査の実施不可",
        Reason::QualitySampling => "品質管理の抽出",
        Reason::ManualRejection => "その他の理由（メモに記入）",
    }
}
