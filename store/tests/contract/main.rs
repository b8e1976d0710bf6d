//! Every store function on SQLite and on Postgres. Each test takes fresh databases from [`harness::backends`].

mod harness;
mod jobs;
mod pictures;
mod schema;
mod vault;
