//! One HTTP/1.1 request and the head of its response. The body is never read, redirects are never followed, the connection is
//! never reused.

use super::{LARGEST_HEAD, fault::Answer, receiver_url::ReceiverUrl, signature::SignedRequest};
use bytes::Bytes;
use domain::{
    delivery::DeliveryFault,
    time::{Millis, Timestamp},
};
use http::{HeaderMap, Request, Response, header};
use http_body_util::Full;
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use std::pin::pin;
use tokio::io::{AsyncRead, AsyncWrite};

/// Maximum number of header lines of a response.
const MAX_HEADERS: usize = 100;

/// The headers of a delivery except `Host` and `Content-Length`, as sent and as shown in the console.
#[must_use]
pub fn headers(request: &SignedRequest) -> [(&'static str, String); 7] {
    [
        ("content-type", "application/json".to_owned()),
        ("user-agent", "Honnin-Webhooks/1".to_owned()),
        ("accept", "*/*".to_owned()),
        ("connection", "close".to_owned()),
        ("webhook-id", request.id.to_string()),
        ("webhook-timestamp", request.timestamp.to_string()),
        ("webhook-signature", request.signature.clone()),
    ]
}

/// Sends `request` over `stream` and waits for the head of the response.
pub(super) async fn exchange<S>(stream: S, url: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    match answer_to(stream, url, request).await {
        Ok(answer) => Answer::of_status(answer.status().as_u16(), retry_after(answer.headers(), now)),
        Err(fault) => Answer::failed(fault),
    }
}

async fn answer_to<S>(
    stream: S,
    url: &ReceiverUrl,
    request: &SignedRequest,
) -> Result<Response<Incoming>, DeliveryFault>
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    let mut message = Request::post(url.target()).header(header::HOST, url.authority());
    for (name, value) in headers(request) {
        message = message.header(name, value);
    }
    let message = message
        .body(Full::new(Bytes::copy_from_slice(&request.body)))
        .map_err(|_| DeliveryFault::UrlRefused)?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(LARGEST_HEAD)
        .max_headers(MAX_HEADERS)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| class_of(&error))?;
    let (mut answer, mut connection) = (pin!(sender.send_request(message)), pin!(connection));
    let answer = tokio::select! {
        biased;
        answer = &mut answer => answer,
        // The connection has ended; its result is in the response.
        _ = &mut connection => answer.await,
    };
    answer.map_err(|error| class_of(&error))
}

fn class_of(error: &hyper::Error) -> DeliveryFault {
    if error.is_parse() || error.is_parse_too_large() {
        DeliveryFault::BadAnswer
    } else {
        DeliveryFault::Closed
    }
}

/// `Retry-After` in either of its forms, as a wait from `now`.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Millis> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    // A number too large to be read is a wish to wait as long as possible.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(seconds) = text.parse::<u32>().ok().or(is_number.then_some(u32::MAX)) {
        return Some(Millis::seconds(seconds.into()));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let since_epoch = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    let at = i64::try_from(since_epoch.as_millis()).ok()?;
    Some(Millis(at.saturating_sub(now.as_millis()).max(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::sender::address::AddressRules;
    use domain::ids::EventId;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// Sends one request to a receiver that sends `head` and then `filler` without end. Returns the result and how many bytes
    /// of the response were accepted before we closed the connection.
    async fn flood(head: &[u8], filler: &[u8]) -> (Answer, usize) {
        // The pipe buffers almost nothing, so what was accepted is what the sender buffers.
        let (near, mut far) = tokio::io::duplex(64);
        let url = ReceiverUrl::parse("https://hooks.example/", &AddressRules::default()).unwrap();
        let request = SignedRequest::new(
            EventId::from_random([1; 16]),
            Timestamp::from_millis(0),
            b"{}".to_vec(),
            &[],
        );
        let receiver = async {
            let mut asked = Vec::new();
            while !asked.ends_with(b"\r\n\r\n{}") {
                far.read_buf(&mut asked).await.unwrap();
            }
            let mut taken = 0;
            for byte in head.iter().chain(filler.iter().cycle()) {
                if far.write_all(&[*byte]).await.is_err() {
                    break;
                }
                taken += 1;
            }
            taken
        };
        tokio::join!(exchange(near, &url, &request, Timestamp::from_millis(0)), receiver)
    }

    /// Fails if the body is read, or if the buffer may grow.
    #[tokio::test]
    async fn an_answer_without_end_is_hung_up_on_after_sixteen_kibibytes() {
        let (answer, taken) = flood(b"HTTP/1.1 200 OK\r\n", b"x-filler: 0123456789\r\n").await;
        assert_eq!(answer, Answer::failed(DeliveryFault::BadAnswer));
        assert!(taken <= LARGEST_HEAD + 64, "{taken} bytes of headers");
        let (answer, taken) = flood(b"HTTP/1.1 200 OK\r\nx-one: ", b"a").await;
        assert_eq!(answer, Answer::failed(DeliveryFault::BadAnswer));
        assert!(taken <= LARGEST_HEAD + 64, "{taken} bytes of one header");
        let (answer, taken) = flood(b"HTTP/1.1 200 OK\r\n\r\n", b"body").await;
        assert_eq!(answer, Answer::of_status(200, None));
        assert!(taken <= LARGEST_HEAD + 64, "{taken} bytes of a body nobody reads");
        let (answer, taken) = flood(b"HTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n").await;
        assert_eq!(answer, Answer::of_status(500, None));
        assert!(taken <= LARGEST_HEAD + 64, "{taken} bytes of chunks nobody reads");
    }

    #[test]
    fn a_wish_to_wait_is_read_in_seconds_and_as_a_date() {
        let now = Timestamp::from_millis(784_111_777_000);
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, http::HeaderValue::from_static(text));
            retry_after(&headers, now)
        };
        assert_eq!(read("120"), Some(Millis::seconds(120)));
        assert_eq!(read("Sun, 06 Nov 1994 08:49:47 GMT"), Some(Millis::seconds(10)));
        assert_eq!(
            read("Sun, 06 Nov 1994 08:00:00 GMT"),
            Some(Millis(0)),
            "a time that has passed"
        );
        for endless in ["4294967296", "99999999999999999999"] {
            assert_eq!(read(endless), Some(Millis::seconds(u32::MAX.into())), "{endless}");
        }
        for nonsense in ["", "-1", "soon", "1.5", "9999999999s", "9999999999.5"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }
}
