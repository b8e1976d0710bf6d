//! Invalid uploads of every kind.

use crate::{
    browser::{BOUNDARY, Browser, PASSPORT, multipart, photo},
    support::{Server, until_asked_for_body},
};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

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
    for texts in [PASSPORT.as_slice(), &PASSPORT[1..]] {
        for json in [true, false] {
            let stale = browser
                .upload("/capture/pictures", texts, &[("picture", &file)], json)
                .await;
            let next = if json {
                stale.json()["next"].as_str().map(str::to_owned)
            } else {
                stale.header("location").map(str::to_owned)
            };
            assert_eq!(next.as_deref(), Some("/capture"), "{texts:?}");
        }
    }
    let due = browser.get("/capture").await;
    assert_eq!(due.header("location"), Some("/capture/document"), "nothing was stored");
    let page = browser.get("/capture/document").await.body;
    assert!(
        page.contains("name=\"documentType\" value=\"my_number_card\""),
        "{page}"
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
