//! Which texts are accepted as receiver URLs.

use super::*;

fn parse(text: &str) -> Result<ReceiverUrl, UrlFault> {
    ReceiverUrl::parse(text, &AddressRules::default())
}

#[test]
fn a_plain_https_url_is_a_receiver() {
    for (text, authority, target) in [
        ("https://shop.example/hooks", "shop.example", "/hooks"),
        ("https://shop.example", "shop.example", "/"),
        ("https://SHOP.example:8443/a?b=c", "shop.example:8443", "/a?b=c"),
        ("https://shop.example:443/", "shop.example", "/"),
        ("https://日本.example/", "xn--wgv71a.example", "/"),
        ("https://a-b.c1.example/%20x", "a-b.c1.example", "/%20x"),
    ] {
        let url = parse(text).unwrap();
        assert_eq!(
            (url.authority().as_str(), url.target().as_str()),
            (authority, target),
            "{text}"
        );
    }
}

#[test]
fn everything_else_is_told_what_is_wrong() {
    let long = format!("https://shop.example/{}", "a".repeat(2048));
    for (text, fault) in [
        ("", UrlFault::Malformed),
        ("shop.example", UrlFault::Malformed),
        ("https://", UrlFault::Malformed),
        ("https://shop .example/", UrlFault::Malformed),
        ("https://shop.example\\@evil.example/", UrlFault::Malformed),
        ("https://shop.example/\r\nHost: x", UrlFault::Malformed),
        ("https://sh\top.example/", UrlFault::Malformed),
        ("https://under_score.example/", UrlFault::Malformed),
        ("https://shop.example./", UrlFault::Malformed),
        ("https://-a.example/", UrlFault::Malformed),
        ("https://a..example/", UrlFault::Malformed),
        ("http://shop.example/", UrlFault::NotHttps),
        ("ftp://shop.example/", UrlFault::NotHttps),
        ("file:///etc/passwd", UrlFault::NotHttps),
        ("gopher://shop.example/", UrlFault::NotHttps),
        ("https://user@shop.example/", UrlFault::Credentials),
        ("https://user:word@shop.example/", UrlFault::Credentials),
        ("https://@shop.example/", UrlFault::Credentials),
        ("https:user:word@shop.example/", UrlFault::Credentials),
        ("https:/user@shop.example/", UrlFault::Credentials),
        ("https:///user@shop.example/", UrlFault::Credentials),
        ("https:////user@shop.example/", UrlFault::Credentials),
        ("https:@shop.example/", UrlFault::Malformed),
        ("https:///@shop.example/", UrlFault::Malformed),
        ("https:shop.example/", UrlFault::Malformed),
        ("https:/shop.example/", UrlFault::Malformed),
        ("https:///shop.example/", UrlFault::Malformed),
        ("https://shop.example/#a", UrlFault::Fragment),
        ("https://shop.example/#", UrlFault::Fragment),
        ("https://shop.example:0/", UrlFault::Port),
        ("https://shop.example:22/", UrlFault::Port),
        ("https://shop.example:80/", UrlFault::Port),
        ("https://shop.example:6667/", UrlFault::Port),
        ("https://shop.example:5432/", UrlFault::Port),
        ("https://shop.example:6379/", UrlFault::Port),
        ("https://shop.example:27017/", UrlFault::Port),
        ("https://shop.example:99999/", UrlFault::Malformed),
        (&long, UrlFault::TooLong),
    ] {
        assert_eq!(parse(text).unwrap_err(), fault, "{text:?}");
    }
}

#[test]
fn a_literal_is_accepted_only_within_an_allowed_network() {
    let rules = AddressRules::new(vec!["127.0.0.0/8".parse().unwrap()]);
    assert!(ReceiverUrl::parse("https://127.0.0.1:8443/", &rules).is_ok());
    assert!(
        ReceiverUrl::parse("https://0x7f.1:8443/", &rules).is_ok(),
        "the same address"
    );
    assert_eq!(
        ReceiverUrl::parse("https://10.0.0.1/", &rules).unwrap_err(),
        UrlFault::Literal
    );
    assert_eq!(
        parse("https://93.184.215.14/").unwrap_err(),
        UrlFault::Literal,
        "even a public one"
    );
}

#[test]
fn a_receivers_path_stays_out_of_logs() {
    let url = parse("https://shop.example/hooks?token=hunter2").unwrap();
    assert_eq!(format!("{url:?}"), "ReceiverUrl(shop.example)");
}
