//! The program as a separate process, with its default settings and one tenant.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Killed when dropped.
pub(crate) struct Node {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
    _folder: TempDir,
}

impl Node {
    /// Without models, so that sessions go to review: this measures the edge and the decoding of pictures.
    pub(crate) fn start(folder: TempDir) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let settings = format!(
            "listen = \"127.0.0.1:{port}\"\nbase_url = \"http://id.example\"\ndata_dir = {:?}\nmodels.dir = {:?}\nsite.dir = {:?}\n\
             log.level = \"error\"\nlimits.creations_per_minute = 0\n",
            path("data"),
            path("none"),
            path("none"),
        );
        let file = folder.path().join("honnin.toml");
        fs::write(&file, settings).unwrap();
        let command = |words: &[&str]| {
            let mut command = Command::new(binary());
            // The variables that control benchmarks are not settings.
            command.env_clear().args(words).arg("--config").arg(&file);
            // A build without jemalloc: glibc would keep what was freed, and that would be measured instead of what is in use.
            command.envs([("MALLOC_ARENA_MAX", "1"), ("MALLOC_MMAP_THRESHOLD_", "262144")]);
            command
        };
        let made = command(&["tenant", "create", "--name", "Shop", "--json"])
            .output()
            .unwrap();
        let made: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
        let process = command(&["serve"])
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let late = Instant::now() + Duration::from_secs(60);
        while std::net::TcpStream::connect(address).is_err() {
            assert!(Instant::now() < late, "it does not listen");
            std::thread::yield_now();
        }
        Self {
            process,
            address,
            key: made["apiKey"].as_str().unwrap().to_owned(),
            _folder: folder,
        }
    }

    /// Peak memory in MiB (`VmHWM`, proc(5)).
    pub(crate) fn memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        kib / 1024.0
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// The binary built with this benchmark, or another one to measure.
#[expect(clippy::disallowed_methods, reason = "the binary's path comes from the environment")]
fn binary() -> String {
    std::env::var("HONNIN_BENCH_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_honnin").to_owned())
}
