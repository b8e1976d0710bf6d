use super::*;
use crate::{
    config::{Config, Layers},
    edge::RequestContext,
    open::open_with,
};
use app::console::SessionChange;
use axum::{Extension, body::Body, routing::post};
use domain::{
    ids::{RequestId, UserId},
    secret::Secret,
    time::{ManualClock, Timestamp},
};
use http::{
    StatusCode,
    header::{COOKIE as CARRIES, LOCATION, SET_COOKIE},
};
use service::{
    access::staff,
    people::{
        change_password::change_password,
        known_browser::{self, Client},
        set_up::{SetUp, set_up, set_up_link},
        visit::Entrance,
    },
    runtime::random::SystemRandom,
};
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};
use tempfile::TempDir;
use tower::ServiceExt as _;
use vision::Vision;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const EMAIL: &str = "rita@shop.example";
const OLD: &str = "correct horse battery";
const NEW: &str = "four words of another kind";

async fn opened() -> (App, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut layers = Layers::defaults();
    layers.set("data_dir", folder.path().join("data").to_str().unwrap());
    layers.set("base_url", "https://id.example");
    layers.set("models.dir", folder.path().to_str().unwrap());
    layers.set("site.dir", folder.path().to_str().unwrap());
    std::fs::create_dir_all(folder.path().join("pkg")).unwrap();
    std::fs::write(folder.path().join("pkg/honnin.1234.css"), "body{}").unwrap();
    let config = Arc::new(Config::read(&layers).unwrap());
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(1_785_663_000_000)));
    let app = open_with(config, Vision::load(folder.path()), clock, Arc::new(SystemRandom)).await;
    (app.unwrap(), folder)
}

fn client(app: &App) -> Client {
    Client {
        address: HERE,
        browser: known_browser::Browser::of(&app.honnin, String::new(), None),
    }
}

/// The first person, with the password [`OLD`].
async fn person(app: &App) -> UserId {
    let link = set_up_link(&app.honnin).await.unwrap().unwrap();
    let form = SetUp {
        organisation: "Example Shop".into(),
        email: EMAIL.into(),
        name: "Rita".into(),
        password: Secret::new(OLD.into()),
    };
    let token = link.expose().rsplit('/').next().unwrap();
    set_up(&app.honnin, token, form, &client(app)).await.unwrap().user
}

fn context() -> RequestContext {
    RequestContext::new(RequestId::from_random([1; 16]), HERE, String::new())
}

/// What the layers around the console's pages do with the response of a sign-in.
async fn stored(app: &App, entrance: Entrance) -> Response {
    let enter = move || async move {
        let mut response: Response = Response::default();
        response.extensions_mut().insert(SessionChange::SignedIn(entrance));
        response
    };
    let router = Router::<()>::new()
        .route("/enter", post(enter))
        .layer(from_fn_with_state(app.clone(), authentication::session_changes))
        .layer(sessions(&app.honnin))
        .layer(Extension(context()));
    let request = Request::post("/enter").body(Body::empty()).unwrap();
    router.oneshot(request).await.unwrap()
}

/// The cookie that a response sets, as a browser sends it back.
fn cookie(response: &Response) -> String {
    let set = response.headers().get_all(SET_COOKIE).into_iter();
    let mut set = set.map(|cookie| cookie.to_str().unwrap());
    let console = set.find(|cookie| cookie.starts_with(COOKIE)).unwrap();
    console.split(';').next().unwrap().to_owned()
}

/// The account page of the browser with this cookie.
async fn account(app: &App, cookie: &str) -> Response {
    let router = routes(app).layer(Extension(context())).with_state(app.clone());
    let request = Request::get("/admin/account").header(CARRIES, cookie);
    router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

/// The sign-in is recorded in one unit and its session is stored in another.
#[tokio::test]
async fn a_sign_in_whose_session_is_stored_after_the_password_was_changed_is_over() {
    let (app, _folder) = opened().await;
    let id = person(&app).await;
    let enter = async |password: &str| {
        let password = Secret::new(password.to_owned());
        testkit::sign_in(&app.honnin, EMAIL, password, &client(&app))
            .await
            .unwrap()
    };
    let before = enter(OLD).await;
    let rita = staff(&app.honnin, &id, None, HERE).await.unwrap().unwrap();
    let (present, new) = (Secret::new(OLD.to_owned()), Secret::new(NEW.to_owned()));
    let renewed = change_password(&app.honnin, &rita, present, new).await.unwrap();

    let late = stored(&app, before).await;
    let answer = account(&app, &cookie(&late)).await;
    assert_eq!(
        answer.headers().get(LOCATION).unwrap(),
        "/admin/sign-in?next=%2Fadmin%2Faccount"
    );
    for entrance in [renewed, enter(NEW).await] {
        let current = stored(&app, entrance).await;
        assert_eq!(account(&app, &cookie(&current)).await.status(), StatusCode::OK);
    }
}
