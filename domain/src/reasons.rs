//! Reason codes: one table of code, effect and sentence that serves the phone, the reviewer, the decision and the API page.

use crate::{language::Language, reason_texts::translated};

/// The effect of a reason on the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The phone first asks for another picture; if the problem stays, the session goes to review.
    AskAgain,
    /// The session goes to review.
    Review,
    /// Rejected.
    Reject,
    /// A statistical fraud signal: review, or rejection if the tenant has turned that on, because an automatic rejection can be
    /// wrong. Where the same code rests on something other than statistics, it rejects; where honest people give the same sign, it
    /// does not.
    FraudSignal,
}

impl Effect {
    /// Its name on the API page.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AskAgain => "asks again",
            Self::Review => "review",
            Self::Reject => "rejection",
            Self::FraudSignal => "fraud signal",
        }
    }
}

// The code is a `tt` for the reason that `vocabulary` gives.
macro_rules! reasons {
    ($($variant:ident = $code:tt, $effect:ident, $en:literal, $ja:literal;)+) => {
        crate::named::vocabulary! {
            /// Why a session was rejected or goes to review. The set grows; receivers ignore what they do not know.
            Reason { $(#[doc = $en] $variant = $code),+ }
        }

        impl Reason {
            /// Its effect on the verdict.
            #[must_use]
            pub const fn effect(self) -> Effect { match self { $(Self::$variant => Effect::$effect),+ } }

            /// The sentence for people. What only reviewers see is in English and Japanese; other languages get it in English.
            #[must_use]
            pub fn sentence(self, language: Language) -> &'static str {
                if let Some(translated) = translated(self.as_str(), language) {
                    return translated;
                }
                match (self, language) { $((Self::$variant, Language::Ja) => $ja, (Self::$variant, _) => $en),+ }
            }
        }
    };
}

reasons! {
    DocumentNotFound = "document_not_found", AskAgain,
        "We cannot find the edges of the document. Show all of it, and keep your fingers off it.",
        "書類の四隅を確認できません。指をかけずに、全体を写してください。";
    DocumentBlurry = "document_blurry", AskAgain,
        "The photo of the document is not sharp enough to read. Hold still until the picture is sharp.",
        "書類の写真がぼやけていて読み取れません。ピントが合うまで動かさずに撮り直してください。";
    DocumentGlare = "document_glare", AskAgain,
        "Light is reflected on the document. Tilt it slightly and try again.",
        "書類に光が反射しています。少し傾けて撮り直してください。";
    DocumentTooDark = "document_too_dark", AskAgain,
        "The photo is too dark. Move to a brighter place.",
        "写真が暗すぎます。明るい場所で撮影してください。";
    DocumentCutOff = "document_cut_off", AskAgain,
        "Part of the document is outside the photo. Fit the whole document in the frame.",
        "書類の一部が切れています。全体が枠に入るように撮影してください。";
    DocumentObstructed = "document_obstructed", AskAgain,
        "Something covers part of the document. Take your fingers and anything else off it.",
        "書類の一部が隠れています。指など、書類を隠しているものをどけて撮り直してください。";
    DocumentWrongSide = "document_wrong_side", AskAgain,
        "This is the other side of the document. Turn it over and take the photo again.",
        "書類の反対の面が写っています。裏返して撮り直してください。";
    DocumentSideMissing = "document_side_missing", AskAgain,
        "One side of the document is missing.",
        "書類の片面の写真がありません。";
    DocumentNotInColor = "document_not_in_color", Review,
        "The document is not in colour.",
        "書類がカラーではありません。";
    DocumentTypeMismatch = "document_type_mismatch", AskAgain,
        "The document is not the type that was selected.",
        "選択した種類の書類ではありません。";
    DocumentUnreadable = "document_unreadable", Review,
        "The document could not be read.",
        "書類を読み取れませんでした。";
    DocumentMrzChecksumFailed = "document_mrz_checksum_failed", Review,
        "The check digits of the machine-readable zone are incorrect.",
        "機械読取領域のチェックディジットが一致しません。";
    DocumentDataInconsistent = "document_data_inconsistent", Review,
        "The parts of the document contradict each other.",
        "書類の記載内容に矛盾があります。";
    DocumentPortraitMissing = "document_portrait_missing", Review,
        "No portrait was found on the document.",
        "書類に顔写真が見つかりません。";
    DocumentAuthenticityUnknown = "document_authenticity_unknown", Review,
        "There was not enough evidence that the document is genuine.",
        "書類が真正であることを十分に確認できませんでした。";
    DocumentReused = "document_reused", Review,
        "The same document was approved for another person before.",
        "同じ書類が、以前に別の人物の本人確認で承認されています。";
    DocumentExpired = "document_expired", Reject,
        "The document has expired.",
        "書類の有効期限が切れています。";
    DocumentTypeNotSupported = "document_type_not_supported", Reject,
        "This kind of document is not accepted.",
        "この種類の書類は受け付けていません。";
    DocumentSidesMismatch = "document_sides_mismatch", Reject,
        "The two sides belong to different documents.",
        "表面と裏面が別々の書類のものです。";
    DocumentScreenCapture = "document_screen_capture", FraudSignal,
        "The document appears to be shown on a screen.",
        "画面に表示された書類を撮影したもののようです。";
    DocumentPrintedCopy = "document_printed_copy", FraudSignal,
        "The document appears to be a printed copy.",
        "書類を印刷したコピーのようです。";
    DocumentTampered = "document_tampered", FraudSignal,
        "The document appears to have been altered.",
        "書類が改変されているようです。";
    DocumentSpecimen = "document_specimen", Reject,
        "The document is a specimen.",
        "見本の書類です。";
    SelfieNoFace = "selfie_no_face", AskAgain,
        "There is no face in the photo. Look straight at the camera, with your whole face in the picture.",
        "顔が写っていません。顔全体が写るように、正面から撮り直してください。";
    SelfieMultipleFaces = "selfie_multiple_faces", AskAgain,
        "There is more than one face in the photo. Make sure nobody else is in the picture.",
        "複数の顔が写っています。ほかの人が写らないように撮り直してください。";
    SelfieFaceCovered = "selfie_face_covered", AskAgain,
        "The face is partly covered. Take off masks, hats and sunglasses.",
        "顔の一部が隠れています。マスク、帽子、サングラスなどを外して撮り直してください。";
    SelfieLowQuality = "selfie_low_quality", AskAgain,
        "The selfie is not clear enough. Face the camera in bright light and hold still.",
        "お顔の写真が鮮明ではありません。明るい場所で正面を向き、動かずに撮り直してください。";
    SelfieChallengeNotFollowed = "selfie_challenge_not_followed", Review,
        "The requested head movement was not detected.",
        "指示された顔の動きを確認できませんでした。";
    SelfieLivenessUncertain = "selfie_liveness_uncertain", Review,
        "It could not be confirmed that a live person was in front of the camera.",
        "カメラの前に実在の人物がいることを確認できませんでした。";
    SelfieFaceMatchUncertain = "selfie_face_match_uncertain", Review,
        "The selfie and the portrait could not be matched with certainty.",
        "自撮り写真と書類の顔写真が同一人物かどうか、確実には判定できませんでした。";
    SelfieLivenessFailed = "selfie_liveness_failed", FraudSignal,
        "The selfie does not appear to show a live person.",
        "自撮り写真に写っているのは、実在の人物ではないようです。";
    SelfieScreenReplay = "selfie_screen_replay", FraudSignal,
        "The selfie appears to show a screen.",
        "自撮り写真が、画面を撮影したもののようです。";
    SelfieInjectionSuspected = "selfie_injection_suspected", FraudSignal,
        "The selfie may not have been taken now: its frames do not belong together, or were sent before.",
        "自撮り写真が、その場で撮影されたものではない可能性があります（不自然な切り替わり、または以前に送信された写真）。";
    SelfieIsDocumentPhoto = "selfie_is_document_photo", FraudSignal,
        "The selfie appears to be the portrait on the document.",
        "自撮り写真が、書類の顔写真を撮影したもののようです。";
    SelfieFaceMismatch = "selfie_face_mismatch", Reject,
        "The selfie and the portrait show different people.",
        "自撮り写真と書類の顔写真が別人です。";
    InputNameMismatch = "input_name_mismatch", Review,
        "The name does not match the document.",
        "氏名が書類と一致しません。";
    InputBirthDateMismatch = "input_birth_date_mismatch", Review,
        "The date of birth does not match the document.",
        "生年月日が書類と一致しません。";
    InputAddressMismatch = "input_address_mismatch", Review,
        "The address does not match the document.",
        "住所が書類と一致しません。";
    InputGenderMismatch = "input_gender_mismatch", Review,
        "The gender does not match the document.",
        "性別が書類と一致しません。";
    InputNotComparable = "input_not_comparable", Review,
        "Not all entered details could be compared with the document.",
        "入力内容に、書類と照合できない項目があります。";
    DuplicatePerson = "duplicate_person", Review,
        "The same face was approved in another session before.",
        "同じ顔が、以前に別のセッションで承認されています。";
    CheckUnavailable = "check_unavailable", Review,
        "A check could not be performed.",
        "実施できなかった検査があります。";
    QualitySampling = "quality_sampling", Review,
        "The session was selected for quality control.",
        "品質管理のために抽出されました。";
    ManualRejection = "manual_rejection", Reject,
        "A reviewer rejected the session.",
        "審査担当者が不承認としました。";
}

impl Reason {
    /// Whether it says something against the session. Nothing is wrong with one that was selected for quality control, so nobody is rejected for that.
    #[must_use]
    pub const fn counts_against(self) -> bool {
        !matches!(self, Self::QualitySampling)
    }
}
