//! What is wrong with a person's data or a new password.

use super::{proof::no_passwords, words::with_japanese};
use crate::{page::mistake, parts::Mistake};
use domain::name;
use service::people::{
    BadField,
    password::{self, BadPassword},
};

/// What is wrong with a person's data.
pub(super) fn bad_field(bad: BadField) -> Mistake {
    let too_long = format!("名前を{}文字以内で入力してください。", name::LONGEST);
    let ja = match bad {
        BadField::Email => "メールアドレスを「name@example.com」の形式で入力してください。",
        BadField::Taken => "このメールアドレスのアカウントはすでに存在します。",
        BadField::NoName => "名前を入力してください。",
        BadField::Name => too_long.as_str(),
        BadField::Organisation => "利用者に表示される組織名を入力してください。",
        BadField::Password(bad) => return mistake("password", bad_password(bad)),
    };
    mistake(bad.field(), with_japanese(bad, ja))
}

/// What is wrong with a new password.
pub(super) fn bad_password(bad: BadPassword) -> String {
    let too_short = format!("パスワードは{}文字以上で設定してください。", password::LEAST);
    let too_long = format!("パスワードは{}バイト以内で設定してください。", password::MAX_BYTES);
    let ja = match bad {
        BadPassword::TooShort => too_short.as_str(),
        BadPassword::TooLong => too_long.as_str(),
        BadPassword::Guessable => {
            "推測されやすいパスワードです。よく使われる語句、繰り返し、キーボードの並び、お名前やメールアドレスを含むものは避け、\
             ご自身で考えた文を設定してください。"
        }
        BadPassword::Leaked => "過去に流出したことのあるパスワードです。ご自身で考えた文を設定してください。",
        BadPassword::Unused => return no_passwords().to_owned(),
    };
    with_japanese(bad, ja)
}
