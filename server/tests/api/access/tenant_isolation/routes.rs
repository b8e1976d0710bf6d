//! The routes of the server, as the router itself tells them.

use server::{router::router, state::App};
use std::collections::{BTreeMap, BTreeSet};

/// Every route of the router: `METHOD /path`. axum offers no list of them, but what its `Debug` writes is made from the same two tables
/// as its answers: the methods of each route, and the path of each.
pub(crate) fn routes(app: &App) -> BTreeSet<String> {
    let text = format!("{:?}", router(app.clone()));
    let (endpoints, rest) = text.split_once("node: Node { paths: {").unwrap();
    let (paths, _) = rest.split_once("\"} }").unwrap();
    let numbered = |text: &str| -> BTreeMap<u32, String> {
        let parts = text
            .split("RouteId(")
            .skip(1)
            .map(|part| part.split_once("): ").unwrap());
        parts
            .map(|(number, rest)| (number.parse().unwrap(), rest.to_owned()))
            .collect()
    };
    let mut endpoints = numbered(endpoints);
    let mut found = BTreeSet::new();
    for (number, path) in numbered(&format!("{paths}\"")) {
        let endpoint = endpoints.remove(&number).unwrap();
        let path = path.split('"').nth(1).unwrap();
        match endpoint.split_once("allow_header: Bytes(b\"") {
            Some((_, methods)) => {
                let methods = methods.split('"').next().unwrap().split(',');
                found.extend(
                    methods
                        .filter(|method| *method != "HEAD")
                        .map(|method| format!("{method} {path}")),
                );
            }
            // The folder of files, for whatever method.
            None => assert!(path.starts_with("/pkg"), "a route of whatever method: {path}"),
        }
    }
    assert!(endpoints.is_empty(), "without a path: {endpoints:?}");
    found
}
