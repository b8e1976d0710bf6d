//! A small OpenID provider that signs whatever a test asks for.

use crate::support::START;
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use ring::{
    digest::{SHA256, digest},
    hmac,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use url::{Url, form_urlencoded};

pub(super) const CLIENT: &str = "honnin";
pub(super) const SECRET: &str = "a secret: of %%%";

/// How a token is signed.
#[derive(Clone, Copy)]
pub(super) enum Signing {
    /// With the published key.
    Key,
    /// With the published key, under another name than it has.
    AnotherName,
    /// Not at all: `alg` is `none`.
    None,
    /// With the client's secret.
    Secret,
    /// By somebody else, under the name of the published key.
    Forged,
}

/// Changes the claims of a token.
pub(super) type Change = fn(&mut Value);

struct Issued {
    token: String,
    challenge: String,
    redirect_uri: String,
}

struct State {
    issuer: String,
    /// The keys, the newest last, which signs; and how many of them are published.
    keys: Vec<EcdsaKeyPair>,
    published: usize,
    issued: HashMap<String, Issued>,
    asked_for_keys: u32,
    /// Answers every request with this instead.
    answer: Option<(u16, String)>,
}

#[derive(Clone)]
pub(super) struct Provider {
    state: Arc<Mutex<State>>,
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap()
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The fields of a query or form.
pub(super) fn fields(text: &str) -> HashMap<String, String> {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

impl Provider {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let provider = Self {
            state: Arc::new(Mutex::new(State {
                issuer: format!("http://{address}"),
                keys: vec![new_key()],
                published: 1,
                issued: HashMap::new(),
                asked_for_keys: 0,
                answer: None,
            })),
        };
        let serving = provider.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serving.answer(stream).await;
            }
        });
        provider
    }

    pub(super) fn issuer(&self) -> String {
        self.state.lock().unwrap().issuer.clone()
    }

    /// The settings of an installation that uses it.
    pub(super) fn settings(&self) -> String {
        let issuer = self.issuer();
        format!(
            "[openid]\nissuer = \"{issuer}\"\nclient_id = \"{CLIENT}\"\nclient_secret = \"{SECRET}\"\nname = \"Example Login\"\n"
        )
    }

    /// How often its keys were asked for.
    pub(super) fn asked_for_keys(&self) -> u32 {
        self.state.lock().unwrap().asked_for_keys
    }

    /// Signs with a new key from now on, and publishes it or not.
    pub(super) fn rotate(&self, publish: bool) {
        let mut state = self.state.lock().unwrap();
        state.keys.push(new_key());
        if publish {
            state.published = state.keys.len();
        }
    }

    /// Answers every request with this from now on.
    pub(super) fn break_down(&self, answer: Option<(u16, String)>) {
        self.state.lock().unwrap().answer = answer;
    }

    /// A person signs in there; returns the code that goes back with the browser.
    pub(super) fn sign_in(&self, location: &str, signing: Signing, change: Change) -> String {
        let asked = fields(Url::parse(location).unwrap().query().unwrap());
        assert_eq!((&*asked["response_type"], &*asked["client_id"]), ("code", CLIENT));
        assert_eq!(asked["code_challenge_method"], "S256");
        let mut state = self.state.lock().unwrap();
        let now = START.as_seconds();
        let mut claims = json!({
            "iss": state.issuer, "aud": CLIENT, "sub": "u-1", "nonce": asked["nonce"], "iat": now, "exp": now + 300,
            "email": "rei@shop.example", "email_verified": true,
        });
        if asked.contains_key("max_age") {
            assert_eq!((&*asked["max_age"], &*asked["prompt"]), ("0", "login"));
            claims["auth_time"] = json!(now);
        }
        change(&mut claims);
        let issued = Issued {
            token: state.token(&claims, signing),
            challenge: asked["code_challenge"].clone(),
            redirect_uri: asked["redirect_uri"].clone(),
        };
        let code = format!("code-{}", state.issued.len());
        state.issued.insert(code.clone(), issued);
        code
    }

    async fn answer(&self, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        let (head, length) = loop {
            if stream.read_buf(&mut bytes).await.unwrap() == 0 {
                return;
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, _)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                break (head.to_owned(), length.map_or(0, |length| length.parse().unwrap()));
            }
        };
        let start = head.len() + 4;
        while bytes.len() < start + length {
            stream.read_buf(&mut bytes).await.unwrap();
        }
        let body = String::from_utf8(bytes[start..].to_vec()).unwrap();
        let (status, text) = self.state.lock().unwrap().answer_to(&head, &body);
        let answer = format!(
            "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        );
        drop(stream.write_all(answer.as_bytes()).await);
    }
}

impl State {
    fn token(&self, claims: &Value, signing: Signing) -> String {
        let newest = self.keys.len() - 1;
        let alg = match signing {
            Signing::None => "none",
            Signing::Secret => "HS256",
            _ => "ES256",
        };
        let kid = match signing {
            Signing::AnotherName => "another".to_owned(),
            _ => newest.to_string(),
        };
        let signed = format!(
            "{}.{}",
            encoded(json!({ "alg": alg, "kid": kid }).to_string()),
            encoded(claims.to_string())
        );
        let random = SystemRandom::new();
        let signature = match signing {
            Signing::None => Vec::new(),
            Signing::Secret => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
                hmac::sign(&key, signed.as_bytes()).as_ref().to_vec()
            }
            Signing::Forged => new_key().sign(&random, signed.as_bytes()).unwrap().as_ref().to_vec(),
            Signing::Key | Signing::AnotherName => {
                let key = &self.keys[newest];
                key.sign(&random, signed.as_bytes()).unwrap().as_ref().to_vec()
            }
        };
        format!("{signed}.{}", encoded(signature))
    }

    fn answer_to(&mut self, head: &str, body: &str) -> (u16, String) {
        if let Some(answer) = &self.answer {
            return answer.clone();
        }
        let issuer = &self.issuer;
        match head.split(' ').nth(1).unwrap() {
            "/.well-known/openid-configuration" => {
                let configuration = json!({
                    "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize?kept=1"),
                    "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
                    "end_session_endpoint": format!("{issuer}/end"),
                });
                (200, configuration.to_string())
            }
            "/keys" => {
                self.asked_for_keys += 1;
                let keys: Vec<_> = self.keys.iter().take(self.published).enumerate().map(jwk).collect();
                (200, json!({ "keys": keys }).to_string())
            }
            "/token" => self.redeem(head, body),
            other => panic!("nobody asks for {other}"),
        }
    }

    /// As RFC 6749 and RFC 7636 say: the client proves itself, and the code is good once, with its verifier.
    fn redeem(&mut self, head: &str, body: &str) -> (u16, String) {
        let encoded_secret: String = form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
        let basic = format!(
            "authorization: Basic {}",
            STANDARD.encode(format!("{CLIENT}:{encoded_secret}"))
        );
        assert!(head.lines().any(|line| line == basic), "{head}");
        let fields = fields(body);
        let refused = (400, json!({ "error": "invalid_grant" }).to_string());
        let Some(issued) = self.issued.remove(&fields["code"]) else {
            return refused;
        };
        let challenge = encoded(digest(&SHA256, fields["code_verifier"].as_bytes()));
        if challenge != issued.challenge || fields["redirect_uri"] != issued.redirect_uri {
            return refused;
        }
        (
            200,
            json!({ "id_token": issued.token, "access_token": "unused", "token_type": "Bearer" }).to_string(),
        )
    }
}

fn jwk((at, key): (usize, &EcdsaKeyPair)) -> Value {
    let point = key.public_key().as_ref();
    json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": at.to_string(), "x": encoded(&point[1..33]), "y": encoded(&point[33..]) })
}
