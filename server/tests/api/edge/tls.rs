//! TLS with a self-signed certificate.

use crate::support::{Answer, Server};
use rustls::{
    DEFAULT_VERSIONS, ProtocolVersion, SupportedProtocolVersion,
    version::{TLS12, TLS13},
};
use rustls_pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use server::edge::SELF_SIGNED;
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    net::TcpStream,
    time::{Interval, interval, timeout},
};
use tokio_rustls::TlsConnector;

fn connector(server: &Server) -> TlsConnector {
    connector_of(server, DEFAULT_VERSIONS)
}

/// A client that speaks these versions.
fn connector_of(server: &Server, versions: &[&'static SupportedProtocolVersion]) -> TlsConnector {
    let made = CertificateDer::from_pem_file(server.app.config.tls_dir().join(SELF_SIGNED)).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap();
    TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

#[tokio::test]
async fn the_newest_version_of_tls_is_preferred_and_every_suite_has_forward_secrecy() {
    let server = Server::with("[tls]\nmode = \"self-signed\"\n").await;
    for (versions, spoken, suites) in [
        (&[&TLS12, &TLS13][..], ProtocolVersion::TLSv1_3, "TLS13_"),
        (&[&TLS12][..], ProtocolVersion::TLSv1_2, "TLS_ECDHE_"),
    ] {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let stream = connector_of(&server, versions).connect(name, stream).await.unwrap();
        let (_, connection) = stream.get_ref();
        assert_eq!(connection.protocol_version(), Some(spoken));
        let suite = connection.negotiated_cipher_suite().unwrap().suite();
        assert!(format!("{suite:?}").starts_with(suites), "{suite:?}");
    }
}

#[tokio::test]
async fn a_self_signed_certificate_is_good_for_this_machine_and_the_base_url() {
    let server = Server::with("[tls]\nmode = \"self-signed\"\n").await;
    let connector = connector(&server);
    for name in ["localhost", "127.0.0.1", "id.example"] {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let mut stream = connector
            .connect(ServerName::try_from(name).unwrap(), stream)
            .await
            .unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes).await);
        let answer = Answer::parse(&bytes);
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"), "{name}");
        assert_eq!(
            answer.header("strict-transport-security"),
            None,
            "a certificate for trying out is not pinned"
        );
    }
    let stream = TcpStream::connect(server.address).await.unwrap();
    assert!(
        connector
            .connect(ServerName::try_from("other.example").unwrap(), stream)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_handshake_that_does_not_come_is_cut_off() {
    let server = Server::with("[tls]\nmode = \"self-signed\"\n[http]\nheader_timeout = 1\n").await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"\x16\x03\x01").await.unwrap();
    let mut bytes = Vec::new();
    drop(
        timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes))
            .await
            .expect("cut off"),
    );
}

/// A client whose first writes arrive a few bytes at a time.
struct Trickling {
    inner: TcpStream,
    tick: Interval,
    left: u8,
}

impl AsyncRead for Trickling {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for Trickling {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let me = &mut *self;
        if me.left == 0 {
            return Pin::new(&mut me.inner).poll_write(cx, buf);
        }
        ready!(me.tick.poll_tick(cx));
        me.left -= 1;
        Pin::new(&mut me.inner).poll_write(cx, &buf[..buf.len().min(4)])
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[tokio::test]
async fn the_handshake_and_the_first_head_share_one_deadline() {
    let server = Server::with("[tls]\nmode = \"self-signed\"\n[http]\nheader_timeout = 8\n").await;
    let connector = connector(&server);
    let began = Instant::now();
    let slow = Trickling {
        inner: TcpStream::connect(server.address).await.unwrap(),
        tick: interval(Duration::from_millis(100)),
        left: 40,
    };
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = connector.connect(name, slow).await.unwrap();
    let shaken = began.elapsed();
    let mut bytes = Vec::new();
    drop(
        timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes))
            .await
            .expect("cut off"),
    );
    // Two deadlines would be more than eleven seconds.
    assert!(shaken > Duration::from_millis(3_800), "{shaken:?}");
    assert!(began.elapsed() < Duration::from_secs(11), "{:?}", began.elapsed());
}
