//! Fresh buckets on the S3 server that `HONNIN_TEST_S3` names: `scripts/with-s3` starts one.

use domain::secret::Secret;
use rustls_pki_types::CertificateDer;
pub use store::capture::bucket::Bucket;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// A new bucket; `None` without a server.
#[expect(
    clippy::disallowed_methods,
    reason = "the server's address comes from the environment"
)]
pub async fn fresh() -> Option<Bucket> {
    let endpoint = std::env::var("HONNIN_TEST_S3")
        .ok()
        .filter(|server| !server.is_empty())?;
    let name = format!("t-{:032x}", rand::random::<u128>());
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("PUT /{name} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    Some(Bucket {
        prefix: "honnin/test".into(),
        ..at(endpoint, name, Vec::new())
    })
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
        extra_roots,
    }
}
