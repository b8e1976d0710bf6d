//! `honnin verify-decision`: what it prints, and how it ends. What it compares is tested where it is done.

use super::node::{Installation, settings};
use domain::{ids::SessionId, sandbox::SandboxOutcome, scope::Scope, tenant::Mode, time::Millis};
use service::{
    access::{Operator, tenant_by_key},
    sandbox::complete_in_sandbox,
    session::create::create_session,
    settings::create_tenant::{NewTenant, create_tenant},
};
use std::{net::IpAddr, process::Output};

fn verify(installation: &Installation, id: &SessionId) -> (Option<i32>, String, String) {
    let script = format!("honnin verify-decision {id}");
    let Output { status, stdout, stderr } = installation.shell(&script).output().unwrap();
    let [said, failed] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (status.code(), said, failed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_says_what_it_cannot_recompute_and_knows_no_other_sessions() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    let sandbox = NewTenant {
        name: "Example Shop's sandbox".into(),
        settings: settings(None),
        mode: Mode::Sandbox,
    };
    let made = create_tenant(&app.honnin, &Operator::at_command_line(), sandbox).await;
    let key = made.unwrap().key.expose().clone();
    let here = IpAddr::from([127, 0, 0, 1]);
    let caller = tenant_by_key(&app.honnin, &key, here, Scope::Create).await.unwrap();
    let open = create_session(&app.honnin, &caller, b"{}").await.unwrap().id;
    let made_up = create_session(&app.honnin, &caller, b"{}").await.unwrap().id;
    complete_in_sandbox(&app.honnin, &caller, made_up.as_str(), SandboxOutcome::Rejected)
        .await
        .unwrap();
    app.honnin.close().await.unwrap();

    let (code, said, failed) = verify(&installation, &made_up);
    assert_eq!(code, Some(3), "{failed}");
    let (first, rest) = said.split_once('\n').unwrap();
    assert!(
        first.starts_with("Attempt 1, decided ") && first.ends_with(": rejected"),
        "{said}"
    );
    assert_eq!(rest, "  not recomputed: its data was made up in a sandbox\n");
    assert!(failed.contains("not everything could be recomputed"), "{failed}");

    let (code, said, failed) = verify(&installation, &open);
    assert_eq!((code, said.as_str()), (Some(3), ""), "{failed}");
    assert!(
        failed.contains("no attempt of this session was decided automatically"),
        "{failed}"
    );

    let (code, said, failed) = verify(&installation, &SessionId::from_random([7; 16]));
    assert_eq!((code, said.as_str()), (Some(1), ""), "{failed}");
    assert!(failed.contains("there is no session with this id"), "{failed}");

    let help = installation.shell("honnin --help").output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("verify-decision"));
}
