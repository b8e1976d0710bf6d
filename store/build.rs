//! The migrations are embedded at compile time; a new file must lead to a new build.
fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
