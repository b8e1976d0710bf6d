//! A scripted resolver that may change its answers.

use async_trait::async_trait;
use service::webhook::sender::resolve::Resolve;
use std::{
    collections::{HashMap, VecDeque},
    io,
    net::{IpAddr, Ipv4Addr},
    sync::Mutex,
};

/// Every name is loopback, until a test says otherwise.
#[derive(Default)]
pub struct Names(Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>);

impl Names {
    /// Answers for `name`, one after another; the last one is repeated.
    pub fn say(&self, name: &str, answers: &[&[IpAddr]]) {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        self.0.lock().unwrap().insert(name.to_owned(), answers);
    }
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut known = self.0.lock().unwrap();
        let Some(answers) = known.get_mut(name) else {
            return Ok(vec![Ipv4Addr::LOCALHOST.into()]);
        };
        let answer = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        answer
            .filter(|found| !found.is_empty())
            .ok_or_else(|| io::Error::other("no such name"))
    }
}
