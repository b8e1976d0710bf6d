//! Fresh buckets on the S3 server that `HONNIN_TEST_S3` names: `scripts/with-s3` starts one.

use crate::proxy::Proxy;
use domain::secret::Secret;
use rustls_pki_types::CertificateDer;
use std::collections::BTreeMap;
pub use store::capture::bucket::Bucket;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// The address of the server, such as `127.0.0.1:5000`.
#[expect(
    clippy::disallowed_methods,
    reason = "the server's address comes from the environment"
)]
fn server() -> Option<String> {
    let endpoint = std::env::var("HONNIN_TEST_S3").ok()?;
    let address = endpoint.strip_prefix("http://");
    assert!(address.is_some(), "HONNIN_TEST_S3 is no http:// address: {endpoint}");
    address.map(str::to_owned)
}

/// A new bucket; `None` without a server.
pub async fn fresh() -> Option<Bucket> {
    let address = server()?;
    let name = format!("t-{:032x}", rand::random::<u128>());
    let (status, body) = send(&address, "PUT", &format!("/{name}"), b"").await;
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    Some(Bucket {
        prefix: "honnin/test".into(),
        ..at(format!("http://{address}"), name, Vec::new())
    })
}

/// The same bucket behind a proxy.
pub async fn behind_proxy(bucket: &Bucket) -> (Bucket, Proxy) {
    let proxy = Proxy::before(address_of(bucket)).await;
    let behind = Bucket {
        endpoint: Some(format!("http://{}", proxy.address)),
        ..bucket.clone()
    };
    (behind, proxy)
}

/// Everything below the prefix of a bucket, by name without the prefix.
pub async fn objects(bucket: &Bucket) -> BTreeMap<String, Vec<u8>> {
    let address = address_of(bucket);
    let path = format!("/{}?list-type=2&max-keys=1000&prefix={}/", bucket.name, bucket.prefix);
    let (status, listed) = send(&address, "GET", &path, b"").await;
    let listed = String::from_utf8(listed).unwrap();
    assert!(
        status == 200 && listed.contains("<IsTruncated>false"),
        "{status}: {listed}"
    );
    let mut found = BTreeMap::new();
    for rest in listed.split("<Key>").skip(1) {
        let key = rest.split("</Key>").next().unwrap();
        let (status, content) = send(&address, "GET", &format!("/{}/{key}", bucket.name), b"").await;
        assert_eq!(status, 200, "{key}");
        let name = key.strip_prefix(&bucket.prefix).unwrap().trim_start_matches('/');
        found.insert(name.to_owned(), content);
    }
    found
}

/// Stores an object, as somebody else could.
pub async fn put(bucket: &Bucket, name: &str, content: &[u8]) {
    let (status, _) = send(&address_of(bucket), "PUT", &path_of(bucket, name), content).await;
    assert_eq!(status, 200);
}

/// Removes an object, as somebody else could.
pub async fn delete(bucket: &Bucket, name: &str) {
    let (status, _) = send(&address_of(bucket), "DELETE", &path_of(bucket, name), b"").await;
    assert_eq!(status, 204);
}

fn path_of(bucket: &Bucket, name: &str) -> String {
    format!("/{}/{}/{name}", bucket.name, bucket.prefix)
}

fn address_of(bucket: &Bucket) -> String {
    let endpoint = bucket.endpoint.as_deref().unwrap();
    endpoint.strip_prefix("http://").unwrap().to_owned()
}

/// A request with a signature that the server does not check.
async fn send(address: &str, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
    const AUTHORIZATION: &str =
        "AWS4-HMAC-SHA256 Credential=AKIDTEST/20260802/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: {AUTHORIZATION}\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = answer.split_off(end + 4);
    let head = String::from_utf8(answer).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// A bucket at `endpoint`, in the path, with a key that no server knows.
pub fn at(endpoint: String, name: String, extra_roots: Vec<CertificateDer<'static>>) -> Bucket {
    Bucket {
        name,
        prefix: String::new(),
        endpoint: Some(endpoint),
        region: "us-east-1".into(),
        path_style: true,
        credentials: Some(("AKIDTEST".into(), Secret::new("sesame".into()))),
        role: Vec::new(),
        extra_roots,
    }
}
