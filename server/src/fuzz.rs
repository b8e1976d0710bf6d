//! Fuzz targets for headers, forms and configuration files: see docs/TESTING.md.

use crate::{
    config::{Config, Layers},
    edge::{ForwardingHeader, Proxies},
};
use http::{HeaderMap, HeaderValue};
use std::{
    net::{IpAddr, Ipv4Addr},
    str::from_utf8,
};

/// Only a proxy is believed.
#[test]
fn forwarding_headers() {
    let proxies = |header| Proxies {
        trusted: vec!["10.0.0.0/8".parse().unwrap()],
        header,
    };
    let (proxy, stranger) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from(Ipv4Addr::new(192, 0, 2, 1)));
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        for (name, header) in [
            ("x-forwarded-for", ForwardingHeader::XForwardedFor),
            ("forwarded", ForwardingHeader::Forwarded),
        ] {
            let mut headers = HeaderMap::new();
            for line in bytes.split(|byte| *byte == b'\n') {
                if let Ok(value) = HeaderValue::from_bytes(line) {
                    headers.append(name, value);
                }
            }
            let proxies = proxies(header);
            let client = proxies.client(proxy, &headers);
            assert_eq!(client, client.to_canonical(), "an address in another form");
            assert_eq!(proxies.client(stranger, &headers), stranger, "a stranger is believed");
        }
    });
}

#[test]
fn configuration_files() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        let mut layers = Layers::defaults();
        layers.add_file("fuzz.toml", text);
        if let Err(faults) = Config::read(&layers) {
            assert!(!faults.is_empty(), "refused without a reason");
        }
    });
}
