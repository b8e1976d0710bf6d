//! What is wrong with a photo, in the languages other than English and Japanese. Reasons that only reviewers see are not here.

use crate::language::Language;

/// By code: Simplified Chinese, Korean, Vietnamese, Portuguese, Spanish.
const TEXTS: &[(&str, [&str; 5])] = &[
    (
        "document_not_found",
        [
            "无法识别证件边缘。请完整拍摄证件，手指不要遮挡。",
            "신분증의 네 모서리를 확인할 수 없습니다. 손가락으로 가리지 말고 전체가 나오게 찍어 주세요.",
            "Không nhận ra các cạnh của giấy tờ. Hãy chụp toàn bộ giấy tờ và không để ngón tay che.",
            "Não conseguimos ver as bordas do documento. Mostre-o inteiro, sem dedos sobre ele.",
            "No encontramos los bordes del documento. Muéstrelo entero y sin dedos encima.",
        ],
    ),
    (
        "document_blurry",
        [
            "证件照片不够清晰，无法辨认。请拿稳手机，对焦清晰后重新拍摄。",
            "신분증 사진이 흐려서 읽을 수 없습니다. 초점이 맞을 때까지 움직이지 말고 다시 찍어 주세요.",
            "Ảnh giấy tờ không đủ nét để đọc. Hãy giữ yên cho đến khi hình rõ nét rồi chụp lại.",
            "A foto do documento não está nítida o bastante para ler. Segure firme até a imagem ficar nítida.",
            "La foto del documento no es lo bastante nítida para leerla. No mueva el teléfono hasta que la imagen se vea nítida.",
        ],
    ),
    (
        "document_glare",
        [
            "证件上有反光。请稍微倾斜后重试。",
            "신분증에 빛이 반사됩니다. 살짝 기울여 다시 찍어 주세요.",
            "Giấy tờ bị lóa. Hãy nghiêng nhẹ và thử lại.",
            "Há reflexo no documento. Incline um pouco e tente de novo.",
            "Hay un reflejo en el documento. Inclínelo un poco e inténtelo de nuevo.",
        ],
    ),
    (
        "document_too_dark",
        [
            "照片太暗，请到更亮的地方拍摄。",
            "사진이 너무 어둡습니다. 밝은 곳에서 찍어 주세요.",
            "Ảnh quá tối. Hãy đến nơi sáng hơn.",
            "A foto está escura demais. Vá para um lugar mais claro.",
            "La foto es demasiado oscura. Vaya a un lugar más luminoso.",
        ],
    ),
    (
        "document_cut_off",
        [
            "证件有一部分在照片之外。请将整张证件放入取景框。",
            "신분증 일부가 잘렸습니다. 전체가 틀 안에 들어오게 해 주세요.",
            "Một phần giấy tờ nằm ngoài ảnh. Hãy để toàn bộ giấy tờ trong khung.",
            "Parte do documento ficou fora da foto. Enquadre o documento inteiro.",
            "Parte del documento queda fuera de la foto. Encaje el documento completo en el marco.",
        ],
    ),
    (
        "document_obstructed",
        [
            "证件有一部分被遮挡。请移开手指和其他遮挡物后重新拍摄。",
            "신분증 일부가 가려져 있습니다. 손가락 등 가리는 것을 치우고 다시 찍어 주세요.",
            "Có vật che một phần giấy tờ. Hãy bỏ ngón tay và mọi vật che ra rồi chụp lại.",
            "Algo cobre parte do documento. Tire os dedos e qualquer objeto de cima dele.",
            "Algo tapa parte del documento. Aparte los dedos y cualquier otra cosa que lo tape.",
        ],
    ),
    (
        "document_wrong_side",
        [
            "这是证件的另一面。请翻面后重新拍摄。",
            "신분증의 반대쪽입니다. 신분증을 뒤집어 다시 찍어 주세요.",
            "Đây là mặt kia của giấy tờ. Hãy lật giấy tờ rồi chụp lại.",
            "Este é o outro lado do documento. Vire-o e tire a foto de novo.",
            "Este es el otro lado del documento. Dele la vuelta y tome la foto de nuevo.",
        ],
    ),
    (
        "document_side_missing",
        [
            "缺少证件的一面。",
            "신분증의 한쪽 면이 없습니다.",
            "Thiếu một mặt của giấy tờ.",
            "Falta um lado do documento.",
            "Falta un lado del documento.",
        ],
    ),
    (
        "document_type_mismatch",
        [
            "证件与所选类型不符。",
            "선택하신 종류의 신분증이 아닙니다.",
            "Giấy tờ không đúng loại đã chọn.",
            "O documento não é do tipo escolhido.",
            "El documento no es del tipo elegido.",
        ],
    ),
    (
        "selfie_no_face",
        [
            "照片中没有面部。请正对摄像头，让整张脸出现在画面中。",
            "사진에 얼굴이 없습니다. 얼굴 전체가 나오도록 카메라를 정면으로 보고 다시 찍어 주세요.",
            "Không có khuôn mặt trong ảnh. Hãy nhìn thẳng vào camera, sao cho thấy rõ cả khuôn mặt.",
            "Não há um rosto na foto. Olhe de frente para a câmera, com o rosto inteiro na imagem.",
            "No hay ninguna cara en la foto. Mire de frente a la cámara, con toda la cara en la imagen.",
        ],
    ),
    (
        "selfie_multiple_faces",
        [
            "照片中有不止一张面孔。请确保画面中只有您一人。",
            "사진에 얼굴이 둘 이상 있습니다. 다른 사람이 찍히지 않게 다시 찍어 주세요.",
            "Có nhiều hơn một khuôn mặt trong ảnh. Hãy chụp lại sao cho chỉ có một mình bạn trong khung hình.",
            "Há mais de um rosto na foto. Só você deve aparecer.",
            "Hay más de una cara en la foto. Asegúrese de que no aparezca nadie más.",
        ],
    ),
    (
        "selfie_face_covered",
        [
            "面部有一部分被遮挡。请摘下口罩、帽子和墨镜后重新拍摄。",
            "얼굴 일부가 가려져 있습니다. 마스크, 모자, 선글라스를 벗고 다시 찍어 주세요.",
            "Khuôn mặt bị che một phần. Hãy bỏ khẩu trang, mũ và kính râm rồi chụp lại.",
            "O rosto está parcialmente coberto. Tire a máscara, o chapéu e os óculos escuros.",
            "La cara está parcialmente tapada. Quítese la mascarilla, el sombrero y las gafas de sol.",
        ],
    ),
    (
        "selfie_low_quality",
        [
            "自拍不够清晰。请在光线充足的地方正对摄像头，保持不动，重新拍摄。",
            "얼굴 사진이 선명하지 않습니다. 밝은 곳에서 정면을 보고, 움직이지 말고 다시 찍어 주세요.",
            "Ảnh khuôn mặt chưa đủ rõ. Hãy đến nơi đủ sáng, nhìn thẳng vào camera và giữ yên rồi chụp lại.",
            "A selfie não está nítida o bastante. Vá para um lugar bem iluminado, olhe de frente para a câmera e não se mexa.",
            "El selfi no es lo bastante nítido. Busque un lugar bien iluminado, mire de frente a la cámara y no se mueva.",
        ],
    ),
];

/// The sentence for a reason's code, if it has one in this language.
pub(crate) fn translated(code: &str, language: Language) -> Option<&'static str> {
    let column = match language {
        Language::En | Language::Ja => return None,
        Language::ZhHans => 0,
        Language::Ko => 1,
        Language::Vi => 2,
        Language::Pt => 3,
        Language::Es => 4,
    };
    let (_, texts) = TEXTS.iter().find(|(of, _)| *of == code)?;
    texts.get(column).copied()
}
