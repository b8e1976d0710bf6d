//! Printing a document: the form first, then the personal data, each with its own ink and within a press's tolerances.

use super::{
    label::{Field, Item, Printed},
    letters::{Hand, Pen, Types, em_for_pitch},
    picture::{Colour, Picture, mix},
};
use rand::{Rng, RngExt, rngs::StdRng};

/// Width and height of a card in millimetres (ISO/IEC 7810, ID-1).
pub(crate) const CARD: (f32, f32) = (85.6, 53.98);
/// Ten letters of OCR-B to an inch (Doc 9303 part 3).
const MRZ_PITCH_MM: f32 = 2.54;
const MRZ_LINE_MM: f32 = 4.24;

/// How one document was printed; drawn at random once for each.
pub(crate) struct Look<'a> {
    pub(crate) form: Hand<'a>,
    pub(crate) fill: Hand<'a>,
    pub(crate) title: Hand<'a>,
    pub(crate) form_ink: Colour,
    pub(crate) fill_ink: Colour,
    /// Size of the personal letters relative to the usual.
    pub(crate) size: f32,
    pub(crate) squeeze: f32,
    pub(crate) tracking: f32,
    /// Offset of the personal print from the form, in millimetres.
    pub(crate) shift: (f32, f32),
    /// Maximum displacement of a line, in millimetres.
    pub(crate) wobble: f32,
    pub(crate) ink: f32,
}

impl<'a> Look<'a> {
    /// A random press, with fonts given by the caller.
    pub(crate) fn drawn(form: Hand<'a>, fill: Hand<'a>, title: Hand<'a>, chance: &mut impl Rng) -> Self {
        let dark: f32 = chance.random_range(8.0..52.0);
        let tint = chance.random_range(0.0..24.0);
        let form_dark: f32 = chance.random_range(15.0..105.0);
        Self {
            form,
            fill,
            title,
            form_ink: [
                form_dark,
                form_dark + chance.random_range(0.0..20.0),
                form_dark + chance.random_range(0.0..50.0),
            ],
            fill_ink: [dark, dark, dark + tint],
            size: chance.random_range(0.93..1.06),
            squeeze: chance.random_range(0.9..1.03),
            tracking: chance.random_range(-0.01..0.07),
            shift: (chance.random_range(-0.6..0.6), chance.random_range(-0.45..0.45)),
            wobble: chance.random_range(0.0..0.15),
            ink: chance.random_range(0.84..1.0),
        }
    }
}

/// A sheet, its content, and how it is written. Positions and lengths are in millimetres; text is placed on its baseline.
pub(crate) struct Page<'a> {
    pub(crate) picture: Picture,
    /// Pixels per millimetre.
    pub(crate) scale: f32,
    pub(crate) look: Look<'a>,
    pub(crate) types: &'a Types,
    pub(crate) printed: Printed,
    pub(crate) chance: StdRng,
    /// The portrait that was printed.
    photo: Option<Picture>,
}

/// The content of an item.
pub(crate) struct Value<'t> {
    pub(crate) item: Item,
    /// As printed.
    pub(crate) text: &'t str,
    /// In normalised form.
    pub(crate) normal: &'t str,
}

impl<'a> Page<'a> {
    /// A sheet with this background.
    pub(crate) fn new(paper: Picture, scale: f32, look: Look<'a>, types: &'a Types, chance: StdRng) -> Self {
        Self {
            picture: paper,
            scale,
            look,
            types,
            printed: Printed::default(),
            chance,
            photo: None,
        }
    }

    fn pen(&self, hand: Hand<'a>, em: f32, colour: Colour) -> Pen<'a> {
        Pen {
            hand,
            em: em * self.scale,
            squeeze: 1.0,
            tracking: 0.0,
            colour,
            ink: self.look.ink,
            pitch: None,
        }
    }

    /// The pen for personal data.
    pub(crate) fn fill_pen(&self, em: f32) -> Pen<'a> {
        Pen {
            squeeze: self.look.squeeze,
            tracking: self.look.tracking,
            ..self.pen(self.look.fill, em * self.look.size, self.look.fill_ink)
        }
    }

    /// Text of the form; returns its right end.
    pub(crate) fn form(&mut self, text: &str, x: f32, y: f32, em: f32) -> f32 {
        let pen = self.pen(self.look.form, em, self.look.form_ink);
        self.put(text, x, y, &pen)
    }

    /// Text of the form that must fit into a cell.
    pub(crate) fn form_within(&mut self, text: &str, x: f32, y: f32, em: f32, room: f32) {
        let mut pen = self.pen(self.look.form, em, self.look.form_ink);
        pen.squeeze *= (room * self.scale / pen.width(text).max(1.0)).min(1.0);
        self.put(text, x, y, &pen);
    }

    /// A heading in a colour; returns its right end.
    pub(crate) fn title(&mut self, text: &str, x: f32, y: f32, em: f32, colour: Colour) -> f32 {
        let pen = self.pen(self.look.title, em, colour);
        self.put(text, x, y, &pen)
    }

    fn put(&mut self, text: &str, x: f32, y: f32, pen: &Pen<'_>) -> f32 {
        pen.write(&mut self.picture, text, x * self.scale, y * self.scale) / self.scale
    }

    /// Personal text that is not an item; returns its right end.
    pub(crate) fn fill(&mut self, text: &str, x: f32, y: f32, em: f32) -> f32 {
        let (x, y) = self.moved(x, y);
        let pen = self.fill_pen(em);
        self.put(text, x, y, &pen)
    }

    /// Personal text that is not an item, condensed if it would not fit.
    pub(crate) fn fill_within(&mut self, text: &str, x: f32, y: f32, em: f32, room: f32) {
        let (x, y) = self.moved(x, y);
        let mut pen = self.fill_pen(em);
        pen.squeeze *= (room * self.scale / pen.width(text).max(1.0)).min(1.0);
        self.put(text, x, y, &pen);
    }

    /// Where the press actually prints what belongs at a position.
    fn moved(&mut self, x: f32, y: f32) -> (f32, f32) {
        let wobble = self.look.wobble.max(1e-3);
        let (dx, dy) = (
            self.chance.random_range(-wobble..wobble),
            self.chance.random_range(-wobble..wobble),
        );
        (x + self.look.shift.0 + dx, y + self.look.shift.1 + dy)
    }

    /// An item, condensed if it would not fit; returns its right end.
    pub(crate) fn item(&mut self, value: &Value<'_>, x: f32, y: f32, em: f32, room: f32) -> f32 {
        self.item_between(value, ("", ""), x, y, em, room)
    }

    /// An item with text before and after it in the same ink, such as `第 .. 号`. Only the item's own position is labelled.
    pub(crate) fn item_between(
        &mut self,
        value: &Value<'_>,
        (before, after): (&str, &str),
        x: f32,
        y: f32,
        em: f32,
        room: f32,
    ) -> f32 {
        let (x, y) = self.moved(x, y);
        let mut pen = self.fill_pen(em);
        let whole = format!("{before}{}{after}", value.text);
        pen.squeeze *= (room * self.scale / pen.width(&whole).max(1.0)).clamp(0.5, 1.0);
        let start = x + pen.width(before) / self.scale;
        let end = start + pen.width(value.text) / self.scale;
        let right = self.put(&whole, x, y, &pen);
        let em = pen.em / self.scale;
        self.note(value, [start, y - 0.82 * em, end, y + 0.14 * em]);
        right
    }

    /// An item on several lines, which the label's text joins.
    pub(crate) fn item_lines(
        &mut self,
        value: &Value<'_>,
        lines: &[String],
        [x, y]: [f32; 2],
        em: f32,
        step: f32,
        room: f32,
    ) {
        let (x, mut y) = self.moved(x, y);
        let top = y;
        let mut right = x;
        for line in lines {
            let mut pen = self.fill_pen(em);
            pen.squeeze *= (room * self.scale / pen.width(line).max(1.0)).clamp(0.5, 1.0);
            right = self.put(line, x, y, &pen).max(right);
            y += step;
        }
        let em = em * self.look.size;
        self.note(value, [x, top - 0.82 * em, right, y - step + 0.14 * em]);
    }

    fn note(&mut self, value: &Value<'_>, [left, top, right, bottom]: [f32; 4]) {
        self.printed.fields.push(Field {
            name: value.item,
            text: value.text.to_owned(),
            normalized: value.normal.to_owned(),
            wanted: true,
            also: Vec::new(),
            corners: Some([[left, top], [right, top], [right, bottom], [left, bottom]]),
        });
    }

    /// Other forms of the last item that are also correct.
    pub(crate) fn also(&mut self, forms: &[&str]) {
        if let Some(field) = self.printed.fields.last_mut() {
            field.also.extend(forms.iter().map(|form| (*form).to_owned()));
        }
    }

    /// An item that follows from others; correct if returned.
    pub(crate) fn implied(&mut self, item: Item, normal: &str) {
        self.printed.fields.push(Field {
            name: item,
            text: normal.to_owned(),
            normalized: normal.to_owned(),
            wanted: false,
            also: Vec::new(),
            corners: None,
        });
    }

    /// An item that exists only in machine-readable data; a reader should find it anyway.
    pub(crate) fn coded(&mut self, item: Item, normal: &str) {
        self.implied(item, normal);
        if let Some(field) = self.printed.fields.last_mut() {
            field.wanted = true;
        }
    }

    /// Vertical text, the first character centred at a position.
    pub(crate) fn upright(&mut self, text: &str, x: f32, top: f32, em: f32, step: f32) {
        let pen = self.pen(self.look.form, em, self.look.form_ink);
        for (index, letter) in text.chars().enumerate() {
            let letter = letter.to_string();
            let left = x - pen.width(&letter) / self.scale / 2.0;
            self.put(&letter, left, top + em * 0.85 + index as f32 * step, &pen);
        }
    }

    /// A filled rectangle.
    pub(crate) fn block(&mut self, left: f32, top: f32, width: f32, height: f32, colour: Colour, share: f32) {
        let scale = self.scale;
        let (x0, y0) = ((left * scale).round() as i64, (top * scale).round() as i64);
        let (x1, y1) = (
            ((left + width) * scale).round() as i64,
            ((top + height) * scale).round() as i64,
        );
        for y in y0..y1 {
            for x in x0..x1 {
                self.picture.blend(x, y, colour, share);
            }
        }
    }

    /// A ruled line, horizontal or vertical.
    pub(crate) fn rule(&mut self, left: f32, top: f32, width: f32, height: f32) {
        let hair = 0.16;
        let ink = self.look.form_ink;
        self.block(left, top, width.max(hair), height.max(hair), ink, 0.75);
    }

    /// An empty box.
    pub(crate) fn frame(&mut self, left: f32, top: f32, width: f32, height: f32) {
        for (x, y, w, h) in [
            (left, top, width, 0.0),
            (left, top + height, width, 0.0),
            (left, top, 0.0, height),
            (left + width, top, 0.0, height),
        ] {
            self.rule(x, y, w, h);
        }
    }

    /// The position of the portrait, to be filled by `picture`.
    pub(crate) fn portrait(
        &mut self,
        picture: impl FnOnce(usize, usize) -> Picture,
        left: f32,
        top: f32,
        width: f32,
        height: f32,
    ) {
        let (dx, dy) = (self.chance.random_range(-0.5..0.5), self.chance.random_range(-0.4..0.4));
        let (left, top) = (left + dx, top + dy);
        let photo = picture((width * self.scale) as usize, (height * self.scale) as usize);
        self.picture
            .paste(&photo, (left * self.scale) as usize, (top * self.scale) as usize);
        self.printed.portrait = Some([left, top, width, height]);
        self.photo = Some(photo);
    }

    /// The portrait again, small and faint, in the colours of the paper below it: a second one that a forger must change as well.
    /// Two of three issuers print it.
    pub(crate) fn ghost(&mut self, left: f32, top: f32, width: f32) {
        let (is_printed, strength) = (self.chance.random_bool(0.67), self.chance.random_range(0.45..0.8));
        let (dx, dy) = (self.chance.random_range(-1.0..1.0), self.chance.random_range(-1.0..1.0));
        let Some(photo) = self.photo.as_ref().filter(|_| is_printed) else {
            return;
        };
        let wide = (width * self.scale) as usize;
        let high = wide * photo.height / photo.width.max(1);
        let small = photo.resized(wide, high);
        let (left, top) = ((left + dx) * self.scale, (top + dy) * self.scale);
        let (right, bottom) = (left + wide as f32, top + high as f32);
        self.picture.change(|x, y, paper| {
            if x < left || x >= right || y < top || y >= bottom {
                return paper;
            }
            let [r, g, b] = small.at(x - left, y - top);
            let dark = 1.0 - (0.299 * r + 0.587 * g + 0.114 * b) / 255.0;
            // It fades towards its edges, as a laser or a rainbow print does.
            let edge = |at: f32, size: f32| (at.min(size - at) / (size * 0.18)).clamp(0.0, 1.0);
            let share = strength * edge(x - left, wide as f32).min(edge(y - top, high as f32));
            paper.map(|value| value * (1.0 - dark * share))
        });
    }

    /// A red square seal with characters in columns.
    pub(crate) fn seal(&mut self, text: &str, left: f32, top: f32, size: f32) {
        let red = [200.0, 40.0, 40.0];
        for (x, y, w, h) in [
            (left, top, size, 0.25),
            (left, top + size - 0.25, size, 0.25),
            (left, top, 0.25, size),
            (left + size - 0.25, top, 0.25, size),
        ] {
            self.block(x, y, w, h, red, 0.85);
        }
        let side = (text.chars().count() as f32).sqrt().ceil().max(1.0);
        let em = (size - 0.7) / side;
        let pen = Pen {
            hand: self.look.title,
            ..self.pen(self.look.title, em, red)
        };
        for (index, letter) in text.chars().enumerate() {
            let (column, row) = (index as f32 / side, index as f32 % side);
            let x = left + size - 0.35 - em * (column.floor() + 1.0);
            self.put(&letter.to_string(), x, top + 0.35 + em * (row + 0.86), &pen);
        }
    }

    /// The words that mark it as a specimen, in large letters across the page or small in a free place.
    pub(crate) fn specimen(&mut self, text: &str, x: f32, y: f32, em: f32) {
        let pen = Pen {
            ink: 0.55,
            ..self.pen(self.look.title, em, [200.0, 30.0, 50.0])
        };
        self.put(text, x, y, &pen);
    }

    /// Machine-readable lines at the bottom, in OCR-B with its pitch.
    pub(crate) fn machine_zone(&mut self, lines: Vec<String>, foot: f32) {
        let height = self.picture.height as f32 / self.scale;
        let pitch = MRZ_PITCH_MM
            * self.scale
            * if lines.len() == 3 || lines.len() == 1 {
                0.985
            } else {
                1.0
            };
        let top = height - lines.len() as f32 * MRZ_LINE_MM - foot;
        let band = ((top - 1.6) * self.scale) as usize;
        self.picture.change(|_, y, colour| {
            if y as usize >= band {
                mix(colour, [246.0, 246.0, 242.0], 0.75)
            } else {
                colour
            }
        });
        let font = &self.types.machine;
        let pen = Pen {
            hand: [font, font],
            em: em_for_pitch(font, pitch),
            pitch: Some(pitch),
            ..self.pen([font, font], 1.0, [20.0; 3])
        };
        for (index, line) in lines.iter().enumerate() {
            let left = (self.picture.width as f32 - line.len() as f32 * pitch) / 2.0;
            let baseline = (top + index as f32 * MRZ_LINE_MM + 3.2) * self.scale;
            pen.write(&mut self.picture, line, left, baseline);
        }
        self.printed.mrz = lines;
    }
}
