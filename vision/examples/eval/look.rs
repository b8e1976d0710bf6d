//! Examines pictures, several at a time, and remembers the findings of this very program: a run that was stopped goes on.

use crate::{Done, times::Times, truth::Label};
use domain::{
    document::{DocumentType, Side},
    findings::DocumentFindings,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};
use vision::{Vision, normalise};

/// What examines.
pub(crate) struct Looker<'a> {
    pub(crate) vision: &'a Vision,
    cache: PathBuf,
    program: String,
    jobs: usize,
    today: time::Date,
}

/// A picture and what it is said to be.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) path: PathBuf,
    pub(crate) kind: DocumentType,
    pub(crate) side: Side,
}

impl Task {
    /// The picture as what it is.
    pub(crate) fn honest(label: &Label) -> Self {
        Self {
            path: label.path(),
            kind: label.kind,
            side: label.side,
        }
    }
}

/// What was found, and how long it took from the file's bytes on.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Look {
    pub(crate) findings: DocumentFindings,
    pub(crate) milliseconds: f32,
    decode: f32,
    /// Milliseconds of processor time, which other programs on the machine hardly change; unknown where several are examined at once.
    processor: Option<f32>,
}

impl<'a> Looker<'a> {
    /// Findings are kept below `out`, by the hash of this program and of what it looks at.
    pub(crate) fn new(vision: &'a Vision, out: &Path, jobs: usize, today: time::Date) -> Done<Self> {
        let program = hex::encode(Sha256::digest(fs::read(std::env::current_exe()?)?));
        let cache = out.join("findings").join(&program[..16]);
        fs::create_dir_all(&cache)?;
        Ok(Self {
            vision,
            cache,
            program,
            jobs: jobs.max(1),
            today,
        })
    }

    /// Examines all, in order; the name stands beside the progress.
    pub(crate) fn all(&self, tasks: &[Task], name: &str) -> Done<Vec<Look>> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let looks: Mutex<Vec<Option<Look>>> = Mutex::new(vec![None; tasks.len()]);
        std::thread::scope(|threads| {
            let work = || -> Done {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { return Ok(()) };
                    let look = self.one(task)?;
                    looks.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(look);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    let mut terminal = std::io::stderr().lock();
                    write!(terminal, "\r{name}: {done} of {}   ", tasks.len())?;
                }
            };
            let workers: Vec<_> = (0..self.jobs).map(|_| threads.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().map_err(|_| "an examination panicked")?)
        })?;
        writeln!(std::io::stderr())?;
        let looks = looks.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(looks.into_iter().flatten().collect())
    }

    fn one(&self, task: &Task) -> Done<Look> {
        let bytes = fs::read(&task.path).map_err(|error| format!("{}: {error}", task.path.display()))?;
        let mut hash = Sha256::new();
        hash.update(&self.program);
        hash.update(&bytes);
        hash.update(format!("{} {}", task.kind, task.side));
        let kept = self.cache.join(format!("{}.json", &hex::encode(hash.finalize())[..32]));
        if let Ok(look) = fs::read(&kept)
            .map_err(drop)
            .and_then(|text| serde_json::from_slice(&text).map_err(drop))
        {
            return Ok(look);
        }
        let (started, used) = (Instant::now(), processor_time());
        let picture = normalise(&bytes).map_err(|fault| format!("{}: {fault}", task.path.display()))?;
        let decode = started.elapsed().as_secs_f32() * 1000.0;
        let findings = self.vision.examine_document(&picture, task.kind, task.side, self.today);
        let look = Look {
            findings,
            milliseconds: started.elapsed().as_secs_f32() * 1000.0,
            decode,
            processor: processor_time()
                .zip(used)
                .map(|(now, before)| now - before)
                .filter(|_| self.jobs == 1),
        };
        fs::write(&kept, serde_json::to_vec(&look)?)?;
        Ok(look)
    }
}

/// Milliseconds of processor time that this process has used; Linux counts them in tens.
fn processor_time() -> Option<f32> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the program's name, which may contain spaces, `utime` and `stime` are the 12th and 13th.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f32>().ok();
    Some((ticks(11)? + ticks(12)?) * 10.0)
}

/// Times by stage.
pub(crate) fn times(looks: &[Look]) -> Times {
    let mut times = Times::default();
    for look in looks {
        times.add("decode", look.decode);
        times.add("a picture", look.milliseconds);
        if let Some(processor) = look.processor {
            times.add("a picture, processor", processor);
        }
        for stage in &look.findings.timings {
            times.add(&stage.stage, stage.ms);
        }
    }
    times
}
