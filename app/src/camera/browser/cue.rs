//! Sounds and vibration while filming. Sounds are synthesised, not loaded; a phone switched to silent stays silent.

use super::window;
use js_sys::{Function, Reflect};
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AudioContext, OscillatorType};

/// Volume of a tick, from 0 to 1: audible at arm's length without being startling.
const LOUDNESS: f32 = 0.12;
/// Length of a tick in seconds.
const TICK: f64 = 0.06;
/// The two ticks of a shutter, in hertz, and the time between them.
const SHUTTER: [f32; 2] = [1_900.0, 1_300.0];
const BETWEEN: f64 = 0.07;
/// The tone that announces the movement, in hertz.
const CALL: f32 = 880.0;
/// Length of the vibration in milliseconds.
const BUZZ_MS: f64 = 60.0;

/// The speaker of one run of the camera.
#[derive(Default)]
pub(super) struct Cues(RefCell<Option<AudioContext>>);

impl Cues {
    /// Phones only let a page play sound from within a tap: this is called in the tap that opens the camera.
    pub(super) fn unlock(&self) {
        let mut context = self.0.borrow_mut();
        if context.is_none() {
            *context = AudioContext::new().ok();
        }
        if let Some(context) = context.as_ref() {
            let _ = context.resume();
        }
    }

    /// Releases the speaker.
    pub(super) fn close(&self) {
        if let Some(context) = self.0.borrow_mut().take() {
            let _ = context.close();
        }
    }

    /// Signals that a picture was taken.
    pub(super) fn shutter(&self) {
        for (place, hertz) in SHUTTER.into_iter().enumerate() {
            self.tick(hertz, place as f64 * BETWEEN);
        }
        buzz();
    }

    /// Signals that the movement is now asked for.
    pub(super) fn call(&self) {
        self.tick(CALL, 0.0);
        buzz();
    }

    /// A short tone after `delay` seconds; silent if the browser does not support it.
    fn tick(&self, hertz: f32, delay: f64) {
        if let Some(context) = self.0.borrow().as_ref() {
            let _ = sound(context, hertz, delay);
        }
    }
}

fn sound(context: &AudioContext, hertz: f32, delay: f64) -> Result<(), JsValue> {
    let (note, volume) = (context.create_oscillator()?, context.create_gain()?);
    let begin = context.current_time() + delay;
    note.set_type(OscillatorType::Triangle);
    note.frequency().set_value(hertz);
    volume.gain().set_value_at_time(LOUDNESS, begin)?;
    volume.gain().exponential_ramp_to_value_at_time(0.001, begin + TICK)?;
    note.connect_with_audio_node(&volume)?;
    volume.connect_with_audio_node(&context.destination())?;
    note.start_with_when(begin)?;
    note.stop_with_when(begin + TICK)
}

/// A short vibration if the phone supports it (Safari has no such function) and its user has not asked for reduced motion.
fn buzz() {
    let Some(window) = window() else { return };
    let calm = window.match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    if calm.is_some_and(|calm| calm.matches()) {
        return;
    }
    let navigator = window.navigator();
    if let Ok(vibrate) = Reflect::get(&navigator, &"vibrate".into())
        && let Ok(vibrate) = vibrate.dyn_into::<Function>()
    {
        let _ = vibrate.call1(&navigator, &JsValue::from_f64(BUZZ_MS));
    }
}
