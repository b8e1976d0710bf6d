//! `/metrics` on its own port: the metrics follow what happens, and reveal nothing about anybody.

use crate::support::{Answer, SESSIONS, Server, until_asked_for_body};
use domain::time::Millis;
use service::jobs::worker::{Lane, Worker};
use testkit::databases::{WriteLock, number_at, run_at};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const ON: &str = "metrics_listen = \"127.0.0.1:0\"\n[worker]\nembedded = false\n";

async fn ask(server: &Server, path: &str) -> Answer {
    let mut stream = TcpStream::connect(server.metrics.unwrap()).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes).await);
    Answer::parse(&bytes)
}

/// The value of a line; 0 if there is none yet.
async fn figure(server: &Server, line: &str) -> f64 {
    let text = ask(server, "/metrics").await.body;
    let found = text.lines().find_map(|have| have.strip_prefix(line)?.strip_prefix(' '));
    found.map_or(0.0, |value| value.parse().unwrap())
}

async fn complete(server: &Server, outcome: &str) {
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let done = server
        .call("POST", &path, &format!(r#"{{"outcome":"{outcome}"}}"#))
        .await;
    assert_eq!(done.status, 200);
}

#[tokio::test]
async fn it_is_off_unless_configured_and_never_on_the_public_port() {
    let off = Server::new().await;
    assert_eq!(off.metrics, None);
    let on = Server::with(ON).await;
    assert_eq!(on.send("GET", "/metrics", &[], "").await.status, 404);
    let answer = ask(&on, "/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("content-type")
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    assert!(answer.body.ends_with("# EOF\n"));
    for other in ["/", "/healthz", "/v1/openapi.json", "/admin"] {
        assert_eq!(ask(&on, other).await.status, 404, "{other}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_template_method_and_status() {
    let server = Server::with(ON).await;
    let line = |route: &str, method: &str, status: u16| {
        format!(r#"honnin_http_requests_total{{route="{route}",method="{method}",status="{status}"}}"#)
    };
    for (times, id) in ["a", "b", "c"].into_iter().enumerate() {
        assert_eq!(
            figure(&server, &line("/v1/verification-sessions/{id}", "GET", 404)).await,
            times as f64
        );
        server.call("GET", &format!("{SESSIONS}/{id}"), "").await;
    }
    server.create("{}").await;
    server.call("BREW", SESSIONS, "").await;
    server.call("GET", "/v1/a/secret/path", "").await;
    assert_eq!(figure(&server, &line(SESSIONS, "POST", 201)).await, 1.0);
    assert_eq!(figure(&server, &line(SESSIONS, "other", 405)).await, 1.0);
    assert_eq!(figure(&server, &line("-", "GET", 404)).await, 1.0);
    let count = r#"honnin_http_request_seconds_count{route="/v1/verification-sessions/{id}"}"#;
    assert_eq!(figure(&server, count).await, 3.0);
}

#[tokio::test]
async fn what_is_committed_is_counted() {
    // The request log is written every second, in commits of its own.
    let server = Server::sandbox_with(&format!("{ON}[retention]\nrequests_per_tenant = 0\n")).await;
    // A start notes the age of the master key, which is a unit of its own.
    let noted = r#"honnin_secret_age_seconds{secret="master_key"}"#;
    let until_noted = async { while !ask(&server, "/metrics").await.body.contains(noted) {} };
    let within = std::time::Duration::from_secs(30);
    tokio::time::timeout(within, until_noted)
        .await
        .expect("the age is noted");
    let before = figure(&server, "honnin_commit_units_sum").await;
    for outcome in ["approved", "rejected", "needs_review", "failed", "expired"] {
        complete(&server, outcome).await;
    }
    for (to, times) in [
        ("created", 5.0),
        ("completed", 2.0),
        ("reviewing", 1.0),
        ("failed", 1.0),
        ("expired", 1.0),
    ] {
        let line = format!(r#"honnin_session_transitions_total{{to="{to}"}}"#);
        assert_eq!(figure(&server, &line).await, times, "{to}");
    }
    let line = r#"honnin_verdicts_total{verdict="approved",source="automatic"}"#;
    assert_eq!(figure(&server, line).await, 1.0);
    // A creation and a completion each, and the tenant's key of the first person who can be found by name.
    assert_eq!(figure(&server, "honnin_commit_units_sum").await, before + 11.0);
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server
        .change(&id, |row| row.session.status = domain::session::Status::Failed)
        .await;
    let path = format!("{SESSIONS}/{id}/reprocess");
    futures::future::join_all((0..8).map(|_| server.call("POST", &path, ""))).await;
    let line = r#"honnin_session_transitions_total{to="collecting"}"#;
    assert_eq!(figure(&server, line).await, 1.0, "what was rolled back does not count");
    assert!(figure(&server, "honnin_commit_seconds_count").await > 0.0);
}

#[tokio::test]
async fn a_job_that_has_failed_for_half_an_hour_is_seen_although_it_is_not_due() {
    let server = Server::sandbox_with(ON).await;
    server
        .save_settings(Some(domain::tenant::TenantSettings {
            webhook_url: Some("https://192.168.0.1/hooks".into()),
            ..crate::support::settings()
        }))
        .await;
    complete(&server, "approved").await;
    let failing = |kind: &str| format!(r#"honnin_jobs_failing{{kind="{kind}"}}"#);
    assert_eq!(figure(&server, &failing("deliver")).await, 0.0);
    let failed = "UPDATE jobs SET failures = 8, run_at = run_at + 60000 WHERE kind = 'deliver' AND finished_at IS NULL";
    assert_eq!(run_at(&server.database_url(), failed).await, 1);
    assert_eq!(figure(&server, r#"honnin_jobs_due{kind="deliver"}"#).await, 0.0);
    assert_eq!(figure(&server, &failing("deliver")).await, 1.0);
    assert_eq!(figure(&server, &failing("erase")).await, 0.0);
}

#[tokio::test]
async fn jobs_that_wait_and_attempts_that_fail_are_seen() {
    let server = Server::sandbox_with(ON).await;
    server
        .save_settings(Some(domain::tenant::TenantSettings {
            webhook_url: Some("https://192.168.0.1/hooks".into()),
            ..crate::support::settings()
        }))
        .await;
    complete(&server, "approved").await;
    let (due, oldest) = (
        r#"honnin_jobs_due{kind="deliver"}"#,
        r#"honnin_jobs_oldest_seconds{kind="deliver"}"#,
    );
    assert_eq!((figure(&server, due).await, figure(&server, oldest).await), (1.0, 0.0));
    server.clock.advance(Millis::seconds(90));
    assert_eq!((figure(&server, due).await, figure(&server, oldest).await), (1.0, 90.0));
    let worker = Worker::new(server.app.honnin.clone(), Lane::Deliver, 1);
    worker.run_until_idle().await.unwrap();
    assert_eq!((figure(&server, due).await, figure(&server, oldest).await), (0.0, 0.0));
    let text = ask(&server, "/metrics").await.body;
    let attempts: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("honnin_webhook_attempts_total"))
        .collect();
    assert_eq!(attempts, [r#"honnin_webhook_attempts_total{result="url_refused"} 1"#]);
}

#[tokio::test]
async fn open_connections_are_counted_and_closed_ones_are_not() {
    let server = Server::with(ON).await;
    let idle = [
        TcpStream::connect(server.address).await.unwrap(),
        TcpStream::connect(server.address).await.unwrap(),
    ];
    // A response to a third connection shows that the first two were accepted.
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    while figure(&server, "honnin_http_connections").await != 2.0 {
        tokio::task::yield_now().await;
    }
    drop(idle);
    while figure(&server, "honnin_http_connections").await != 0.0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn metrics_are_answered_until_the_last_request_is_answered() {
    let mut server = Server::with(ON).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {SESSIONS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 2\r\n\
         expect: 100-continue\r\n\r\n",
        server.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    until_asked_for_body(&mut stream).await;
    server.app.stopping.cancel();
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(&server, "/metrics").await.status, 200);
    stream.write_all(b"{}").await.unwrap();
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes).await);
    assert_eq!(Answer::parse(&bytes).status, 201);
    (&mut server.task).await.unwrap();
    assert!(TcpStream::connect(server.metrics.unwrap()).await.is_err());
}

#[tokio::test]
async fn no_figure_names_anybody() {
    let server = Server::sandbox_with(ON).await;
    let body = r#"{"metadata": {"order": "canary"}, "preRegisteredInfo": {"lastName": "Canary"}}"#;
    let created = server.create(body).await;
    server
        .call("GET", &format!("{SESSIONS}/{}", created["id"].as_str().unwrap()), "")
        .await;
    complete(&server, "rejected").await;
    let text = ask(&server, "/metrics").await.body;
    for named in ["anary", "Example Shop", "vs_", "tn_", "evt_", "hn_test", "127.0.0.1"] {
        assert!(!text.contains(named), "{named} in {text}");
    }
}

#[tokio::test]
async fn the_age_of_the_oldest_secret_of_each_kind_is_seen() {
    let server = Server::with(ON).await;
    service::privacy::secret_age::note(&server.app.honnin).await.unwrap();
    server.clock.advance(Millis::hours(2));
    for kind in ["master_key", "webhook_secret", "api_key"] {
        let line = format!(r#"honnin_secret_age_seconds{{secret="{kind}"}}"#);
        assert_eq!(figure(&server, &line).await, 7_200.0, "{kind}");
    }
    let text = ask(&server, "/metrics").await.body;
    assert!(!text.contains("openid_client_secret"), "there is none: {text}");
}

#[tokio::test]
async fn a_clock_that_has_jumped_is_seen_until_it_was_steady_for_ten_minutes() {
    let server = Server::with(ON).await;
    let line = "honnin_clock_steady";
    assert_eq!(figure(&server, line).await, 1.0);
    server.clock.jump(Millis::days(1));
    assert_eq!(figure(&server, line).await, 0.0);
    let text = ask(&server, "/metrics").await.body;
    assert!(text.contains("honnin_clock_steady 0\n"), "{text}");
    server.clock.advance(Millis::minutes(10));
    assert_eq!(figure(&server, line).await, 1.0);
}

#[tokio::test]
async fn the_validity_of_the_served_certificate_is_seen_and_nothing_without_one() {
    let line = "honnin_tls_certificate_expires_timestamp_seconds";
    let server = Server::with(&format!("{ON}[tls]\nmode = \"self-signed\"\n")).await;
    // 4096-01-01, which is what a certificate gets that is generated here.
    let within = std::time::Duration::from_secs(30);
    let seen = async { while figure(&server, line).await != 67_090_118_400.0 {} };
    tokio::time::timeout(within, seen)
        .await
        .expect("it is noted at the start");
    // 1975-01-01.
    let begins = "honnin_tls_certificate_not_before_timestamp_seconds";
    assert_eq!(figure(&server, begins).await, 157_766_400.0);
    let plain = Server::with(ON).await;
    assert!(!ask(&plain, "/metrics").await.body.contains("honnin_tls_certificate"));
}

#[tokio::test]
async fn entries_of_the_audit_log_that_wait_to_be_exported_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let line = "honnin_audit_export_backlog";
    let away = folder.path().join("away/audit.jsonl");
    let with = |path: &std::path::Path| format!("{ON}[audit]\nexport = \"file://{}\"\n", path.display());
    let server = Server::with(&with(&away)).await;
    server.create("{}").await;
    let linked = async { while figure(&server, line).await == 0.0 {} };
    let within = std::time::Duration::from_secs(30);
    tokio::time::timeout(within, linked)
        .await
        .expect("they are linked, and wait");
    std::fs::create_dir(away.parent().unwrap()).unwrap();
    let exported = async { while figure(&server, line).await > 0.0 {} };
    tokio::time::timeout(within, exported).await.expect("they are exported");
    let off = Server::with(ON).await;
    off.create("{}").await;
    assert_eq!(figure(&off, line).await, 0.0);
}

#[tokio::test]
async fn what_cannot_be_read_from_the_database_is_left_out_and_not_shown_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let server = Server::with(&format!("{ON}[audit]\nexport = \"file://{}\"\n", file.display())).await;
    service::privacy::secret_age::note(&server.app.honnin).await.unwrap();
    for (names, away) in [
        (
            &[
                "honnin_jobs_due{",
                "honnin_jobs_oldest_seconds{",
                "honnin_jobs_failing{",
            ][..],
            "ALTER TABLE jobs RENAME TO away_jobs",
        ),
        (
            &["honnin_secret_age_seconds{"][..],
            "ALTER TABLE secret_ages RENAME TO away_secret_ages",
        ),
        (
            &["\nhonnin_audit_export_backlog "][..],
            "ALTER TABLE audit_chain RENAME TO away_audit_chain",
        ),
    ] {
        let known = ask(&server, "/metrics").await.body;
        run_at(&server.database_url(), away).await;
        let unknown = ask(&server, "/metrics").await;
        assert_eq!(unknown.status, 200, "{away}");
        for name in names {
            assert!(known.contains(name), "{name}: {known}");
            assert!(!unknown.body.contains(name), "{name}: {}", unknown.body);
        }
    }
}

#[tokio::test]
async fn a_request_whose_client_hangs_up_is_counted_and_its_developers_find_it() {
    const LOGGED: &str = "SELECT COUNT(*) FROM request_log WHERE status = 499";
    const ATTEMPTS: usize = 50;
    let server = Server::with(ON).await;
    let line = format!(r#"honnin_http_requests_total{{route="{SESSIONS}",method="POST",status="499"}}"#);
    let request = format!(
        "POST {SESSIONS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 2\r\n\r\n{{}}",
        server.key
    );
    let mut logged = 0;
    for _ in 0..ATTEMPTS {
        let held = WriteLock::acquire(&server.database_url()).await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        // While others are answered, it gets as far as its commit, or nearly.
        for _ in 0..3 {
            assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
        }
        drop(stream);
        assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
        held.release().await;
        service::request_log::write(&server.app.honnin).await.unwrap();
        logged = number_at(&server.database_url(), LOGGED).await;
        if logged > 0 {
            break;
        }
    }
    assert!(logged > 0, "in no attempt of {ATTEMPTS}");
    assert!(figure(&server, &line).await >= logged as f64);
}
