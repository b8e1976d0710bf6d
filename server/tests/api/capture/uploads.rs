//! Invalid uploads of every kind.

use crate::{
    browser::{BOUNDARY, Browser, PASSPORT, multipart, photo},
    support::{Server, between, settings, until_asked_for_body},
};
use app::capture::consent::CONSENT_VERSION;
use domain::{session::Step, tenant::TenantSettings};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

/// What is said above the page that is due.
const NOT_SAVED: &str = "what you did on it was not saved";

/// A PNG whose header announces this size; nothing follows.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([8, 2, 0, 0, 0]);
    let mut crc = u32::MAX;
    for byte in &chunk {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
        }
    }
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    file.extend(&chunk);
    file.extend((!crc).to_be_bytes());
    file.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
    file
}

#[tokio::test]
async fn files_of_every_bad_kind_get_a_clear_answer() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let good = photo(90);
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    for (file, code) in [
        (good[..good.len() / 2].to_vec(), "file_damaged"),
        (
            b"This is a text, whatever its name says.".repeat(10),
            "file_not_a_picture",
        ),
        (png_header(30_000, 30_000), "file_too_many_pixels"),
        (png_header(10, 10), "file_too_small"),
        (png_header(320, 240), "file_too_small"),
        (heic, "file_heic"),
        (Vec::new(), "file_missing"),
        (vec![b'x'; 50 * 1024 * 1024], "file_too_large"),
        (vec![0xFF; 10 * 1024 * 1024 + 1], "file_too_large"),
    ] {
        let answer = browser
            .upload("/capture/pictures", &PASSPORT, &[("picture", &file)], true)
            .await;
        assert_eq!(answer.status, 422, "{code} {}", answer.body);
        assert_eq!(answer.json()["problems"][0]["code"], code);
        assert_eq!(answer.json()["problems"][0]["file"], 0);
        assert!(answer.json()["problems"][0]["sentence"].as_str().unwrap().len() > 10);
    }
    let page = browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", b"text")], false)
        .await;
    assert!(
        page.status == 422 && page.body.contains("not a JPEG, PNG or WebP"),
        "{}",
        page.status
    );
    let taken = browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", &good)], true)
        .await;
    assert_eq!(
        (taken.status, taken.body.as_str()),
        (200, r#"{"next":"/capture/check"}"#)
    );
}

/// A browser at the selfie, the only step.
async fn at_the_selfie(server: &Server) -> Browser<'_> {
    let only_selfie = TenantSettings {
        steps: vec![Step::Selfie],
        ..settings()
    };
    server.save_settings(Some(only_selfie)).await;
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let mut browser = Browser::new(server);
    browser.open(url.strip_prefix("https://id.example").unwrap()).await;
    let agree = format!("decision=accept&version={CONSENT_VERSION}&retentionDays=90");
    let agreed = browser.post("/capture/consent", &agree).await;
    assert_eq!(agreed.header("location"), Some("/capture/selfie"));
    browser
}

#[tokio::test]
async fn a_selfie_in_which_the_same_is_found_again_can_be_used_from_its_page() {
    let server = Server::new().await;
    let mut browser = at_the_selfie(&server).await;
    // A grey sheet is not a good selfie.
    let (straight, turned) = (photo(120), photo(130));
    let files = [("frame", straight.as_slice()), ("frame", turned.as_slice())];
    for is_offered in [false, true] {
        let page = browser.get("/capture/selfie").await.body;
        assert!(!page.contains("Use it anyway"), "{page}");
        let challenge = between(&page, "name=\"challenge\" value=\"", &['"']).to_owned();
        let sent = browser
            .upload("/capture/selfie", &[("challenge", &challenge)], &files, false)
            .await;
        assert_eq!(sent.header("location"), Some("/capture/selfie"));
        let page = browser.get("/capture/selfie").await.body;
        assert_eq!(page.contains("Use it anyway"), is_offered, "{page}");
    }
    let page = browser.get("/capture/selfie").await.body;
    let shown = between(&page, "name=\"shown\" value=\"", &['"']);
    let (selfie, _) = shown.split_once(',').unwrap();
    let photo = between(&page, "src=\"/capture/pictures/", &['"']);
    assert!(
        photo.starts_with(selfie),
        "the photo that would be used is shown: {page}"
    );
    assert_eq!(browser.get(&format!("/capture/pictures/{photo}")).await.status, 200);
    // Of somebody who has not seen what is wrong with it.
    let unseen = browser
        .post("/capture/check", &format!("decision=use&shown={selfie}"))
        .await;
    assert_eq!(unseen.header("location"), Some("/capture"), "{}", unseen.body);
    assert_eq!(browser.get("/capture/submit").await.status, 303, "not used");
    let used = browser
        .post("/capture/check", &format!("decision=use&shown={shown}"))
        .await;
    assert_eq!(used.header("location"), Some("/capture/submit"), "{}", used.body);
    assert_eq!(browser.get("/capture/submit").await.status, 200);
}

/// Planted faults that this test detects: whichever file is refused, its mistake is shown at the first one; nobody knows of a form that is too large
/// which one it was.
#[tokio::test]
async fn a_file_of_the_selfie_that_is_refused_is_named_at_its_own_field() {
    let server = Server::new().await;
    let mut browser = at_the_selfie(&server).await;
    let page = browser.get("/capture/selfie").await.body;
    let challenge = between(&page, "name=\"challenge\" value=\"", &['"']);
    let (two, one) = ([("challenge", challenge)], [("withoutChallenge", "yes")]);
    let (plain, cannot) = page.split_once("id=\"cannot\"").unwrap();
    let (_, plain) = plain.split_once("id=\"plain\"").unwrap();
    let once = format!("name=\"challenge\" value=\"{challenge}\"");
    assert!(
        [plain, cannot].iter().all(|form| form.contains(&once)),
        "sent again, a form counts once"
    );
    let [plain, cannot] = [plain, cannot].map(|form| between(form, "action=\"", &['"']));
    let (photo, larger) = (photo(120), vec![0xFF; 25 * 1024 * 1024]);
    let (good, large) = (&photo[..], &larger[..10 * 1024 * 1024 + 1]);
    let (larger, text, none) = (&larger[..], &b"text"[..], &b""[..]);
    let (kind, missing, size) = ("not a JPEG, PNG or WebP", "Choose a photo", "smaller than 10 MB");
    for (form, texts, files, field, told) in [
        (plain, &two, vec![text, good], "straight", kind),
        (plain, &two, vec![good, text], "turned", kind),
        (plain, &two, vec![none, good], "straight", missing),
        (plain, &two, vec![good, none], "turned", missing),
        (plain, &two, vec![large, good], "straight", size),
        (plain, &two, vec![good, large], "turned", size),
        (plain, &two, vec![good, larger], "turned", size),
        (cannot, &one, vec![text], "alone", kind),
        (cannot, &one, vec![none], "alone", missing),
        (cannot, &one, vec![large], "alone", size),
        (cannot, &one, vec![larger], "alone", size),
    ] {
        let files: Vec<_> = files.into_iter().map(|file| ("frame", file)).collect();
        let refused = browser.upload(form, texts, &files, false).await;
        assert_eq!(refused.status, 422, "{field}, {told}: {}", refused.body);
        let (link, error) = (format!("href=\"#{field}\""), format!("id=\"{field}-error\""));
        for part in [link.as_str(), error.as_str(), told] {
            assert!(refused.body.contains(part), "{field}, {told}: no {part}");
        }
        assert_eq!(refused.body.matches("class=\"error\"").count(), 1, "{field}, {told}");
    }
}

/// Planted fault that this test detects: asking whoever chose a file without content, as of a cloud drive that has not fetched it, to choose one.
#[tokio::test]
async fn a_file_without_content_is_told_from_none_at_its_own_field() {
    let server = Server::new().await;
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let headers = [
        ("sec-fetch-site", "same-origin"),
        ("content-type", kind.as_str()),
        ("accept", "text/html"),
    ];
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let unchosen = String::from_utf8(multipart(&PASSPORT, &[("picture", b"")])).unwrap();
    let chosen = unchosen.replace("filename=\"\"", "filename=\"a.jpg\"");
    for (form, told) in [(unchosen, "Choose a photo"), (chosen, "The file is empty")] {
        let refused = browser
            .send("POST", "/capture/pictures", &headers, form.as_bytes())
            .await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        assert!(refused.body.contains(told), "{told}: {}", refused.body);
    }
    let mut browser = at_the_selfie(&server).await;
    let page = browser.get("/capture/selfie").await.body;
    let challenge = between(&page, "name=\"challenge\" value=\"", &['"']);
    let form = multipart(&[("challenge", challenge)], &[("frame", b"text"), ("frame", b"")]);
    let form = String::from_utf8(form)
        .unwrap()
        .replace("filename=\"\"", "filename=\"a.jpg\"");
    let refused = browser.send("POST", "/capture/selfie", &headers, form.as_bytes()).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    for part in ["href=\"#turned\"", "The file is empty"] {
        assert!(refused.body.contains(part), "no {part}: {}", refused.body);
    }
    // A script is told which of the files it is, too.
    let headers = headers.map(|(name, value)| (name, if name == "accept" { "application/json" } else { value }));
    let refused = browser.send("POST", "/capture/selfie", &headers, form.as_bytes()).await;
    assert_eq!(refused.json()["problems"][0]["code"], "file_empty");
    assert_eq!(refused.json()["problems"][0]["file"], 1);
}

/// Planted fault that this test detects: storing a photo as the kind that is chosen now, whatever its page asked for.
#[tokio::test]
async fn a_photo_for_a_kind_that_another_tab_has_replaced_is_out_of_turn() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let page = browser.get("/capture/document").await.body;
    assert!(page.contains("name=\"documentType\" value=\"passport\""), "{page}");
    browser
        .post("/capture/document-type", "documentType=my_number_card")
        .await;
    let file = photo(90);
    // Nor is a form taken that does not say what it is for.
    for (texts, to) in [
        (PASSPORT.as_slice(), "/capture?notice=not-saved"),
        (&PASSPORT[1..], "/capture"),
    ] {
        for json in [true, false] {
            let stale = browser
                .upload("/capture/pictures", texts, &[("picture", &file)], json)
                .await;
            let next = if json {
                stale.json()["next"].as_str().map(str::to_owned)
            } else {
                stale.header("location").map(str::to_owned)
            };
            assert_eq!(next.as_deref(), Some(to), "{texts:?}");
        }
    }
    let due = browser.get("/capture").await;
    assert_eq!(due.header("location"), Some("/capture/document"), "nothing was stored");
    let page = browser.get("/capture/document").await.body;
    assert!(
        page.contains("name=\"documentType\" value=\"my_number_card\""),
        "{page}"
    );
    assert!(!page.contains(NOT_SAVED), "{page}");
    let told = browser.get("/capture?notice=not-saved").await;
    assert_eq!(told.header("location"), Some("/capture/document?notice=not-saved"));
    let page = browser.get("/capture/document?notice=not-saved").await.body;
    assert!(page.contains(NOT_SAVED), "{page}");
}

/// Planted fault that this test detects: showing another photo, or the next step, without a word to whoever decided about one that had been replaced.
#[tokio::test]
async fn whoever_decides_about_a_photo_that_another_window_has_replaced_is_told() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let mut shown = Vec::new();
    for grey in [90, 120] {
        let sent = browser
            .upload("/capture/pictures", &PASSPORT, &[("picture", &photo(grey))], false)
            .await;
        assert_eq!(sent.header("location"), Some("/capture/check"), "{}", sent.body);
        let page = browser.get("/capture/check").await.body;
        shown.push(between(&page, "name=\"shown\" value=\"", &['"']).to_owned());
    }
    for decision in ["use", "again"] {
        let stale = browser
            .post("/capture/check", &format!("decision={decision}&shown={}", shown[0]))
            .await;
        assert_eq!(
            stale.header("location"),
            Some("/capture?notice=not-saved"),
            "{decision}"
        );
    }
    let next = browser.get("/capture?notice=not-saved").await;
    assert_eq!(next.header("location"), Some("/capture/check?notice=not-saved"));
    let page = browser.get("/capture/check?notice=not-saved").await.body;
    assert!(page.contains(NOT_SAVED), "{page}");
    assert!(
        page.contains(shown[1].split(',').next().unwrap()),
        "the newer photo is shown: {page}"
    );
}

#[tokio::test]
async fn a_form_that_breaks_off_or_is_none_is_refused() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let whole = multipart(&PASSPORT, &[("picture", &photo(90))]);
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    for (kind, body) in [
        (kind.as_str(), &whole[..whole.len() / 2]),
        (kind.as_str(), b""),
        ("text/plain", b"x"),
        ("", b"x"),
    ] {
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", kind),
            ("accept", "application/json"),
        ];
        let answer = browser.send("POST", "/capture/pictures", &headers, body).await;
        assert_eq!(
            (answer.status, answer.json()["problems"][0]["code"].as_str()),
            (422, Some("file_damaged")),
            "{kind}"
        );
    }
}

#[tokio::test]
async fn an_upload_that_waits_has_a_number_in_the_queue() {
    let server = Server::with("[uploads]\nroom = 1\n").await;
    let (mut first, mut second) = (Browser::new(&server), Browser::at(&server, [127, 0, 0, 2].into()));
    for browser in [&mut first, &mut second] {
        browser.agree().await;
        browser.choose_passport().await;
    }
    let free = second.get("/capture/queue").await;
    assert_eq!((free.status, free.body.as_str()), (200, r#"{"sentence":null}"#));
    let mut taking = begun(&server, &first).await;
    // The server asks for the body as soon as there is memory for it. Without waiting for that, the second could be first.
    until_asked_for_body(&mut taking).await;
    let _waiting = begun(&server, &second).await;
    // The server reads the head of a request at some time after it was sent.
    let said = loop {
        let said = second.get("/capture/queue").await;
        if said.body != free.body {
            break said;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(
        said.json()["sentence"],
        "We are very busy. You are number 1 in the queue."
    );
    assert_eq!(first.get("/capture/queue").await.body, free.body, "it has its memory");
    let mut stranger = Browser::new(&server);
    assert_ne!(stranger.get("/capture/queue").await.status, 200);
}

/// An upload that has announced what it sends, and sends nothing.
async fn begun(server: &Server, browser: &Browser<'_>) -> TcpStream {
    let mut stream = server.connect_from(browser.address()).await;
    let head = format!(
        "POST /capture/pictures HTTP/1.1\r\nhost: id.example\r\ncookie: {}\r\nsec-fetch-site: same-origin\r\n\
         content-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: 1000\r\n\
         expect: 100-continue\r\n\r\n",
        browser.cookies()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}
