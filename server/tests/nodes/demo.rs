//! The demonstration.

use super::{free_port, http::call, node::Installation};
use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Stdio},
};
use testkit::databases::run_at;

/// A demonstration that `script` starts, and what it says: all of it, or if it ends before that, what it has said by then.
fn start(installation: &Installation, script: &str) -> (Child, Vec<String>) {
    let mut demo = installation
        .shell(script)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut told = Vec::new();
    for line in BufReader::new(demo.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
    {
        told.push(line);
        if told.last().is_some_and(|line| line.starts_with("Verification URL")) {
            break;
        }
    }
    (demo, told)
}

#[test]
fn a_demonstration_over_https_has_a_link_that_leads_back_from_its_first_start_on() {
    let installation = Installation::new().with(&format!("listen = \"127.0.0.1:{}\"\n", free_port()));
    let script = "export HONNIN_BASE_URL=https://id.example\nexec_honnin demo --tls self-signed";
    let (mut demo, told) = start(&installation, script);
    demo.kill().unwrap();
    demo.wait().unwrap();
    for words in [
        "Callback page    https://id.example/demo/callback",
        "Verification URL https://id.example/v/",
    ] {
        assert!(told.iter().any(|line| line.starts_with(words)), "{told:#?}");
    }
}

#[tokio::test]
async fn a_demonstration_whose_allow_lists_leave_this_machine_out_starts_again() {
    let installation = Installation::new().with(&format!("listen = \"127.0.0.1:{}\"\n", free_port()));
    let stop = |mut demo: Child| {
        demo.kill().unwrap();
        demo.wait().unwrap();
    };
    let (demo, before) = start(&installation, "exec_honnin demo");
    stop(demo);
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    let restrict = "UPDATE tenants SET settings = json_set(settings, '$.ip_allow_list', json('[\"192.0.2.0/24\"]'))";
    assert_eq!(run_at(&url, restrict).await, 2);
    let (demo, told) = start(&installation, "exec_honnin demo");
    stop(demo);
    let last = "Verification URL none, because the caller's address is not allowed";
    assert_eq!(told.last().map(String::as_str), Some(last), "{told:#?}");
    let keys = |told: &[String]| -> Vec<String> {
        let tenants = told
            .iter()
            .filter(|line| line.contains("tenant ") && line.contains("whsec_"));
        tenants.cloned().collect()
    };
    assert_eq!(
        (keys(&told).len(), keys(&told)),
        (2, keys(&before)),
        "the tenants are the same"
    );
}

#[tokio::test]
async fn the_link_of_each_console_works_after_the_other_one_was_used() {
    let address: SocketAddr = ([127, 0, 0, 1], free_port()).into();
    let installation = Installation::new().with(&format!("listen = \"{address}\"\n"));
    let (mut demo, told) = start(&installation, "exec_honnin demo");
    let mut answers = Vec::new();
    for console in ["Sandbox console ", "Console "] {
        let line = told.iter().find(|line| line.starts_with(console));
        let link = line.and_then(|line| line.split(' ').find_map(|word| word.strip_prefix("http://id.example")));
        let head = format!(
            "POST {} HTTP/1.1\r\nsec-fetch-site: same-origin\r\ncontent-type: application/x-www-form-urlencoded\r\n",
            link.unwrap_or("/")
        );
        let answer = call(address, &head, b"password=correct+horse+battery").await;
        answers.push(answer.map(|answer| answer.status));
    }
    // Before anything is judged: a test that fails leaves no process behind.
    demo.kill().unwrap();
    demo.wait().unwrap();
    for answer in answers {
        assert_eq!(answer.unwrap(), 303, "{told:#?}");
    }
}
