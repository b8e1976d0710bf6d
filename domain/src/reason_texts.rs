//! What is wrong with a photo, for applicants who read neither English nor Japanese. Reasons that only reviewers see are not here.

use crate::language::Language;

/// By code: Simplified Chinese, Korean, Vietnamese, Portuguese, Spanish.
const TEXTS: &[(&str, [&str; 5])] = &[
    (
        "document_not_found",
        [
            "找不到证件的四边。请完整拍摄证件，手指不要遮挡。",
            "신분증의 네 모서리를 확인할 수 없습니다. 손가락으로 가리지 말고 전체가 나오게 찍어 주세요.",
            "Không nhận ra các cạnh của giấy tờ. Hãy chụp toàn bộ giấy tờ và không để ngón tay che.",
            "Não conseguimos ver as bordas do documento. Mostre-o inteiro, sem dedos sobre ele.",
            "No encontramos los bordes del documento. Muéstrelo entero y sin dedos encima.",
        ],
    ),
    (
        "document_blurry",
        [
            "证件照片不够清晰，无法辨认。",
            "신분증 사진이 흐려서 읽을 수 없습니다.",
            "Ảnh giấy tờ không đủ nét để đọc.",
            "A foto do documento não está nítida o bastante para ler.",
            "La foto del documento no es lo bastante nítida para leerla.",
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
            "证件有一部分被遮挡。",
            "신분증 일부가 가려져 있습니다.",
            "Có vật che một phần giấy tờ.",
            "Algo cobre parte do documento.",
            "Algo tapa parte del documento.",
        ],
    ),
    (
        "document_wrong_side",
        [
            "这是证件的另一面。",
            "신분증의 반대쪽입니다.",
            "Đây là mặt kia của giấy tờ.",
            "Este é o outro lado do documento.",
            "Este es el otro lado del documento.",
        ],
    ),
    (
        "document_side_missing",
        [
            "缺少证件的一面。",
            "신분증의 한쪽 면이 없습니다.",
            "Thiếu một mặt của giấy tờ.",
            "Falta um lado do documento.",
            "Falta una cara del documento.",
        ],
    ),
    (
        "document_type_mismatch",
        [
            "证件与所选类型不符。",
            "선택한 종류의 신분증이 아닙니다.",
            "Giấy tờ không đúng loại đã chọn.",
            "O documento não é do tipo escolhido.",
            "El documento no es del tipo elegido.",
        ],
    ),
    (
        "selfie_no_face",
        [
            "照片中没有面部。",
            "사진에 얼굴이 없습니다.",
            "Không có khuôn mặt trong ảnh.",
            "Não há um rosto na foto.",
            "No hay ninguna cara en la foto.",
        ],
    ),
    (
        "selfie_multiple_faces",
        [
            "照片中有不止一张面孔。",
            "사진에 얼굴이 둘 이상 있습니다.",
            "Có nhiều hơn một khuôn mặt trong ảnh.",
            "Há mais de um rosto na foto.",
            "Hay más de una cara en la foto.",
        ],
    ),
    (
        "selfie_face_covered",
        [
            "面部有一部分被遮挡。",
            "얼굴 일부가 가려져 있습니다.",
            "Khuôn mặt bị che một phần.",
            "O rosto está parcialmente coberto.",
            "La cara está parcialmente tapada.",
        ],
    ),
    (
        "selfie_low_quality",
        [
            "自拍不够清晰。",
            "얼굴 사진이 선명하지 않습니다.",
            "Ảnh khuôn mặt chưa đủ rõ.",
            "A selfie não está nítida o bastante.",
            "El selfi no es lo bastante nítido.",
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
