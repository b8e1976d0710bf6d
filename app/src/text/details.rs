//! The details form.

use super::{Text, texts};
use domain::user_input::{InputFault, InputField};

texts! {
    /// Title.
    TITLE: "Your details", "お客様の情報";
    /// Beside the label of a field that is filled in.
    READ: "Read from your document", "書類から読み取り済み";
    /// What a cut-out of the photo shows: the value of the field below it.
    PRINTED: "As printed on your document", "書類に書かれている表記";
    /// Lead if something was read.
    LEAD_READ: "Check what we read from your document, and fill in the rest.", "書類から読み取った内容をご確認のうえ、残りを入力してください。";
    /// Lead if the date of birth and the address were read, but not the name.
    LEAD_NAMES: "Enter your name. We have read your date of birth and your address from your document.", "お名前を入力してください。生年月日と住所は書類から読み取りました。";
    /// Lead if nothing was read.
    LEAD_EMPTY: "Enter your details exactly as they appear on your document.", "書類に書かれているとおりに入力してください。";
    /// While the document is being read.
    BEING_READ: "We are still reading your document. You can wait, or fill in the form yourself.", "書類を読み取っています。このままお待ちいただくか、ご自身で入力してください。";
    /// The same, without scripts: loads the page again.
    READ_NOW: "Show what has been read so far", "読み取った内容を表示する";
    /// Label.
    LAST_NAME: "Family name", "姓";
    /// Label.
    FIRST_NAME: "Given names", "名";
    /// Label.
    LAST_NAME_KANA: "Family name in kana", "姓（カナ）";
    /// Label.
    FIRST_NAME_KANA: "Given names in kana", "名（カナ）";
    /// A tick.
    ONE_NAME: "I have only one name", "姓・名の区別がなく、名前は1つだけです";
    /// Its hint.
    ONE_NAME_HINT: "Enter it under “Family name” and leave “Given names” empty.", "お名前を「姓」の欄に入力し、「名」の欄は空欄にしてください。";
    /// Hint.
    KANA_HINT: "For example: ヤマダ. Hiragana is fine, too.", "例：ヤマダ。ひらがなでも入力できます。";
    /// Label.
    BIRTH_DATE: "Date of birth", "生年月日";
    /// Hint.
    BIRTH_HINT: "For example, 27 3 1990", "西暦または和暦で入力してください。例：1990、平成2";
    /// Label of a part.
    DAY: "Day", "日";
    /// Label of a part.
    MONTH: "Month", "月";
    /// Label of a part.
    YEAR: "Year", "年";
    /// Label.
    ADDRESS: "Address", "住所";
    /// Hint.
    ADDRESS_HINT: "Where you live now, with the postcode", "現在お住まいの住所を、郵便番号とともに入力してください";
    /// Hint, with a postcode above.
    ADDRESS_HINT_JAPAN: "Where you live now, with the house number and the name of the building", "現在お住まいの住所を、番地・建物名まで入力してください";
    /// Label.
    POSTCODE: "Postcode (optional)", "郵便番号（任意）";
    /// Hint.
    POSTCODE_HINT: "7 digits, such as 150-0001. It fills in the first part of your address.", "例：150-0001（7桁）。住所の町名までが自動で入力されます。";
    /// Button.
    FIND_ADDRESS: "Fill in address", "郵便番号から住所を検索";
    /// Fault.
    NOT_A_POSTCODE: "A postcode has 7 digits", "郵便番号は7桁の数字で入力してください";
    /// Fault.
    POSTCODE_UNKNOWN: "We could not find this postcode. Enter your address yourself", "この郵便番号は見つかりません。住所を直接入力してください";
    /// Fault: another one stands before the address.
    POSTCODE_TWICE: "This is not the postcode in your address. Correct one of them", "住所欄の郵便番号と異なります。どちらかを修正してください";
    /// When an address was typed already; it is not replaced.
    POSTCODE_DIFFERS: "This postcode is for {address}. We have kept the address you entered. To replace it with this one, clear the address first", "この郵便番号の住所は「{address}」です。入力済みの住所はそのままにしました。自動で入力する場合は、先に住所を消してください";
    /// Fault: only what the postcode says.
    ADDRESS_UNFINISHED: "Enter the rest of your address: the house number and, if there is one, the name of the building", "住所の続き（番地・建物名）を入力してください";
    /// Fault.
    LAST_NAME_MISSING: "Enter your family name", "姓を入力してください";
    /// Fault.
    FIRST_NAME_MISSING: "Enter your given names", "名を入力してください";
    /// Fault.
    LAST_NAME_KANA_MISSING: "Enter your family name in kana", "姓（カナ）を入力してください";
    /// Fault.
    FIRST_NAME_KANA_MISSING: "Enter your given names in kana", "名（カナ）を入力してください";
    /// Fault.
    BIRTH_DATE_MISSING: "Enter your date of birth", "生年月日を入力してください";
    /// Fault.
    ADDRESS_MISSING: "Enter your address", "住所を入力してください";
    /// Fault.
    TOO_LONG: "{field} must be {limit} characters or fewer", "{field}は{limit}文字以内で入力してください";
    /// Fault.
    CONTROL_CHARACTER: "{field} contains a character that is not allowed, such as a line break or an invisible character", "{field}に使えない文字（改行や目に見えない文字など）が含まれています";
    /// Fault.
    NOT_KANA: "{field} must be in katakana or hiragana", "{field}はカタカナまたはひらがなで入力してください";
    /// Fault.
    NOT_A_DATE: "Date of birth must be a real date", "生年月日には実在する日付を入力してください";
    /// Fault.
    IN_FUTURE: "Date of birth must be in the past", "生年月日には過去の日付を入力してください";
    /// Fault.
    TOO_LONG_AGO: "Date of birth must be within the last 130 years. Enter all four digits of the year", "生年月日には過去130年以内の日付を入力してください。年は西暦4桁、または「昭和61」のように入力してください";
    /// The form was sent without a connection.
    OFFLINE: "You are offline. Your entries are kept on this page. Try again when you are back online.", "インターネットに接続されていません。入力内容はこの画面に残っています。接続が戻ってからもう一度お試しください。";
    /// Sent, but not saved; the form comes back as it was.
    NOT_SAVED: "We are very busy right now, so your details were not saved. They are still on this page. Wait a moment, then press the button again.", "ただいま混み合っているため、保存できませんでした。入力内容はこの画面に残っています。しばらくしてから、もう一度ボタンを押してください。";
}

/// The label of a field.
#[must_use]
pub const fn label(field: InputField) -> Text {
    match field {
        InputField::LastName => LAST_NAME,
        InputField::FirstName => FIRST_NAME,
        InputField::LastNameKana => LAST_NAME_KANA,
        InputField::FirstNameKana => FIRST_NAME_KANA,
        InputField::BirthDate => BIRTH_DATE,
        InputField::Postcode => POSTCODE,
        InputField::Address => ADDRESS,
    }
}

const fn missing(field: InputField) -> Text {
    match field {
        InputField::LastName => LAST_NAME_MISSING,
        InputField::FirstName => FIRST_NAME_MISSING,
        InputField::LastNameKana => LAST_NAME_KANA_MISSING,
        InputField::FirstNameKana => FIRST_NAME_KANA_MISSING,
        InputField::BirthDate => BIRTH_DATE_MISSING,
        // It may be left out.
        InputField::Postcode => NOT_A_POSTCODE,
        InputField::Address => ADDRESS_MISSING,
    }
}

/// The sentence for a fault of a field.
#[must_use]
pub fn fault(lang: domain::language::Language, field: InputField, fault: InputFault) -> String {
    let limit = match field {
        InputField::Address => domain::user_input::ADDRESS_LIMIT,
        _ => domain::user_input::NAME_LIMIT,
    }
    .to_string();
    let values = [("field", label(field).get(lang)), ("limit", limit.as_str())];
    match fault {
        InputFault::Missing => missing(field),
        InputFault::TooLong => TOO_LONG,
        InputFault::ControlCharacter => CONTROL_CHARACTER,
        InputFault::NotKana => NOT_KANA,
        InputFault::NotADate => NOT_A_DATE,
        InputFault::InFuture => IN_FUTURE,
        InputFault::TooLongAgo => TOO_LONG_AGO,
        InputFault::NotAPostcode => NOT_A_POSTCODE,
        InputFault::PostcodeDiffers => POSTCODE_TWICE,
        InputFault::UnknownPostcode => POSTCODE_UNKNOWN,
        InputFault::Unfinished => ADDRESS_UNFINISHED,
    }
    .fill(lang, &values)
}
