//! The query strings of lists. Every fault is reported, like the faults of a body.

use super::ApiError;
use domain::{
    cursor::{self, After},
    request::Issue,
    time::Timestamp,
};
use percent_encoding::percent_decode_str;
use std::{collections::HashSet, fmt};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use url::form_urlencoded;

/// The largest and the default number of items on a page.
const LARGEST_PAGE: u32 = 100;
const USUAL_PAGE: u32 = 20;
/// Names of parameters in error responses are cut at this many characters.
const NAME_LIMIT: usize = 64;

/// The parameters that no handler has taken yet, and the faults so far.
pub(super) struct Query {
    left: Vec<(String, String)>,
    /// The names of those that were taken.
    taken: HashSet<String>,
    issues: Vec<Issue>,
}

fn issue(tag: &'static str, name: &str, message: impl Into<String>) -> Issue {
    Issue {
        tag,
        path: vec![name.chars().take(NAME_LIMIT).collect()],
        message: message.into(),
    }
}

impl Query {
    pub(super) fn new(text: Option<&str>) -> Self {
        let (mut left, mut issues) = (Vec::new(), Vec::new());
        for written in text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            // One of `written`, which is a single pair.
            let Some((name, value)) = form_urlencoded::parse(written.as_bytes()).into_owned().next() else {
                continue;
            };
            if percent_decode_str(written).decode_utf8().is_ok() {
                left.push((name, value));
            } else {
                issues.push(issue("Format", &name, "is not UTF-8"));
            }
        }
        Self {
            left,
            taken: HashSet::new(),
            issues,
        }
    }

    fn issue(&mut self, tag: &'static str, name: &str, message: impl Into<String>) {
        self.issues.push(issue(tag, name, message));
    }

    /// Takes a parameter that may be given once.
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.left.iter().position(|(key, _)| key == name)?;
        let (name, value) = self.left.remove(at);
        self.taken.insert(name);
        Some(value)
    }

    /// Takes a parameter that `parse` understands; `expected` completes the sentence "must be".
    pub(super) fn parsed<T>(
        &mut self,
        name: &str,
        expected: impl fmt::Display,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.take(name)?;
        let value = parse(&text);
        if value.is_none() {
            self.issue("Format", name, format!("must be {expected}"));
        }
        value
    }

    /// Takes a time in RFC 3339, which bounds times in whole milliseconds: what is since it is since the next of them, and what is before it is
    /// before the next.
    pub(super) fn time(&mut self, name: &str) -> Option<Timestamp> {
        self.parsed(name, "a time such as 2026-08-02T09:30:00.000Z", |text| {
            let nanos = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp_nanos();
            let millis = (nanos + 999_999).div_euclid(1_000_000);
            i64::try_from(millis).ok().map(Timestamp::from_millis)
        })
    }

    /// Takes `limit`.
    pub(super) fn limit(&mut self) -> u32 {
        let limit = self.parsed(
            "limit",
            format_args!("a whole number from 1 to {LARGEST_PAGE}"),
            |text| {
                let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse()
                    .ok()
                    .filter(|limit| digits && (1..=LARGEST_PAGE).contains(limit))
            },
        );
        limit.unwrap_or(USUAL_PAGE)
    }

    /// Takes `cursor`.
    pub(super) fn after<Id>(&mut self, parse: impl FnOnce(&str) -> Option<Id>) -> Option<After<Id>> {
        self.parsed("cursor", "the nextCursor of a page", |text| cursor::parse(text, parse))
    }

    /// Takes every `name[key]=value`. There is no `name[key][key]`.
    pub(super) fn members(&mut self, name: &str) -> Vec<(String, String)> {
        let mut members: Vec<(String, String)> = Vec::new();
        for (key, value) in std::mem::take(&mut self.left) {
            let member = key
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
            // `name` alone is no parameter of its own either: this says how it is meant.
            let misnamed = key == name || member.is_some_and(|member| member.is_empty() || member.contains("]["));
            match member {
                _ if misnamed => {
                    let message = format!("must name a member at the top level, as in {name}[order]=A-17");
                    self.issue("Format", &key, message);
                }
                Some(member) if members.iter().all(|(known, _)| known != member) => {
                    members.push((member.to_owned(), value));
                    self.taken.insert(key);
                }
                _ => self.left.push((key, value)),
            }
        }
        members
    }

    /// `query`, unless there was a fault or a parameter is left.
    ///
    /// # Errors
    /// [`ApiError::Decode`].
    pub(super) fn finish<T>(mut self, query: T) -> Result<T, ApiError> {
        for (name, _) in std::mem::take(&mut self.left) {
            let message = if self.taken.contains(&name) {
                "is given twice"
            } else {
                "is not a parameter of this operation"
            };
            self.issue("Format", &name, message);
        }
        if self.issues.is_empty() {
            Ok(query)
        } else {
            Err(ApiError::Decode(self.issues))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::SessionId;

    fn faults(text: &str) -> Vec<String> {
        let mut query = Query::new(Some(text));
        query.limit();
        query.after(SessionId::parse);
        query.time("createdFrom");
        query.members("metadata");
        let Err(ApiError::Decode(issues)) = query.finish(()) else {
            return Vec::new();
        };
        issues.into_iter().map(|issue| issue.path.concat()).collect()
    }

    #[test]
    fn every_fault_is_named_and_nothing_unknown_is_passed_over() {
        let id = "0123456789abcdef".repeat(2);
        for good in [
            "",
            "limit=1",
            "limit=100&metadata[a]=1&metadata[b]=",
            "createdFrom=2026-08-02T09:30:00.000Z",
            "createdFrom=2026-08-02T09:30:00%2B09:00",
            &format!("cursor=1785663000000.vs_{id}"),
        ] {
            assert_eq!(faults(good), Vec::<String>::new(), "{good}");
        }
        for bad in ["limit=0", "limit=101", "limit=", "limit=%2B1", "limit=1&limit=1"] {
            assert_eq!(faults(bad), ["limit"], "{bad}");
        }
        for bad in [
            "cursor=",
            "cursor=1",
            &format!("cursor=-1.vs_{id}"),
            &format!("cursor=1.evt_{id}"),
        ] {
            assert_eq!(faults(bad), ["cursor"], "{bad}");
        }
        assert_eq!(
            faults("createdFrom=yesterday&limit=x&staus=created"),
            ["limit", "createdFrom", "staus"]
        );
        assert_eq!(
            faults("metadata=1&metadata[a]=1&metadata[a]=2"),
            ["metadata", "metadata[a]"]
        );
        for bad in ["metadata", "metadata[]", "metadata[o][b]", "metadata[o][]"] {
            assert_eq!(faults(&format!("{bad}=1")), [bad]);
        }
        for bad in ["createdFrom=%ff", "metadata[a]=%c3%28", "metadata[%ff]=1", "%ff=1"] {
            assert_eq!(
                faults(bad).len(),
                1,
                "{bad}: what is no UTF-8 is not replaced by something that is"
            );
        }
        assert_eq!(faults(&"x".repeat(100))[0].len(), NAME_LIMIT);
    }

    #[test]
    fn a_filter_that_names_no_member_is_told_how_it_is_written() {
        for written in ["metadata=A-17", "metadata[]=A-17", "metadata[order][id]=A-17"] {
            let mut query = Query::new(Some(written));
            query.members("metadata");
            let Err(ApiError::Decode(issues)) = query.finish(()) else {
                panic!("{written}: nothing is wrong with it");
            };
            let messages: Vec<_> = issues.iter().map(|issue| issue.message.as_str()).collect();
            assert_eq!(
                messages,
                ["must name a member at the top level, as in metadata[order]=A-17"],
                "{written}"
            );
        }
    }

    #[test]
    fn a_parameter_that_is_given_twice_is_not_called_unknown() {
        let mut query = Query::new(Some("limit=1&limit=1&metadata[a]=1&metadata[a]=1&staus=1"));
        query.limit();
        query.members("metadata");
        let Err(ApiError::Decode(issues)) = query.finish(()) else {
            panic!("nothing is wrong with it");
        };
        let messages: Vec<_> = issues.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "is given twice",
                "is given twice",
                "is not a parameter of this operation"
            ]
        );
    }
}
