//! The capture pages in a browser without scripts.

use crate::{
    browser::{Browser, PASSPORT, photo},
    support::{Answer, Server, between, settings},
};
use app::capture::consent::{CONSENT_VERSION, CONSENT_VERSION_SEARCH};
use domain::{
    ids::SessionId,
    session::{AttemptNumber, FailureReason, Status, Step},
    tenant::TenantSettings,
    time::Millis,
};
use service::jobs::worker::{Lane, Worker};
use store::{capture::attempts, session::sessions::SessionRow};
use testkit::databases::WriteLock;

#[tokio::test]
async fn the_documents_that_people_in_the_browsers_country_carry_come_first() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    for (languages, first) in [
        ("ja", "driving_license"),
        ("en-JP,en;q=0.9", "driving_license"),
        ("en-GB,ja;q=0.5", "passport"),
        ("", "passport"),
    ] {
        let headers = [("sec-fetch-site", "same-origin"), ("accept-language", languages)];
        let page = browser.send("GET", "/capture/document-type", &headers, b"").await.body;
        let (_, page) = page.split_once("<main").unwrap();
        let (usual, others) = page.split_once("<details").unwrap();
        assert_eq!(between(usual, "type=\"radio\" id=\"", &['"']), first, "{languages}");
        assert_eq!(
            usual.contains("my_number_card"),
            first == "driving_license",
            "{languages}"
        );
        assert_eq!(page.matches("type=\"radio\"").count(), 7, "{others}");
    }
}

#[tokio::test]
async fn a_whole_verification_works_without_scripts_and_a_step_out_of_turn_leads_to_the_right_one() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    let created = browser.agree().await;
    for page in [
        "/capture",
        "/capture/document",
        "/capture/check",
        "/capture/details",
        "/capture/selfie",
        "/capture/submit",
        "/capture/result",
    ] {
        let answer = browser.get(page).await;
        assert_eq!(answer.status, 303, "{page}");
    }
    browser.choose_passport().await;
    let shown = browser.get("/capture/document").await;
    assert!(shown.status == 200 && shown.body.contains("multipart/form-data"));
    let sent = browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", &photo(90))], false)
        .await;
    assert_eq!((sent.status, sent.header("location")), (303, Some("/capture/check")));
    let check = browser.get("/capture/check").await;
    let picture = between(&check.body, "src=\"", &['"']).to_owned();
    assert!(picture.starts_with("/capture/pictures/cap_"), "{picture}");
    let bytes = browser.get(&picture).await;
    assert_eq!(
        (
            bytes.status,
            bytes.header("content-type"),
            bytes.header("cache-control")
        ),
        (200, Some("image/jpeg"), Some("no-store"))
    );
    assert_eq!(Browser::new(&server).get(&picture).await.status, 401);
    let shown = between(&check.body, "name=\"shown\" value=\"", &['"']);
    let (id, problems) = shown.split_once(',').unwrap();
    assert_eq!(picture, format!("/capture/pictures/{id}?view=screen"));
    let full = between(&check.body, "data-full=\"", &['"']);
    assert_eq!(full, format!("/capture/pictures/{id}"));
    // A form without the photo, with another one, or without its problems is of somebody who has not seen what is used: the page is shown again,
    // and says so if it is only the problems.
    let another = format!("&shown=cap_{},{problems}", "0".repeat(32));
    let more = browser
        .post("/capture/check", &format!("decision=use&shown={id}"))
        .await;
    assert!(
        more.status == 200
            && more
                .body
                .contains("We checked the photo again and found more problems:"),
        "{}",
        more.body
    );
    for (unseen, leads_to) in [
        ("", "/capture/check"),
        (another.as_str(), "/capture?notice=not-saved"),
        (&format!("&shown={problems}"), "/capture/check"),
    ] {
        let again = browser.post("/capture/check", &format!("decision=use{unseen}")).await;
        assert_eq!(again.header("location"), Some(leads_to), "{unseen}");
    }
    let used = browser
        .post("/capture/check", &format!("decision=use&shown={shown}"))
        .await;
    assert_eq!(used.header("location"), Some("/capture/details"));
    let mistaken = browser
        .post(
            "/capture/details",
            "lastName=Tanaka&firstName=Hanako&birthYear=1990&birthMonth=2&birthDay=30&address=x",
        )
        .await;
    assert!(mistaken.status == 422 && mistaken.body.contains("value=\"30\""));
    let typed = browser
        .post(
            "/capture/details",
            "lastName=Tanaka&firstName=Hanako&birthYear=1990&birthMonth=2&birthDay=28&address=x",
        )
        .await;
    assert_eq!(typed.header("location"), Some("/capture/selfie"));
    let (straight, turned) = (photo(120), photo(130));
    let frames = [("frame", straight.as_slice()), ("frame", turned.as_slice())];
    // No models are installed here, so nobody can watch the camera: its script is told to offer the form.
    let live = browser.upload("/capture/selfie/live", &[], &frames[..1], true).await;
    assert_eq!((live.status, live.json()["over"].as_bool()), (409, Some(true)));
    let damaged = browser
        .upload("/capture/selfie/live", &[], &[("frame", b"no picture")], true)
        .await;
    assert_eq!(damaged.status, 422);
    let foreign = browser
        .upload("/capture/selfie/live", &[("run", "AAAA")], &frames[..1], true)
        .await;
    assert_eq!(
        foreign.json()["next"].as_str(),
        Some("/capture"),
        "another run counts now"
    );
    let mut challenges = std::collections::BTreeSet::new();
    // A grey sheet is not a good selfie: it is requested again, each time with another challenge, and the last try is accepted
    // as it is.
    let location = loop {
        let page = browser.get("/capture/selfie").await.body;
        let challenge = between(&page, "name=\"challenge\" value=\"", &['"']).to_owned();
        assert!(challenges.insert(challenge.clone()));
        let sent = browser
            .upload("/capture/selfie", &[("challenge", &challenge)], &frames, false)
            .await;
        assert_eq!(sent.status, 303);
        match sent.header("location") {
            Some("/capture/selfie") => {}
            other => break other.unwrap().to_owned(),
        }
    };
    assert_eq!(challenges.len(), 5);
    assert_eq!(location, "/capture/submit");
    let summary = browser.get("/capture/submit").await;
    assert!(summary.status == 200 && summary.body.contains("Tanaka"));
    let by_hand = "You have used all attempts. A person at";
    assert!(summary.body.contains(by_hand), "{}", summary.body);
    // Pictures the size of a thumb: the photo itself would be a hundred times as many bytes on a phone's line.
    let pictures: Vec<_> = summary.body.split("src=\"/capture/pictures/").skip(1).collect();
    assert_eq!(pictures.len(), 2);
    for rest in pictures {
        let picture = format!("/capture/pictures/{}", between(rest, "", &['"']));
        assert!(picture.ends_with("?view=small"), "{picture}");
        let shown = browser.get(&picture).await;
        assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/jpeg")));
    }
    assert_eq!(
        browser
            .post("/capture/submit", "decision=send")
            .await
            .header("location"),
        Some("/capture/result")
    );
    let result = browser.get("/capture/result").await;
    assert_eq!(result.status, 200);
    let back = format!(
        "https://shop.example/done?sessionId={}&amp;state=s",
        created["id"].as_str().unwrap()
    );
    assert!(result.body.contains(&back), "{}", result.body);
    let read = server
        .call(
            "GET",
            &format!("/v1/verification-sessions/{}", created["id"].as_str().unwrap()),
            "",
        )
        .await
        .json();
    // Without models nothing could be checked, so a person reviews it.
    assert_eq!(read["status"], "reviewing");
    assert!(
        read["outcome"]["reasons"]
            .as_array()
            .unwrap()
            .contains(&"check_unavailable".into())
    );
}

#[tokio::test]
async fn posts_from_other_sites_change_nothing() {
    let server = Server::new().await;
    let created = server.create("{}").await;
    let path = created["verificationUrl"]
        .as_str()
        .unwrap()
        .strip_prefix("https://id.example")
        .unwrap()
        .to_owned();
    for headers in [[("sec-fetch-site", "cross-site")], [("origin", "https://evil.example")]] {
        let answer = Browser::new(&server).send("POST", &path, &headers, b"").await;
        assert_eq!(answer.status, 403);
    }
    let status = server
        .call(
            "GET",
            &format!("/v1/verification-sessions/{}", created["id"].as_str().unwrap()),
            "",
        )
        .await;
    assert_eq!(status.json()["status"], "created");
}

#[tokio::test]
async fn a_browser_that_keeps_no_cookies_does_not_use_the_link_up() {
    let server = Server::new().await;
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://id.example").unwrap();
    let told = "Allow cookies for this page and try again. Your link is still unused.";
    assert!(!Browser::new(&server).get(path).await.body.contains(told));
    let mut browser = Browser::new(&server);
    let refused = browser.post(path, "").await;
    assert_eq!(refused.status, 422);
    // Nothing was entered that could be wrong.
    for part in [told, "<h2>We could not start</h2>"] {
        assert!(refused.body.contains(part), "{}", refused.body);
    }
    let read = format!("/v1/verification-sessions/{}", created["id"].as_str().unwrap());
    assert_eq!(server.call("GET", &read, "").await.json()["status"], "created");
    // Now they are allowed.
    assert_eq!(browser.post(path, "").await.header("location"), Some("/capture"));
    assert_eq!(server.call("GET", &read, "").await.json()["status"], "collecting");
}

#[tokio::test]
async fn a_link_opened_again_after_a_pause_does_not_promise_to_continue() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    let created = browser.agree().await;
    let url = created["verificationUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://id.example").unwrap();
    server.clock.advance(Millis::minutes(31));
    let page = browser.get(path).await;
    assert_eq!(page.status, 404);
    assert!(!page.body.contains("Continue where I left off"), "{}", page.body);
    assert!(
        page.body
            .contains("If you began in another app or browser, continue there.")
    );
}

#[tokio::test]
async fn a_page_opened_in_another_browser_leads_back_to_where_it_was_begun() {
    let server = Server::without_worker().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    let told = "If you began in another app or browser, continue there.";
    let elsewhere = Browser::new(&server).get("/capture/document-type").await;
    assert_eq!(elsewhere.status, 401);
    for part in [told, "choose “Continue on another phone or browser” there"] {
        assert!(elsewhere.body.contains(part), "{}", elsewhere.body);
    }
    // Here it was begun, and closed after a while.
    server.clock.advance(Millis::minutes(31));
    let page = browser.get("/capture/document-type").await.body;
    assert!(
        page.contains("It closes after some time without activity") && !page.contains(told),
        "{page}"
    );
}

#[tokio::test]
async fn a_used_link_opens_nowhere_else_and_leads_its_own_browser_back() {
    let server = Server::new().await;
    let mut mine = Browser::new(&server);
    let created = mine.agree().await;
    let path = created["verificationUrl"]
        .as_str()
        .unwrap()
        .strip_prefix("https://id.example")
        .unwrap()
        .to_owned();
    assert_eq!(mine.get(&path).await.header("location"), Some("/capture"));
    assert_eq!(mine.post(&path, "").await.header("location"), Some("/capture"));
    let mut other = Browser::new(&server);
    let (used, unknown) = (
        other.get(&path).await,
        other.get(&format!("/v/{}", "A".repeat(43))).await,
    );
    assert_eq!((used.status, unknown.status), (404, 404));
    let plain = |answer: &Answer, path: &str| {
        let nonce = answer
            .header("content-security-policy")
            .map(|policy| between(policy, "'nonce-", &['\'']).to_owned())
            .unwrap();
        // The id of the request is random, too.
        let request = answer.header("x-request-id").unwrap();
        answer.body.replace(&nonce, "").replace(path, "").replace(request, "")
    };
    assert_eq!(plain(&used, &path), plain(&unknown, &format!("/v/{}", "A".repeat(43))));
    assert_eq!(other.post(&path, "").await.status, 404);
    assert_eq!(other.get("/capture").await.status, 401);
}

#[tokio::test]
async fn the_language_switch_is_kept_and_the_pages_obey_it() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    let switched = browser.get("/capture/document-type?lang=ja").await;
    assert_eq!(
        (switched.status, switched.header("location")),
        (303, Some("/capture/document-type"))
    );
    let page = browser.get("/capture/document-type").await;
    assert!(page.body.contains("lang=\"ja\"") && page.header("permissions-policy").unwrap().contains("camera=(self)"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
}

/// Opens the link of a new session.
async fn opened(server: &Server) -> (Browser<'_>, SessionId) {
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let mut browser = Browser::new(server);
    let path = url.strip_prefix("https://id.example").unwrap();
    assert_eq!(browser.open(path).await.header("location"), Some("/capture"));
    (browser, SessionId::parse(created["id"].as_str().unwrap()).unwrap())
}

/// The consent version, and the answer about the face search.
async fn consent_of(server: &Server, id: &SessionId) -> (Option<String>, Option<bool>) {
    let id = id.clone();
    let unit = server
        .app
        .honnin
        .db()
        .read(async move |tx| attempts::load(tx, &id, AttemptNumber::FIRST).await);
    let row = unit.await.unwrap();
    (row.consent.map(|consent| consent.version), row.face_search)
}

#[tokio::test]
async fn the_search_for_a_face_is_asked_for_apart_and_not_ticked_beforehand() {
    let server = Server::new().await;
    let plain = opened(&server).await.0.get("/capture/consent").await.body;
    assert!(plain.contains(CONSENT_VERSION) && !plain.contains("faceSearch"));

    let mut searching: TenantSettings = settings();
    searching.policy.find_duplicates = true;
    server.save_settings(Some(searching)).await;
    for (answer, stored) in [("", Some(false)), ("&faceSearch=yes", Some(true))] {
        let (mut browser, id) = opened(&server).await;
        let page = browser.get("/capture/consent").await.body;
        let tick = between(&page, "name=\"faceSearch\"", &['>']);
        assert!(page.contains(CONSENT_VERSION_SEARCH) && !tick.contains("checked"));
        // A user who was shown the page without the question sees the one with it first.
        let stale = browser
            .post(
                "/capture/consent",
                &format!("decision=accept&version={CONSENT_VERSION}&retentionDays=90"),
            )
            .await;
        assert_eq!((stale.status, stale.header("location")), (303, Some("/capture")));
        let next = browser.get("/capture").await;
        assert_eq!(next.header("location"), Some("/capture/consent"));
        let agreed = browser
            .post(
                "/capture/consent",
                &format!("decision=accept&version={CONSENT_VERSION_SEARCH}&retentionDays=90{answer}"),
            )
            .await;
        assert_eq!(agreed.header("location"), Some("/capture/document-type"));
        let kept = consent_of(&server, &id).await;
        assert_eq!(kept, (Some(CONSENT_VERSION_SEARCH.to_owned()), stored), "{answer:?}");
    }
}

#[tokio::test]
async fn every_cookie_is_kept_from_scripts_and_other_sites_and_ends() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let start = url.strip_prefix("https://id.example").unwrap();
    let cookie = |answer: &Answer| {
        let line = answer.header("set-cookie").unwrap();
        let (pair, attributes) = line.split_once("; ").unwrap();
        let mut attributes: Vec<_> = attributes.split("; ").map(str::to_owned).collect();
        attributes.sort_unstable();
        (pair.split_once('=').unwrap().0.to_owned(), attributes.join("; "))
    };
    let lasts = |seconds: u32| format!("HttpOnly; Max-Age={seconds}; Path=/; SameSite=Lax; Secure");
    let marked = browser.get(start).await;
    // A page can be left open for as long as any link lives, and Start still finds the mark.
    assert_eq!(TenantSettings::LINK_LIFETIME.most, Millis::days(7));
    assert_eq!(cookie(&marked), ("__Host-honnin-start".to_owned(), lasts(604_800)));
    assert_eq!(browser.get(start).await.header("set-cookie"), None);
    let chosen = browser.get(&format!("{start}?lang=ja")).await;
    assert_eq!(
        cookie(&chosen),
        ("__Host-honnin-language".to_owned(), lasts(31_536_000))
    );
    let opened = browser.post(start, "").await;
    assert_eq!(cookie(&opened), ("__Host-honnin-capture".to_owned(), lasts(14_400)));
    let japanese = browser.get("/capture/consent").await;
    assert!(japanese.status == 200 && japanese.body.contains("lang=\"ja\""));
}

/// A browser at the details of a Japanese driving licence.
async fn at_the_details(server: &Server) -> Browser<'_> {
    let mut browser = Browser::new(server);
    browser.agree().await;
    browser
        .post("/capture/document-type", "documentType=residence_card")
        .await;
    for (slot, next, grey) in [
        ("document-front", "/capture/document", 90),
        ("document-back", "/capture/details", 110),
    ] {
        let sent = browser
            .upload(
                "/capture/pictures",
                &[("documentType", "residence_card"), ("slot", slot)],
                &[("picture", &photo(grey))],
                false,
            )
            .await;
        assert_eq!(sent.header("location"), Some("/capture/check"));
        browser.post("/capture/check", "decision=use").await;
        let check = browser.get("/capture/check").await;
        let shown = between(&check.body, "name=\"shown\" value=\"", &['"']);
        let used = browser
            .post("/capture/check", &format!("decision=use&shown={shown}"))
            .await;
        assert_eq!(used.header("location"), Some(next));
    }
    browser
}

/// Chooses a passport, and uses a photo of it that has no problems.
async fn choose_a_good_passport(browser: &mut Browser<'_>) {
    browser.choose_passport().await;
    use_a_good_photo(browser).await;
}

/// Uses a photo of the chosen passport that has no problems.
async fn use_a_good_photo(browser: &mut Browser<'_>) {
    browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", GOOD_PHOTO)], false)
        .await;
    let check = browser.get("/capture/check").await;
    let shown = between(&check.body, "name=\"shown\" value=\"", &['"']);
    let used = browser
        .post("/capture/check", &format!("decision=use&shown={shown}"))
        .await;
    assert_eq!(used.header("location"), Some("/capture/details"));
}

/// A photo of the passport of somebody who does not exist.
const GOOD_PHOTO: &[u8] = include_bytes!("../../../../vision/tests/specimens/passport.jpg");

#[tokio::test]
async fn a_good_photo_is_kept_by_the_choice_unless_new_ones_are_wanted() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    let offers = "name=\"decision\" value=\"again\"";
    assert!(!browser.get("/capture/document-type").await.body.contains(offers));
    browser.choose_passport().await;
    let page = browser.get("/capture/document-type").await;
    assert!(!page.body.contains(offers), "there is no photo");
    use_a_good_photo(&mut browser).await;
    let page = browser.get("/capture/document-type").await;
    assert!(page.body.contains(offers), "{}", page.body);
    for (form, next) in [
        ("documentType=passport", "/capture/details"),
        ("documentType=passport&decision=again", "/capture/document"),
    ] {
        let chosen = browser.post("/capture/document-type", form).await;
        assert_eq!(chosen.header("location"), Some(next), "{form}");
    }
    assert!(!browser.get("/capture/document-type").await.body.contains(offers));
}

#[tokio::test]
async fn whoever_turns_to_another_document_finds_there_what_they_typed_and_confirms_it_again() {
    const TYPED: &str = "lastName=Tanaka&firstName=Hanako&lastNameKana=%E3%82%BF%E3%83%8A%E3%82%AB&firstNameKana=%E3%83%8F%E3%83%8A%E3%82%B3\
                         &birthYear=1990&birthMonth=2&birthDay=28&address=1+Sample+Street";
    // On the page of the details, with nothing of them confirmed, and after they were.
    for (button, next) in [("&decision=other", "/capture/document-type"), ("", "/capture/selfie")] {
        let server = Server::new().await;
        let mut browser = at_the_details(&server).await;
        let left = browser.post("/capture/details", &format!("{TYPED}{button}")).await;
        assert_eq!(
            (left.status, left.header("location")),
            (303, Some(next)),
            "{}",
            left.body
        );
        assert_eq!(browser.get("/capture/document-type").await.status, 200);
        choose_a_good_passport(&mut browser).await;
        let page = browser.get("/capture/details").await.body;
        for kept in [
            "value=\"Tanaka\"",
            "value=\"Hanako\"",
            "value=\"1990\"",
            ">1 Sample Street</textarea>",
        ] {
            assert!(page.contains(kept), "{button}: {kept} in {page}");
        }
        let confirmed = browser.post("/capture/details", TYPED).await;
        assert_eq!(
            confirmed.header("location"),
            Some("/capture/selfie"),
            "{}",
            confirmed.body
        );
    }
}

#[tokio::test]
async fn whoever_looks_at_the_choice_of_the_document_does_not_confirm_again_what_stayed_as_it_was() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    choose_a_good_passport(&mut browser).await;
    let typed = "lastName=Tanaka&firstName=Hanako&birthYear=1990&birthMonth=2&birthDay=28&address=";
    browser
        .post("/capture/details", &format!("{typed}1+Sample+Street"))
        .await;
    for (address, next) in [
        ("1+Sample+Street", "/capture/selfie"),
        ("2+Sample+Street", "/capture/details"),
    ] {
        browser
            .post("/capture/details", &format!("{typed}{address}&decision=other"))
            .await;
        let chosen = browser.post("/capture/document-type", "documentType=passport").await;
        assert_eq!(chosen.header("location"), Some(next), "{address}");
    }
    let page = browser.get("/capture/details").await.body;
    assert!(page.contains(">2 Sample Street</textarea>"), "{page}");
}

#[tokio::test]
async fn a_postcode_fills_in_the_address_without_scripts() {
    let server = Server::new().await;
    let mut browser = at_the_details(&server).await;
    let names = "lastName=Tanaka&firstName=Hanako&lastNameKana=%E3%82%BF%E3%83%8A%E3%82%AB&firstNameKana=%E3%83%8F%E3%83%8A%E3%82%B3\
                 &birthYear=1990&birthMonth=2&birthDay=28";
    let address = |page: &Answer| {
        between(&page.body, "id=\"address\"", &['<'])
            .split('>')
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    let rest = "Enter the rest of your address";
    // By its button, and on the way to the next page while there is no address yet; then the page says what is missing.
    for (button, status) in [("&decision=address", 200), ("", 422)] {
        let found = browser
            .post(
                "/capture/details",
                &format!("{names}&postcode=150-0001&address={button}"),
            )
            .await;
        assert_eq!((found.status, address(&found).as_str()), (status, "東京都渋谷区神宮前"));
        assert_eq!(found.body.contains(rest), status == 422, "{}", found.body);
        assert!(
            found.body.contains("value=\"Tanaka\"") && found.body.contains("value=\"150-0001\""),
            "{}",
            found.body
        );
    }
    for (postcode, typed, button, sentence) in [
        ("15000", "mine", "&decision=address", "A postcode has 7 digits"),
        ("000-0000", "mine", "&decision=address", "could not find this postcode"),
        // An address that was typed is not overwritten.
        (
            "150-0001",
            "mine",
            "&decision=address",
            "This postcode is for 東京都渋谷区神宮前",
        ),
        // A postcode is not thrown away on the way to the next page.
        ("15000", "mine", "", "A postcode has 7 digits"),
        ("000-0000", "", "", "could not find this postcode"),
        ("150-0001", "東京都渋谷区神宮前", "", rest),
        // One that stands before the address as well is the same, and another one is not dropped.
        ("150-0001", "〒150-0001 東京都渋谷区神宮前", "", rest),
        (
            "150-0001",
            "〒100-0001 mine",
            "",
            "This is not the postcode in your address",
        ),
        (
            "150-0001",
            "〒100-0001 mine",
            "&decision=address",
            "This is not the postcode in your address",
        ),
    ] {
        let typed_form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("postcode", postcode)
            .append_pair("address", typed)
            .finish();
        let refused = browser
            .post("/capture/details", &format!("{names}&{typed_form}{button}"))
            .await;
        assert!(
            refused.status == 422 && refused.body.contains(sentence),
            "{}",
            refused.body
        );
        assert_eq!(address(&refused), typed);
        assert!(
            refused.body.contains(&format!("value=\"{postcode}\"")),
            "{}",
            refused.body
        );
    }
    // The rest of an address, typed behind what the postcode says, outlives the button.
    let whole = "%E6%9D%B1%E4%BA%AC%E9%83%BD%E6%B8%8B%E8%B0%B7%E5%8C%BA%E7%A5%9E%E5%AE%AE%E5%89%8D1-2-3";
    let again = format!("{names}&postcode=150-0001&address={whole}&decision=address");
    let kept = browser.post("/capture/details", &again).await;
    assert_eq!((kept.status, address(&kept).as_str()), (200, "東京都渋谷区神宮前1-2-3"));
    // Enter presses the first button of the form, which goes on with the address as typed, in whatever notation.
    let first = between(&kept.body, "<button", &['>']);
    assert!(!first.contains("name="), "{first}");
    let typed = browser
        .post(
            "/capture/details",
            &format!("{names}&postcode=150-0001&address=Jingumae+1-2-3"),
        )
        .await;
    assert_eq!(typed.header("location"), Some("/capture/selfie"), "{}", typed.body);
    // It is shown again as it was typed, the postcode before the address in a field of its own.
    let shown = browser.get("/capture/details").await;
    assert_eq!((shown.status, address(&shown).as_str()), (200, "Jingumae 1-2-3"));
    assert!(shown.body.contains("value=\"150-0001\""), "{}", shown.body);
}

#[tokio::test]
async fn the_way_to_another_document_comes_before_anything_is_typed() {
    let server = Server::new().await;
    let page = at_the_details(&server).await.get("/capture/details").await.body;
    let (before, form) = page.split_once(" data-kept").unwrap();
    let button = "value=\"other\" class=\"as-link\">Use another document</button>";
    assert!(before.contains(button), "{page}");
    assert!(!form.contains(button), "{page}");
}

#[tokio::test]
async fn whoever_has_one_name_passes_the_details_without_a_given_name() {
    let server = Server::new().await;
    let mut browser = at_the_details(&server).await;
    let typed = "lastName=Sukarno&lastNameKana=%E3%82%B9%E3%82%AB%E3%83%AB%E3%83%8E\
                 &birthYear=1990&birthMonth=2&birthDay=28&address=1+Sample+Street";
    let refused = browser.post("/capture/details", typed).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    let tick = |page: &Answer| between(&page.body, "id=\"oneName\"", &['>']).to_owned();
    assert!(refused.body.contains("Enter your given names"), "{}", refused.body);
    assert!(!tick(&refused).contains(" checked"), "{}", refused.body);
    let saved = browser.post("/capture/details", &format!("{typed}&oneName=yes")).await;
    assert_eq!(saved.header("location"), Some("/capture/selfie"), "{}", saved.body);
    let shown = browser.get("/capture/details").await;
    assert!(shown.body.contains("value=\"Sukarno\""), "{}", shown.body);
    assert!(tick(&shown).contains(" checked"), "{}", shown.body);
}

#[tokio::test]
async fn an_address_typed_in_several_lines_is_kept_in_one() {
    let server = Server::new().await;
    let mut browser = at_the_details(&server).await;
    let names = "lastName=Tanaka&firstName=Hanako&lastNameKana=%E3%82%BF%E3%83%8A%E3%82%AB&firstNameKana=%E3%83%8F%E3%83%8A%E3%82%B3\
                 &birthYear=1990&birthMonth=2&birthDay=28";
    let typed = format!("{names}&address=1+Sample+Street%0D%0A+Sample+Town%0D%0A");
    let kept = browser.post("/capture/details", &typed).await;
    assert_eq!(
        (kept.status, kept.header("location")),
        (303, Some("/capture/selfie")),
        "{}",
        kept.body
    );
    let shown = browser.get("/capture/details").await;
    assert!(
        shown.body.contains(">1 Sample Street Sample Town</textarea>"),
        "{}",
        shown.body
    );
}

#[tokio::test]
async fn details_that_the_database_does_not_take_come_back_as_they_were_typed() {
    let server = Server::new().await;
    let mut browser = at_the_details(&server).await;
    let typed = "lastName=Tanaka&firstName=Hanako&lastNameKana=%E3%82%BF%E3%83%8A%E3%82%AB&firstNameKana=%E3%83%8F%E3%83%8A%E3%82%B3\
                 &birthYear=1990&birthMonth=2&birthDay=28&address=1+Sample+Street";
    let held = WriteLock::acquire(&server.database_url()).await;
    let refused = browser.post("/capture/details", typed).await;
    // A form without anything typed is not shown again, but nobody is told that all of it is saved.
    let lost = browser.post("/capture/document-type", "documentType=passport").await;
    held.release().await;
    for answer in [&refused, &lost] {
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")));
    }
    for part in [
        "<title>Error: ",
        "value=\"Tanaka\"",
        "value=\"1990\"",
        ">1 Sample Street</textarea>",
    ] {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    let told = "We are very busy right now, so your details were not saved";
    let tag = |before: &str| before.rsplit('<').next().unwrap_or_default().to_owned();
    let tags: Vec<String> = refused.body.split(told).map(tag).collect();
    // Said at once; the second one waits for a script that finds the server busy.
    assert!(tags[0].contains("alert") && !tags[0].contains("hidden"), "{tags:?}");
    assert!(tags[1].contains("alert") && tags[1].contains("hidden"), "{tags:?}");
    assert!(
        lost.body
            .contains("What you sent earlier is saved, but your last entry may not be."),
        "{}",
        lost.body
    );
    let saved = browser.post("/capture/details", typed).await;
    assert_eq!(saved.header("location"), Some("/capture/selfie"), "{}", saved.body);
}

#[tokio::test]
async fn declining_ends_the_verification_after_a_second_look_only() {
    let server = Server::new().await;
    let (mut browser, id) = opened(&server).await;
    let look = browser.post("/capture/consent", "decision=decline").await;
    assert!(
        look.status == 200 && look.body.contains("<h1>End the verification?</h1>"),
        "{}",
        look.body
    );
    assert!(look.body.contains("href=\"/capture/consent\""), "and a way back");
    let read = async || {
        server
            .call("GET", &format!("/v1/verification-sessions/{id}"), "")
            .await
            .json()
    };
    assert_eq!(read().await["status"], "collecting");
    assert_eq!(browser.get("/capture/consent").await.status, 200);
    let ended = browser.post("/capture/consent", "decision=decline&confirmed=yes").await;
    assert_eq!((ended.status, ended.header("location")), (303, Some("/capture/result")));
    assert_eq!(read().await["status"], "failed");
}

#[tokio::test]
async fn whoever_changes_the_language_of_the_details_keeps_what_they_typed() {
    let server = Server::new().await;
    let mut browser = at_the_details(&server).await;
    let page = browser.get("/capture/details").await.body;
    let switch = page
        .split("<button")
        .find(|button| button.contains("lang=\"ko\""))
        .unwrap();
    for part in [
        "form=\"details\"",
        "formaction=\"/capture/details?lang=ko\"",
        "name=\"decision\" value=\"language\"",
    ] {
        assert!(switch.contains(part), "{part}: {switch}");
    }
    let typed =
        "lastName=Tanaka&firstName=&birthYear=1990&birthMonth=&birthDay=28&address=half+an+addr&decision=language";
    let switched = browser.post("/capture/details?lang=ko", typed).await;
    assert_eq!(switched.status, 200);
    for kept in [
        "lang=\"ko\"",
        "value=\"Tanaka\"",
        "value=\"1990\"",
        "value=\"28\"",
        ">half an addr<",
    ] {
        assert!(switched.body.contains(kept), "{kept}: {}", switched.body);
    }
    assert!(!switched.body.contains("error-summary"), "{}", switched.body);
    // The language stays, and nothing was saved.
    let page = browser.get("/capture/details").await.body;
    assert!(page.contains("lang=\"ko\"") && !page.contains("Tanaka"), "{page}");
    // Another site changes nothing.
    let foreign = [
        ("sec-fetch-site", "cross-site"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let refused = browser
        .send("POST", "/capture/details?lang=vi", &foreign, typed.as_bytes())
        .await;
    assert_eq!((refused.status, refused.header("set-cookie")), (403, None));
}

#[tokio::test]
async fn whoever_has_sent_everything_is_not_asked_for_a_new_link_when_the_page_has_closed() {
    const DONE: &str = "<h1>There is nothing left to do here</h1>";
    const CLOSED: &str = "<h1>This page is closed</h1>";
    for (status, done) in [
        (Status::Collecting, false),
        (Status::Deciding, true),
        (Status::Reviewing, true),
        (Status::Completed, true),
        (Status::Failed, false),
    ] {
        let server = Server::without_worker().await;
        let mut browser = Browser::new(&server);
        let created = browser.agree().await;
        let id = created["id"].as_str().unwrap().to_owned();
        let link = created["verificationUrl"].as_str().unwrap();
        let link = link.strip_prefix("https://id.example").unwrap();
        let end = move |row: &mut SessionRow| row.session.status = status;
        server.change(&id, end).await;
        server.clock.advance(Millis::minutes(31));
        // Nor when the link is opened once more. Another link may be of a verification that is not done.
        assert_eq!(browser.get(link).await.body.contains(DONE), done, "{status}");
        let other = browser.get(&format!("/v/{}", "A".repeat(43))).await;
        assert_eq!((other.status, other.body.contains(DONE)), (404, false), "{status}");
        assert!(!Browser::new(&server).get(link).await.body.contains(DONE), "{status}");
        let page = browser.get("/capture/result").await;
        assert_eq!(page.status, 401, "{status}");
        assert_eq!(page.body.contains(DONE), done, "{status}: {}", page.body);
        assert_eq!(page.body.contains(CLOSED), !done, "{status}: {}", page.body);
        assert_eq!(page.body.contains("Ask the sender for a new link"), !done, "{status}");
        assert!(!page.body.contains(&id), "{status}: nothing else is said");
        // What a new link has replaced may be in other hands.
        server.run("UPDATE capture_cookies SET ended_at = 1").await;
        assert!(browser.get("/capture/result").await.body.contains(CLOSED), "{status}");
    }
}

#[tokio::test]
async fn whoever_was_cancelled_is_not_told_that_something_went_wrong() {
    for (reason, title) in [
        (FailureReason::OperatorCancelled, "This verification was cancelled"),
        (FailureReason::ErasedBeforeDecision, "This verification has ended"),
        (
            FailureReason::ProcessingError,
            "The verification could not be completed",
        ),
    ] {
        let server = Server::without_worker().await;
        let mut browser = Browser::new(&server);
        let id = browser.agree().await["id"].as_str().unwrap().to_owned();
        let end = move |row: &mut SessionRow| {
            row.session.status = Status::Failed;
            row.failure_reason = Some(reason);
        };
        server.change(&id, end).await;
        let page = browser.get("/capture/result").await.body;
        assert!(page.contains(&format!("<h1>{title}</h1>")), "{page}");
        let ours = reason == FailureReason::ProcessingError;
        assert_eq!(page.contains("Something went wrong on our side"), ours, "{reason}");
    }
}

#[tokio::test]
async fn the_details_say_that_the_document_is_being_read_instead_of_waiting_again() {
    let server = Server::without_worker().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", GOOD_PHOTO)], false)
        .await;
    let check = browser.get("/capture/check").await.body;
    assert!(check.contains("data-told=\"Reading your document\""), "{check}");
    // As if it had been used when the wait for its analysis was over.
    server.run("UPDATE captures SET accepted_at = 1").await;
    for (analysed, being_read) in [
        ("UPDATE captures SET analysed_at = NULL", true),
        ("UPDATE captures SET analysed_at = 1", false),
    ] {
        server.run(analysed).await;
        let page = browser.get("/capture/details").await.body;
        assert!(page.contains(&format!("data-reading=\"{being_read}\"")), "{page}");
        for part in [
            "We are still reading your document.",
            "<noscript><p><a href=\"/capture/details\">",
            "data-follow=\"/capture/details\"",
        ] {
            assert_eq!(page.contains(part), being_read, "{part}: {page}");
        }
    }
}

/// A browser before the last page. Its photo is a grey sheet and was used while nothing was known to be wrong with it; it is not analysed yet.
async fn at_the_submit(server: &Server) -> Browser<'_> {
    let only_document = TenantSettings {
        steps: vec![Step::Document],
        ..settings()
    };
    server.save_settings(Some(only_document)).await;
    let mut browser = Browser::new(server);
    browser.agree().await;
    browser.choose_passport().await;
    browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", &photo(90))], false)
        .await;
    server
        .run("UPDATE captures SET problems = '[]', accepted_at = 1, accepted_problems = '[]', problems_accepted_at = 1")
        .await;
    let typed = browser
        .post(
            "/capture/details",
            "lastName=Tanaka&firstName=Hanako&birthYear=1990&birthMonth=2&birthDay=28&address=x",
        )
        .await;
    assert_eq!(typed.header("location"), Some("/capture/submit"), "{}", typed.body);
    browser
}

/// The answer to a request that waits for an analysis, which begins only then.
async fn analysed_meanwhile(server: &Server, request: impl Future<Output = Answer>) -> Answer {
    let places = server.app.waiting.available_permits();
    let waits = async {
        while server.app.waiting.available_permits() == places {
            tokio::task::yield_now().await;
        }
    };
    let mut request = std::pin::pin!(request);
    tokio::select! {
        early = &mut request => panic!("it did not wait: {early:?}"),
        () = waits => {}
    }
    let worker = Worker::new(server.app.honnin.clone(), Lane::Decide, 1);
    worker.run_until_idle().await.unwrap();
    request.await
}

#[tokio::test]
async fn the_last_page_and_its_button_wait_for_the_analysis_and_what_it_finds_is_asked_again() {
    for sends in [false, true] {
        let server = Server::without_worker().await;
        let mut browser = at_the_submit(&server).await;
        let answer = if sends {
            analysed_meanwhile(&server, browser.post("/capture/submit", "decision=send")).await
        } else {
            analysed_meanwhile(&server, browser.get("/capture/submit")).await
        };
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some("/capture")),
            "{sends}: {}",
            answer.body
        );
        let next = browser.get("/capture").await;
        assert_eq!(next.header("location"), Some("/capture/check"), "{sends}");
    }
}

#[tokio::test]
async fn a_node_on_which_too_many_wait_takes_a_submit_before_the_analysis_has_ended() {
    let server = Server::without_worker().await;
    let mut browser = at_the_submit(&server).await;
    let places = u32::try_from(server.app.waiting.available_permits()).unwrap();
    let _taken = server.app.waiting.try_acquire_many(places).unwrap();
    let page = browser.get("/capture/submit").await;
    assert_eq!(page.status, 200, "{}", page.body);
    let sent = browser.post("/capture/submit", "decision=send").await;
    assert_eq!(sent.header("location"), Some("/capture/result"), "{}", sent.body);
}

#[tokio::test]
async fn an_unknown_page_leads_back_whoever_is_in_the_middle_of_a_verification() {
    const BACK: &str = "Your verification is still open.";
    const STRANGER: &str = "Open the link in your message again.";
    let server = Server::new().await;
    let stranger = Browser::new(&server).get("/capture/nothing").await;
    assert!(
        stranger.status == 404 && stranger.body.contains(STRANGER) && !stranger.body.contains(BACK),
        "{}",
        stranger.body
    );
    let (mut browser, _) = opened(&server).await;
    for path in [
        "/capture/nothing",
        "/nothing",
        "/capture/pictures/cap_00000000000000000000000000000000",
    ] {
        let lost = browser.get(path).await;
        assert_eq!(lost.status, 404, "{path}");
        assert!(
            lost.body.contains(BACK) && lost.body.contains("href=\"/capture\""),
            "{path}: {}",
            lost.body
        );
    }
    browser.post("/capture/consent", "decision=decline&confirmed=yes").await;
    let over = browser.get("/capture/nothing").await.body;
    assert!(over.contains(STRANGER) && !over.contains(BACK), "{over}");
}
