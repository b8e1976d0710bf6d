//! A bucket that cannot be reached for a while: the network before it stalls, or refuses. Meanwhile one of three nodes is killed, and the
//! others take its jobs over.
//!
//! Planted faults that these tests detect: an analysis that is given up when the bucket does not answer; a picture that is acknowledged
//! although it was not stored.

use super::{
    node::{Installation, add_tenant, settings},
    takeover::{Member, addresses, create, finish, held, judge, verify},
};
use domain::{ids::SessionId, session::Step, tenant::TenantSettings, time::Millis};
use serde_json::Value;
use server::state::App;
use std::{collections::BTreeSet, time::Duration};
use store::{
    capture::{captures, pictures::Pictures},
    jobs::JobKind,
};
use testkit::{
    authority::acceptor,
    buckets, databases,
    long_runs::count,
    proxy::{Link, Proxy},
    receiver::Receiver,
};
use tokio::{task::JoinSet, time::timeout};
use vision::{Picture, raster::Raster};

/// Sessions whose photos are stored before an outage, and as many whose photos are sent during it.
const EACH: usize = 4;
/// Longer than a job waits that has failed a few times.
const PATIENCE: Duration = Duration::from_secs(180);

/// Three nodes whose connections to the bucket fail together, and phones whose connections to it fail apart from theirs.
struct Scene {
    nodes: Installation,
    phones: Installation,
    links: [Proxy; 2],
    bucket: buckets::Bucket,
}

impl Scene {
    /// `None` without a PostgreSQL and an S3 server.
    async fn new() -> Option<Self> {
        let server = databases::postgres_server()?;
        let bucket = buckets::fresh().await?;
        let database = databases::postgres(&server).await;
        let (of_nodes, node_link) = buckets::behind_proxy(&bucket).await;
        let (of_phones, phone_link) = buckets::behind_proxy(&bucket).await;
        let on = |bucket| Installation::new().on(&database).in_bucket(bucket);
        let nodes = on(&of_nodes);
        let key = nodes.data().join("master.key");
        let phones = on(&of_phones).with(&format!("storage.master_key_file = {key:?}\n"));
        Some(Self {
            nodes,
            phones,
            links: [node_link, phone_link],
            bucket,
        })
    }
}

/// What people do, one task for each. A task ends with how often the photo was refused.
fn send_photos(app: &App, sessions: &[Value]) -> JoinSet<usize> {
    let photo = Picture::from_raster(Raster::filled(640, 480, [90; 3])).unwrap().jpeg;
    let mut people = JoinSet::new();
    for session in sessions {
        let (honnin, session, photo) = (app.honnin.clone(), session.clone(), photo.clone());
        people.spawn(async move { verify(&honnin, &session, &photo).await });
    }
    people
}

/// Kills the node that analyses most pictures, once there is one. Returns the others and what it has left behind.
async fn kill_the_busiest(app: &App, members: &mut Vec<Member>) -> (Member, Vec<String>) {
    let busiest = loop {
        let jobs = held(app, JobKind::Analyse).await;
        let load = |member: &Member| jobs.iter().filter(|job| member.workers.contains(&job.worker)).count();
        let busiest = (0..members.len()).max_by_key(|&index| load(&members[index])).unwrap();
        if load(&members[busiest]) > 0 {
            break busiest;
        }
    };
    let mut victim = members.swap_remove(busiest);
    victim.node.kill();
    let left = held(app, JobKind::Analyse).await.into_iter();
    let left = left.filter(|job| victim.workers.contains(&job.worker));
    let left = left.map(|job| job.subject).collect();
    (victim, left)
}

/// Returns when none of these jobs is held by the workers of a node that was killed.
async fn until_taken_over(app: &App, orphans: &[String], workers: &[String]) {
    let is_left = |job: &super::takeover::Held| orphans.contains(&job.subject) && workers.contains(&job.worker);
    while held(app, JobKind::Analyse).await.iter().any(is_left) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_bucket_cannot_be_reached_and_a_node_is_killed_nothing_is_lost_decided_twice_or_begun_anew() {
    let Some(scene) = Scene::new().await else { return };
    let outages = usize::try_from(count("HONNIN_BUCKET_OUTAGES", 2)).unwrap();
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    // The first to open it creates the master key.
    let first = scene.nodes.open(Millis(0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let steps = vec![Step::Document];
    let with_receiver = TenantSettings {
        steps,
        ..settings(Some(url))
    };
    let tenant = add_tenant(&first, with_receiver).await;
    let app = scene.phones.open(Millis(0)).await;
    let addresses = addresses();
    let mut members = Vec::new();
    for address in addresses {
        members.push(Member::start(&scene.nodes, "serve", address).await);
    }
    let [nodes, phones] = &scene.links;
    let (mut sessions, mut refused, mut left) = (Vec::new(), 0, 0);
    for outage in 0..outages {
        let way = [Link::Stalled, Link::Cut][outage % 2];
        let mut created = Vec::new();
        for number in 0..2 * EACH {
            created.push(create(addresses, tenant.key.expose(), &format!("{outage}-{number}")).await);
        }
        nodes.set(way);
        let stored = send_photos(&app, &created[..EACH]).join_all().await;
        assert_eq!(stored, [0; EACH], "the phones can reach the bucket");
        phones.set(way);
        let sent = send_photos(&app, &created[EACH..]);
        let (victim, orphans) = kill_the_busiest(&app, &mut members).await;
        until_taken_over(&app, &orphans, &victim.workers).await;
        left += orphans.len();
        nodes.set(Link::Open);
        phones.set(Link::Open);
        refused += timeout(PATIENCE, sent.join_all())
            .await
            .expect("photos that are never stored")
            .iter()
            .sum::<usize>();
        members.push(Member::start(&scene.nodes, "serve", victim.address).await);
        sessions.extend(
            created
                .iter()
                .map(|one| SessionId::parse(one["id"].as_str().unwrap()).unwrap()),
        );
    }
    assert!(
        refused > 0 && left > 0,
        "{refused} photos were refused, {left} jobs left"
    );
    // By itself: nobody starts a job again.
    let wanted = sessions.len();
    let all_arrive = async {
        let told = || receiver.ids().into_iter().collect::<BTreeSet<_>>().len();
        for count in receiver.count().. {
            if told() >= wanted {
                return;
            }
            receiver.wait_for(count + 1).await;
        }
    };
    timeout(PATIENCE, all_arrive)
        .await
        .expect("sessions that are never decided");
    for member in members {
        member.node.stop().await;
    }
    finish(&scene.phones).await;
    let pictures = Pictures::in_bucket(&scene.bucket).unwrap();
    let mut events = BTreeSet::new();
    for session in &sessions {
        let judged = judge(&app, &tenant.id, session).await;
        assert_eq!((judged.decisions, judged.audited), (1, 1), "{session}");
        events.insert(judged.event);
        let id = session.clone();
        let taken = app.honnin.db().read(async move |tx| captures::list_all(tx, &id).await);
        let [capture] = taken.await.unwrap().try_into().unwrap();
        assert!(capture.findings.is_some(), "{session}: its analysis was given up");
        let stored = pictures.find(session, &capture.frames[0].object).await.unwrap();
        assert!(stored.is_some(), "{session}: its picture is lost");
    }
    assert_eq!(
        events,
        receiver.ids().into_iter().collect(),
        "each event arrives, and no other"
    );
    println!("{outages} outages, {wanted} sessions, {refused} photos were refused, {left} jobs were taken over");
}
