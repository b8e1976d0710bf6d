//! 1, Consent: an explicit tap, with the version of the text. Declining ends the session.

use crate::capture::said;
use crate::parts::choice;
use crate::parts::draw::{Icon, icon};
use crate::text::entry as text;
use crate::{PageMeta, forms, shell};
use domain::session::{Plan, Step};
use leptos::prelude::*;

/// The version of the sentences below; it is stored with the consent. Change it whenever they change.
pub const CONSENT_VERSION: &str = "2026-12-01.1";
/// The version of the page that also asks for the face search; the answer is stored beside it.
pub const CONSENT_VERSION_SEARCH: &str = "2026-12-01.1-search";

/// The consent page.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsentView {
    /// The steps of the session.
    pub plan: Plan,
    /// Days until the data is deleted after the end.
    pub retention_days: u32,
    /// Whether the tenant searches for faces among approved people, which requires a separate consent.
    pub face_search: bool,
    /// Whether the user has declined, and is asked once more before that ends the session.
    pub declining: bool,
}

/// The version of the text, which depends on whether the tenant uses the face search.
#[must_use]
pub const fn version(face_search: bool) -> &'static str {
    if face_search {
        CONSENT_VERSION_SEARCH
    } else {
        CONSENT_VERSION
    }
}

/// The page.
#[must_use]
pub fn render(view: &ConsentView, meta: &PageMeta) -> AnyView {
    if view.declining {
        return declining(meta);
    }
    let days = view.retention_days.to_string();
    let [title, lead, agree, decline] = said(
        meta,
        [
            text::CONSENT_TITLE,
            text::CONSENT_LEAD,
            text::CONSENT_AGREE,
            text::CONSENT_DECLINE,
        ],
    );
    let hint = meta.tell(text::CONSENT_DECLINE_HINT, &[]);
    let of_text = version(view.face_search);
    let said_version = meta.tell(text::CONSENT_VERSION, &[("version", of_text)]);
    let search = view.face_search.then(|| search(meta, &days));
    let full = meta.say(text::CONSENT_FULL);
    let main = view! {
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <ul class="terms">{short(meta, &view.plan, &days)}</ul>
        <details class="fold">
            <summary>{full}</summary>
            <ul class="points">{points(meta, &view.plan, &days)}</ul>
            <p class="hint">{said_version}</p>
        </details>
        <form class="ends" method="post" action=forms::CONSENT>
            <input type="hidden" name=forms::VERSION value=of_text/>
            <input type="hidden" name=forms::RETENTION_DAYS value=days/>
            {search}
            <p class="hint">{hint}</p>
            <div class="actions">
                {choice("primary", forms::DECISION, forms::ACCEPT, agree)}
                {choice("quiet", forms::DECISION, forms::DECLINE, decline)}
            </div>
        </form>
    };
    shell::phone(meta, title.to_owned(), main.into_any())
}

/// What the user agrees to in a few words, each with a drawing.
fn short(meta: &PageMeta, plan: &Plan, days: &str) -> impl IntoView + use<> {
    let (document, selfie) = (plan.has(Step::Document), plan.has(Step::Selfie));
    let short = [
        document.then_some((Icon::Document, text::CONSENT_SHORT_DOCUMENT)),
        selfie.then_some((
            Icon::Face,
            if document {
                text::CONSENT_SHORT_SELFIE
            } else {
                text::CONSENT_SHORT_SELFIE_ONLY
            },
        )),
        Some((Icon::Clock, text::CONSENT_SHORT_DELETE)),
    ];
    short
        .into_iter()
        .flatten()
        .map(|(mark, t)| view! { <li>{icon(mark)}<span>{meta.tell(t, &[("days", days)])}</span></li> })
        .collect::<Vec<_>>()
}

/// The same in full.
fn points(meta: &PageMeta, plan: &Plan, days: &str) -> impl IntoView + use<> {
    let (document, selfie) = (plan.has(Step::Document), plan.has(Step::Selfie));
    let points = [
        document.then_some(text::CONSENT_DOCUMENT),
        selfie.then_some(if document {
            text::CONSENT_SELFIE
        } else {
            text::CONSENT_SELFIE_ONLY
        }),
        Some(text::CONSENT_REVIEW),
        Some(text::CONSENT_DELETE),
    ];
    points
        .into_iter()
        .flatten()
        .map(|t| view! { <li>{meta.tell(t, &[("days", days)])}</li> })
        .collect::<Vec<_>>()
}

/// The confirmation page for declining.
fn declining(meta: &PageMeta) -> AnyView {
    let [title, back, end] = said(meta, [text::DECLINE_TITLE, text::DECLINE_BACK, text::DECLINE_END]);
    let main = view! {
        <h1>{title}</h1>
        <p class="lead">{meta.tell(text::CONSENT_DECLINE_HINT, &[])}</p>
        <p>{meta.tell(text::DECLINE_FINAL, &[])}</p>
        <form class="actions" method="post" action=forms::CONSENT>
            <input type="hidden" name=forms::DECISION value=forms::DECLINE/>
            <a class="button primary" href=forms::CONSENT>{back}</a>
            {choice("secondary", forms::CONFIRMED, forms::YES, end)}
        </form>
    };
    shell::phone(meta, title.to_owned(), main.into_any())
}

/// The separate question: not ticked in advance, and the verification continues without it.
fn search(meta: &PageMeta, days: &str) -> impl IntoView + use<> {
    let [title, hint] = [text::CONSENT_SEARCH_TITLE, text::CONSENT_SEARCH_HINT].map(|t| meta.tell(t, &[]));
    let label = meta.tell(text::CONSENT_SEARCH, &[("days", days)]);
    view! {
        <fieldset class="agree card">
            <legend>{title}</legend>
            <div class="agree-row">
                <input type="checkbox" id=forms::FACE_SEARCH name=forms::FACE_SEARCH value=forms::YES aria-describedby="face-search-hint"/>
                <label for=forms::FACE_SEARCH>{label}</label>
            </div>
            <p class="hint" id="face-search-hint">{hint}</p>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;
    use domain::language::Language;

    /// A change to a sentence, in any language, needs a new version, because a stored consent names what was agreed to.
    #[test]
    fn the_sentences_of_a_version_stay_as_they_are() {
        let sentences = [
            text::CONSENT_LEAD,
            text::CONSENT_SHORT_DOCUMENT,
            text::CONSENT_SHORT_SELFIE,
            text::CONSENT_SHORT_SELFIE_ONLY,
            text::CONSENT_SHORT_DELETE,
            text::CONSENT_DOCUMENT,
            text::CONSENT_SELFIE,
            text::CONSENT_SELFIE_ONLY,
            text::CONSENT_REVIEW,
            text::CONSENT_DELETE,
            text::CONSENT_DECLINE_HINT,
            text::CONSENT_SEARCH_TITLE,
            text::CONSENT_SEARCH,
            text::CONSENT_SEARCH_HINT,
        ];
        let said = |text: Text| Language::ALL.iter().map(move |language| text.get(*language));
        let lines = sentences.into_iter().flat_map(said);
        let all: Vec<&str> = [CONSENT_VERSION].into_iter().chain(lines).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
    2026-12-01.1
    To verify your identity, we need you to agree to this:
    本人確認のため、次の内容への同意が必要です。
    为验证您的身份，需要您同意以下内容：
    본인 확인을 위해 다음 내용에 동의해 주셔야 합니다.
    Để xác minh danh tính, chúng tôi cần bạn đồng ý:
    Para verificar sua identidade, precisamos que você concorde com isto:
    Para verificar su identidad, necesitamos que acepte lo siguiente:
    {tenant} reads the photos of your document.
    {tenant} が書類の写真を読み取ります。
    {tenant} 读取您的证件照片。
    {tenant}에서 신분증 사진을 읽습니다.
    {tenant} đọc ảnh giấy tờ của bạn.
    {tenant} lê as fotos do seu documento.
    {tenant} lee las fotos de su documento.
    {tenant} compares your face with the photo on your document. These are biometric data.
    {tenant} がお顔を書類の写真と照合します。これは生体情報にあたります。
    {tenant} 将您的面部与证件照片进行比对。这些属于生物识别信息。
    {tenant}에서 얼굴을 신분증 사진과 비교합니다. 이는 생체 정보에 해당합니다.
    {tenant} so sánh khuôn mặt bạn với ảnh trên giấy tờ. Đây là dữ liệu sinh trắc học.
    {tenant} compara seu rosto com a foto do documento. São dados biométricos.
    {tenant} compara su cara con la foto de su documento. Son datos biométricos.
    {tenant} takes pictures of your face and measures it. These are biometric data.
    {tenant} がお顔を撮影し、特徴を数値化します。これは生体情報にあたります。
    {tenant} 拍摄您的面部并测量面部特征。这些属于生物识别信息。
    {tenant}에서 얼굴을 촬영해 특징을 수치화합니다. 이는 생체 정보에 해당합니다.
    {tenant} chụp khuôn mặt bạn và đo đặc điểm. Đây là dữ liệu sinh trắc học.
    {tenant} tira fotos do seu rosto e o mede. São dados biométricos.
    {tenant} toma fotos de su cara y la mide. Son datos biométricos.
    Photos and personal details are deleted {days} {days:day|days} after the verification ends.
    写真と個人情報は確認の終了から{days}日後に削除されます。
    照片和个人信息将在验证结束 {days} 天后删除。
    사진과 개인정보는 확인이 끝나고 {days}일 후에 삭제됩니다.
    Ảnh và thông tin cá nhân được xóa sau {days} ngày kể từ khi kết thúc xác minh.
    As fotos e os dados pessoais são apagados {days} {days:dia|dias} após o fim da verificação.
    Las fotos y los datos personales se borran {days} {days:día|días} después de terminar la verificación.
    {tenant} processes photos of your identity document and reads the details on it.
    {tenant} が本人確認書類の写真を取り扱い、記載内容を読み取ります。
    {tenant} 处理您的身份证件照片，并读取其中的信息。
    {tenant}에서 고객님의 신분증 사진을 처리하고 기재 내용을 읽습니다.
    {tenant} xử lý ảnh giấy tờ tùy thân và đọc thông tin trên đó.
    {tenant} trata as fotos do seu documento de identidade e lê os dados nele.
    {tenant} trata las fotos de su documento de identidad y lee los datos que contiene.
    {tenant} takes a short series of pictures of your face, measures it, and compares it with the photo on your document. These are biometric data.
    {tenant} がお顔を連続撮影し、特徴を数値化して、書類の写真と照合します。これは生体情報にあたります。
    {tenant} 连续拍摄您的面部，测量面部特征，并与证件照片进行比对。这些属于生物识别信息。
    {tenant}에서 고객님의 얼굴을 연속으로 촬영해 특징을 수치화하고 신분증 사진과 비교합니다. 이는 생체 정보에 해당합니다.
    {tenant} chụp một loạt ảnh khuôn mặt, đo đặc điểm và so sánh với ảnh trên giấy tờ. Đây là dữ liệu sinh trắc học.
    {tenant} tira uma sequência curta de fotos do seu rosto, mede-o e o compara com a foto do documento. São dados biométricos.
    {tenant} toma una serie corta de fotos de su cara, la mide y la compara con la foto de su documento. Son datos biométricos.
    {tenant} takes a short series of pictures of your face and measures it. These are biometric data.
    {tenant} がお顔を連続撮影し、特徴を数値化します。これは生体情報にあたります。
    {tenant} 连续拍摄您的面部并测量面部特征。这些属于生物识别信息。
    {tenant}에서 고객님의 얼굴을 연속으로 촬영해 특징을 수치화합니다. 이는 생체 정보에 해당합니다.
    {tenant} chụp một loạt ảnh khuôn mặt và đo đặc điểm. Đây là dữ liệu sinh trắc học.
    {tenant} tira uma sequência curta de fotos do seu rosto e o mede. São dados biométricos.
    {tenant} toma una serie corta de fotos de su cara y la mide. Son datos biométricos.
    If the automatic check is unclear, a person at {tenant} reviews it.
    自動で判断できない場合は、{tenant} の担当者が目視で確認します。
    如果自动核验结果不明确，将由 {tenant} 的工作人员审核。
    자동으로 판단하기 어려우면 {tenant} 담당자가 직접 확인합니다.
    Nếu kiểm tra tự động chưa rõ ràng, nhân viên của {tenant} sẽ xem xét.
    Se a verificação automática não for conclusiva, uma pessoa de {tenant} faz a análise.
    Si la comprobación automática no es concluyente, la revisa una persona de {tenant}.
    Photos and personal details are deleted {days} {days:day|days} after the verification ends. The result and a log of the verification are kept without them. You can ask {tenant} to delete your data earlier.
    写真と個人情報は確認の終了から{days}日後に削除されます。判定結果と手続きの記録は、これらを除いて保持されます。それより早い削除も {tenant} にお申し出いただけます。
    照片和个人信息将在验证结束 {days} 天后删除。验证结果和操作记录会在不含这些内容的情况下保留。您也可以要求 {tenant} 提前删除您的数据。
    사진과 개인정보는 확인이 끝나고 {days}일 후에 삭제됩니다. 결과와 진행 기록은 이를 제외하고 보관됩니다. 그 전에 데이터를 삭제하도록 {tenant}에 요청하실 수도 있습니다.
    Ảnh và thông tin cá nhân được xóa sau {days} ngày kể từ khi kết thúc xác minh. Kết quả và nhật ký xác minh được giữ lại nhưng không kèm các dữ liệu đó. Bạn có thể yêu cầu {tenant} xóa dữ liệu của bạn sớm hơn.
    As fotos e os dados pessoais são apagados {days} {days:dia|dias} após o fim da verificação. O resultado e um registro da verificação são mantidos sem eles. Você pode pedir a {tenant} que apague seus dados antes.
    Las fotos y los datos personales se borran {days} {days:día|días} después de terminar la verificación. El resultado y un registro de la verificación se conservan sin ellos. Puede pedir a {tenant} que borre sus datos antes.
    If you do not agree, the verification ends here and {tenant} is notified.
    同意されない場合、本人確認はここで終了し、{tenant} に通知されます。
    如果不同意，验证将就此结束，并会通知 {tenant}。
    동의하지 않으시면 본인 확인이 여기서 종료되고 {tenant}에 통지됩니다.
    Nếu bạn không đồng ý, việc xác minh kết thúc tại đây và {tenant} sẽ được thông báo.
    Se você não concordar, a verificação termina aqui e avisamos {tenant}.
    Si no acepta, la verificación termina aquí y se avisa a {tenant}.
    Optional: search for your face
    任意：顔の照合検索について
    可选：检索您的面部
    선택: 얼굴 검색
    Tùy chọn: tìm kiếm khuôn mặt
    Opcional: busca pelo seu rosto
    Opcional: búsqueda de su cara
    I also agree that {tenant} may search for my face among the faces of people it has approved before, to detect when one person is verified more than once. For this, {tenant} keeps the measurements of my face, encrypted, and compares later applicants with them, until they are deleted {days} {days:day|days} after the verification ends. This is biometric data.
    {tenant} が、同じ人物の重複した確認に気づくために、以前に承認した人の顔の中から私の顔を検索することにも同意します。そのために {tenant} は私の顔の特徴の数値を暗号化して保存し、確認の終了から{days}日後に削除するまで、後の申請者との照合に使います。これは生体情報にあたります。
    我还同意 {tenant} 在其以往通过验证的人员面部中检索我的面部，以发现同一人多次验证的情况。为此，{tenant} 以加密方式保存我的面部测量数据，并与之后的申请人比对，直到验证结束 {days} 天后删除。这些属于生物识别信息。
    또한 {tenant}에서 같은 사람이 여러 번 확인받는 것을 찾아내기 위해 이전에 승인한 사람들의 얼굴 중에서 제 얼굴을 검색하는 것에 동의합니다. 이를 위해 {tenant}에서는 제 얼굴의 측정값을 암호화해 보관하고, 확인이 끝나고 {days}일 후에 삭제할 때까지 이후 신청자와 비교합니다. 이는 생체 정보에 해당합니다.
    Tôi cũng đồng ý để {tenant} tìm khuôn mặt tôi trong số khuôn mặt những người đã được chấp thuận trước đó, nhằm phát hiện một người được xác minh nhiều lần. Vì mục đích này, {tenant} lưu số đo khuôn mặt tôi ở dạng mã hóa và so sánh với những người đăng ký sau, cho đến khi xóa sau {days} ngày kể từ khi kết thúc xác minh. Đây là dữ liệu sinh trắc học.
    Também concordo que {tenant} procure meu rosto entre os rostos das pessoas que já aprovou, para detectar quando uma mesma pessoa é verificada mais de uma vez. Para isso, {tenant} guarda as medidas do meu rosto, criptografadas, e as compara com as de solicitantes posteriores, até apagá-las {days} {days:dia|dias} após o fim da verificação. São dados biométricos.
    También acepto que {tenant} busque mi cara entre las de las personas que ha aprobado antes, para detectar cuándo una misma persona se verifica más de una vez. Para ello, {tenant} guarda las medidas de mi cara, cifradas, y las compara con las de solicitantes posteriores, hasta que se borran {days} {days:día|días} después de terminar la verificación. Son datos biométricos.
    This is your choice. If you do not agree, a person at {tenant} reviews your verification, which takes longer.
    同意は任意です。同意されない場合も本人確認は続けられます。{tenant} の担当者が目視で確認するため、時間がかかります。
    这由您自行选择。如果不同意，将由 {tenant} 的工作人员审核，所需时间较长。
    선택 사항입니다. 동의하지 않으시면 {tenant} 담당자가 직접 확인하므로 시간이 더 걸립니다.
    Đây là lựa chọn của bạn. Nếu không đồng ý, nhân viên của {tenant} sẽ xem xét nên mất nhiều thời gian hơn.
    A escolha é sua. Se não concordar, uma pessoa de {tenant} analisa sua verificação, o que demora mais.
    Usted decide. Si no lo acepta, una persona de {tenant} revisará su verificación, lo que tarda más.
    ");
    }
}
