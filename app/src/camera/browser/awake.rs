//! Keeps the screen on while nobody touches it: phones that are not touched lock themselves after half a minute, which ends the camera and, on
//! some, the upload.

use super::window;
use js_sys::{Function, Promise, Reflect};
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The lock that keeps the screen on (Screen Wake Lock API), in browsers that have it. They release it themselves once nobody sees the page.
#[derive(Clone, Default)]
pub(super) struct Awake {
    /// Whether the screen should stay on, which outlasts a lock that the browser has released.
    wanted: Rc<Cell<bool>>,
    /// Incremented whenever it ends: a lock that was asked for before is not wanted any more.
    turn: Rc<Cell<u32>>,
    lock: Rc<RefCell<Option<JsValue>>>,
}

impl Awake {
    /// Keeps the screen on from now on.
    pub(super) fn begin(&self) {
        self.end();
        self.wanted.set(true);
        let (awake, turn) = (self.clone(), self.turn.get());
        spawn_local(async move {
            let Some(lock) = ask().await else { return };
            if awake.turn.get() == turn {
                awake.lock.replace(Some(lock));
            } else {
                release(&lock);
            }
        });
    }

    /// Takes the lock again that the browser released while nobody saw the page, if the screen should still stay on.
    pub(super) fn renew(&self) {
        if self.wanted.get() {
            self.begin();
        }
    }

    /// Lets the screen go off again.
    pub(super) fn end(&self) {
        self.wanted.set(false);
        self.turn.set(self.turn.get().wrapping_add(1));
        if let Some(lock) = self.lock.take() {
            release(&lock);
        }
    }
}

/// `None` where the browser has no such lock, or refuses it, as with a low battery.
async fn ask() -> Option<JsValue> {
    let navigator = window()?.navigator();
    let locks = Reflect::get(&navigator, &"wakeLock".into()).ok()?;
    let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    let asked: Promise = request.call1(&locks, &"screen".into()).ok()?.dyn_into().ok()?;
    JsFuture::from(asked).await.ok()
}

fn release(lock: &JsValue) {
    let release = Reflect::get(lock, &"release".into()).and_then(JsCast::dyn_into::<Function>);
    let _ = release.and_then(|release| release.call0(lock));
}
