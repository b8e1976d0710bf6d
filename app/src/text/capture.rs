//! Choosing the document, photographing it, checking the photo, the selfie.

use super::{Text, texts};
use domain::document::{DocumentType, Side};
use domain::findings::Challenge;

texts! {
    /// Choice title.
    CHOOSE_TITLE: "Which document do you have with you?", "どの本人確認書類を使いますか？";
    /// Choice hint.
    CHOOSE_HINT: "Use the original. It must not have expired.", "有効期限内の原本をご用意ください。";
    /// The less usual kinds.
    CHOOSE_OTHERS: "Another document", "その他の書類";
    /// When there are photos already.
    CHOOSE_KEEPS: "You have already photographed this document. “Continue” keeps the photos that are good enough. Choosing another document deletes them.", "この書類は撮影済みです。「次へ」を押すと、問題のない写真はそのまま使われます。別の書類を選ぶと、写真は削除されます。";
    /// Nothing chosen.
    CHOOSE_MISSING: "Choose a document", "書類を選んでください";
    /// Discards the photos taken before.
    CHOOSE_AGAIN: "Take new photos", "写真を撮り直す";
    /// Kind.
    DRIVING_LICENSE: "Driving licence", "運転免許証";
    /// Kind.
    MY_NUMBER_CARD: "My Number card", "マイナンバーカード";
    /// Kind.
    RESIDENCE_CARD: "Residence card", "在留カード";
    /// Kind.
    SPECIAL_PERMANENT_RESIDENT: "Special permanent resident certificate", "特別永住者証明書";
    /// Kind.
    DRIVING_HISTORY: "Driving history certificate", "運転経歴証明書";
    /// Kind.
    PASSPORT: "Passport", "パスポート";
    /// Kind.
    ID_CARD: "National identity card", "身分証明書（IDカード）";
    /// Sides.
    FRONT_AND_BACK: "Front and back", "表面と裏面";
    /// Sides.
    PHOTO_PAGE: "The page with the photo", "顔写真のあるページ";
    /// Sides; the law forbids a copy of the back.
    FRONT_ONLY: "Front side only. Do not photograph the back.", "表面のみ。裏面は撮影しないでください。";
    /// Document title.
    DOCUMENT_FRONT: "Photograph the front", "表面を撮影してください";
    /// Document title.
    DOCUMENT_PAGE: "Photograph the page with your photo", "顔写真のページを撮影してください";
    /// Document title.
    DOCUMENT_BACK: "Turn the card over", "裏面を撮影してください";
    /// How.
    DOCUMENT_TIP_FLAT: "Lay it flat on a dark, plain surface.", "無地で濃い色の平らな場所に置いてください。";
    /// How.
    DOCUMENT_TIP_WHOLE: "All four corners must be in the photo.", "四隅がすべて写るようにしてください。";
    /// How.
    DOCUMENT_TIP_LIGHT: "Avoid reflections and shadows, and keep your fingers off the document.", "光の反射、影、指がかからないようにしてください。";
    /// My Number card.
    DOCUMENT_NO_BACK: "Do not photograph the back of this card.", "このカードの裏面は撮影しないでください。";
    /// File field.
    DOCUMENT_FILE: "Photo of the document", "書類の写真";
    /// File field's hint.
    DOCUMENT_FILE_HINT: "JPEG, PNG or WebP, up to 10 MB", "JPEG・PNG・WebP、10MBまで";
    /// When a phone without enough memory has ended the page while its own camera app was open.
    PHOTO_LOST: "Your phone closed this page while its camera app was open, and the photo was lost. Take the photo with the camera app first, then come back and choose it here.", "カメラアプリの使用中にこのページが閉じられ、写真が失われました。先にカメラアプリで撮影してから、このページでその写真を選んでください。";
    /// Heads the file fields where there is no camera to choose instead.
    FILE_ONLY: "Upload a photo", "写真を送る";
    /// Send it.
    DOCUMENT_SEND: "Send the photo", "写真を送信";
    /// Choose another document.
    DOCUMENT_OTHER: "Use another document", "別の書類を使う";
    /// Tries.
    TRIES_LEFT: "{n} attempts left", "あと{n}回撮影できます";
    /// Tries.
    TRY_LAST: "This is your last attempt", "これが最後の撮影です";
    /// Check title.
    CHECK_TITLE: "Can you read every character?", "すべての文字がはっきり読めますか？";
    /// Check title if something was found. The cause stands below it: no document at all, too dark, a reflection.
    CHECK_TITLE_PROBLEM: "This photo may not be good enough", "この写真では確認できない可能性があります";
    /// Check title if the photo shows something other than requested.
    CHECK_TITLE_OTHER: "This does not look like the photo we need", "別の書類が写っているようです";
    /// Check title if the photo shows the other side.
    CHECK_TITLE_SIDE: "This looks like the other side", "反対の面が写っているようです";
    /// Check title if something was found and no attempts are left.
    CHECK_TITLE_BY_HAND: "A person will check this photo", "この写真は担当者が確認します";
    /// The same: what that means.
    CHECK_BY_HAND: "You have used all attempts. A person at {tenant} will look at this photo, which takes longer.", "撮影回数の上限に達しました。この写真は {tenant} の担当者が確認するため、時間がかかります。";
    /// Before what was found after the user had decided to use the photo.
    CHECK_FOUND_MORE: "We checked the photo again and found more problems:", "写真をもう一度確認したところ、ほかにも問題が見つかりました。";
    /// Another kind; both placeholders are names of kinds.
    CHECK_LOOKS_LIKE: "This looks like another document: {shown}. You chose: {chosen}.", "{shown}が写っているようです。{chosen}を撮影してください。";
    /// Another kind, which is not in the list.
    CHECK_NOT_CHOSEN: "This does not look like the document you chose: {chosen}.", "選択した書類（{chosen}）ではないようです。";
    /// Instead of the photo, where it showed an individual number or the back of a My Number card.
    CHECK_DELETED: "This photo has been deleted. The law does not allow copies of the side that shows My Number.", "この写真は削除しました。マイナンバーが記載された面の複写は、法律で認められていません。";
    /// The back instead of the front.
    CHECK_IS_BACK: "This is not the front. Photograph the side with your photo on it.", "表面ではありません。顔写真のある面を撮影してください。";
    /// The front instead of the back, or the front twice.
    CHECK_IS_FRONT: "This is the front again. Turn the card over and photograph its back.", "もう一度表面が撮影されています。カードを裏返して裏面を撮影してください。";
    /// A back that shows an individual number.
    CHECK_HAS_MY_NUMBER: "This side shows My Number, so a photo of it cannot be used. If it is the back of the card you chose, use another document.", "この面にはマイナンバーが記載されているため、写真を使用できません。選択したカードの裏面である場合は、別の書類を使ってください。";
    /// When a photo with problems is used anyway.
    CHECK_SLOWER: "If you use this photo anyway, a person will review it, which takes longer.", "このまま使う場合は担当者が確認するため、時間がかかります。";
    /// Looks closer.
    CHECK_ZOOM: "Look closer", "拡大する";
    /// While it is being read.
    CHECK_READING: "Reading your document", "書類を読み取っています";
    /// Further causes.
    CHECK_MORE: "Other problems", "ほかの問題";
    /// Read on the card.
    READ_NAME: "Name", "氏名";
    /// Read on the card.
    READ_NUMBER: "Document number", "書類番号";
    /// Read on the card.
    READ_BIRTH: "Date of birth", "生年月日";
    /// Read on the card.
    READ_EXPIRY: "Valid until", "有効期限";
    /// Alternative text.
    CHECK_ALT: "The photo you just took", "撮影した写真";
    /// Primary.
    CHECK_USE: "Yes, use this photo", "はい、この写真を使う";
    /// Secondary if something was found.
    CHECK_USE_ANYWAY: "Use it anyway", "このまま使う";
    /// Takes another photo.
    CHECK_AGAIN: "Take it again", "撮り直す";
    /// Selfie title.
    SELFIE_TITLE: "Now take a selfie", "お顔の撮影";
    /// How.
    SELFIE_TIP_LIGHT: "Face the light.", "明るい方を向いてください。";
    /// How.
    SELFIE_TIP_FREE: "Remove masks, hats and sunglasses.", "マスク、帽子、サングラスを外してください。";
    /// How.
    SELFIE_TIP_ALONE: "Make sure nobody else is in the photo.", "ほかの人が写らないようにしてください。";
    /// What will happen.
    SELFIE_MOVEMENTS: "The camera will ask you to look straight ahead and then to make two or three small movements, such as turning your head.", "正面を向いたあと、顔を横に向けるなどの簡単な動作を2つか3つお願いします。";
    /// Without the island: first file.
    SELFIE_FILE_STRAIGHT: "Photo 1: looking straight at the camera", "写真1：正面を向いた顔";
    /// Without the island: second file.
    SELFIE_FILE_LEFT: "Photo 2: your head turned to your left", "写真2：左を向いた顔";
    /// Without the island: second file.
    SELFIE_FILE_RIGHT: "Photo 2: your head turned to your right", "写真2：右を向いた顔";
    /// Without the island: second file.
    SELFIE_FILE_CLOSE: "Photo 2: your face closer to the camera", "写真2：カメラに近づいた顔";
    /// Without the island: the consequence.
    SELFIE_FILE_REVIEW: "A person will review photos that you upload, which takes longer.", "お送りいただいた写真は担当者が確認するため、時間がかかります。";
    /// Send.
    SELFIE_SEND: "Send the photos", "写真を送信";
    /// The alternative.
    SELFIE_CANNOT: "I cannot do this", "この動作ができません";
    /// The alternative, explained.
    SELFIE_CANNOT_HINT: "You can send a single photo of your face instead. A person will review it, which takes longer.", "お顔の写真を1枚だけ送ることもできます。担当者が確認するため、時間がかかります。";
    /// The alternative's file.
    SELFIE_CANNOT_FILE: "A single photo of your face", "お顔の写真1枚";
    /// The alternative's button.
    SELFIE_CANNOT_SEND: "Send without the movement", "動作なしで送信";
}

/// The name of a kind of document.
#[must_use]
pub const fn document_type(kind: DocumentType) -> Text {
    match kind {
        DocumentType::DrivingLicense => DRIVING_LICENSE,
        DocumentType::MyNumberCard => MY_NUMBER_CARD,
        DocumentType::ResidenceCard => RESIDENCE_CARD,
        DocumentType::SpecialPermanentResidentCertificate => SPECIAL_PERMANENT_RESIDENT,
        DocumentType::DrivingHistoryCertificate => DRIVING_HISTORY,
        DocumentType::Passport => PASSPORT,
        DocumentType::IdCard => ID_CARD,
    }
}

/// Which sides of a kind are photographed.
#[must_use]
pub const fn sides(kind: DocumentType) -> Text {
    match kind {
        DocumentType::Passport => PHOTO_PAGE,
        DocumentType::MyNumberCard => FRONT_ONLY,
        _ => FRONT_AND_BACK,
    }
}

/// What to do, for one side of a kind.
#[must_use]
pub const fn side_title(kind: DocumentType, side: Side) -> Text {
    match (kind, side) {
        (DocumentType::Passport, _) => DOCUMENT_PAGE,
        (_, Side::Front) => DOCUMENT_FRONT,
        (_, Side::Back) => DOCUMENT_BACK,
    }
}

/// The second file of the plain form, for the movement asked for.
#[must_use]
pub const fn second_file(challenge: Challenge) -> Text {
    match challenge {
        Challenge::TurnLeft => SELFIE_FILE_LEFT,
        Challenge::TurnRight => SELFIE_FILE_RIGHT,
        Challenge::ComeCloser => SELFIE_FILE_CLOSE,
    }
}
