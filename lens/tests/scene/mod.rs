//! Generated pictures of a card on a table, clean or with one defect made on purpose. Seeded: the same every time.

/// Width and height of the generated preview.
pub(crate) const SIZE: (usize, usize) = (640, 480);

/// A small generator of numbers (xorshift64*), so that no crate is needed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1_u64 << 24) as f32
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    fn normal(&mut self) -> f32 {
        (0..6).map(|_| self.next()).sum::<f32>() * 1.414 - 4.243
    }
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub(crate) card: bool,
    pub(crate) passport: bool,
    /// Share of the picture's width that the card's width takes.
    pub(crate) scale: f32,
    pub(crate) tilt: f32,
    /// How much narrower the far side looks.
    pub(crate) perspective: f32,
    pub(crate) shift: (f32, f32),
    pub(crate) paper: f32,
    pub(crate) table: f32,
    pub(crate) texture: f32,
    pub(crate) seed: u64,
}

impl Scene {
    /// A scene that a user would bring about with some care.
    pub(crate) fn good(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let table = if dice.next() < 0.75 {
            dice.between(20.0, 95.0)
        } else {
            dice.between(115.0, 140.0)
        };
        Self {
            card: true,
            passport: dice.next() < 0.4,
            scale: dice.between(0.72, 0.86),
            tilt: dice.between(-0.07, 0.07),
            perspective: dice.between(-0.06, 0.06),
            shift: (dice.between(-0.02, 0.02), dice.between(-0.02, 0.02)),
            paper: dice.between(180.0, 232.0),
            table,
            texture: dice.between(0.0, 9.0),
            seed,
        }
    }

    /// Its luma, `width` by `height`, 0 to 255.
    pub(crate) fn draw(&self, (width, height): (usize, usize)) -> Picture {
        let mut values = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                // Four samples a pixel: edges as soft as a camera's.
                let sum: f32 = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
                    .iter()
                    .map(|(dx, dy)| {
                        self.at(
                            (x as f32 + dx) / width as f32,
                            (y as f32 + dy) / width as f32,
                            height as f32 / width as f32,
                        )
                    })
                    .sum();
                values.push(sum / 4.0);
            }
        }
        Picture { width, height, values }
    }

    /// Luma at a place; both coordinates in picture widths.
    fn at(&self, x: f32, y: f32, tall: f32) -> f32 {
        let table = || {
            let grain = (hash((x * 90.0) as u64, (y * 700.0) as u64, self.seed) - 0.5) * 2.0 * self.texture;
            self.table + grain + (x - 0.5) * 12.0
        };
        if !self.card {
            return table();
        }
        let aspect = if self.passport { 125.0 / 88.0 } else { 85.6 / 54.0 };
        let (cx, cy) = (x - 0.5 - self.shift.0, y - tall / 2.0 - self.shift.1);
        let (sin, cos) = self.tilt.sin_cos();
        let (mut u, v) = (cx * cos + cy * sin, cy * cos - cx * sin);
        u /= 1.0 + self.perspective * v * 2.0;
        let (u, v) = (u / self.scale + 0.5, v / self.scale + 0.5 / aspect);
        let rows = 1.0 / aspect;
        let corner = 0.035;
        let (du, dv) = (
            (0.5 - u).abs() - 0.5 + corner,
            (rows / 2.0 - v).abs() - rows / 2.0 + corner,
        );
        if du > corner || dv > corner || (du > 0.0 && dv > 0.0 && du.hypot(dv) > corner) {
            return table();
        }
        self.card_at(u, v, rows)
    }

    /// Luma on the card: paper, portrait, print, and the lines of the machine-readable zone.
    fn card_at(&self, u: f32, v: f32, rows: f32) -> f32 {
        let (pu, pv) = ((u - 0.06) / 0.24, (v - 0.12) / 0.32);
        if (0.0..1.0).contains(&pu) && (0.0..1.0).contains(&pv) {
            let face = (pu - 0.5).hypot((pv - 0.45) * 1.1);
            let soft = ((0.34 - face) * 8.0).clamp(0.0, 1.0);
            return 165.0 - 55.0 * soft + 20.0 * (pv * 5.0).sin();
        }
        let printed = |top: f32, size: f32, from: f32, to: f32, step: f32| {
            let line = (v - top) / step;
            let (row, within) = (line.floor(), line.fract() * step / size);
            if line < 0.0 || within > 1.0 || u < from || u > to {
                return false;
            }
            let letter = u / (size * 0.72);
            let (column, across) = (letter.floor(), letter.fract());
            let key = hash(column as u64, row as u64, self.seed ^ 77);
            let blank = key < 0.16 || u > to - (to - from) * hash(row as u64, 3, self.seed) * 0.4;
            let upright = (0.08..0.26).contains(&across) || (key > 0.5 && (0.6..0.78).contains(&across));
            let level = (key > 0.3 && within < 0.16)
                || (key > 0.6 && (0.42..0.58).contains(&within))
                || (key < 0.7 && within > 0.84);
            !blank && across < 0.8 && (upright || level)
        };
        let text = v < rows * 0.66 && printed(0.1, 0.032, 0.36, 0.94, 0.062);
        let mrz = printed(rows - 0.15, 0.036, 0.04, 0.96, 0.066) && v > rows - 0.15 && v < rows - 0.02;
        if text || mrz {
            45.0
        } else {
            self.paper + 6.0 * (u * 60.0 + (v * 40.0).sin() * 2.0).sin()
        }
    }
}

fn hash(a: u64, b: u64, seed: u64) -> f32 {
    Dice::new(a.wrapping_mul(0x1000_0000_01b3) ^ b.wrapping_mul(0x9ddf_ea08_eb38_2d69) ^ seed.wrapping_mul(31)).next()
}

/// A grey picture of floats, for the defects.
#[derive(Clone)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) values: Vec<f32>,
}

impl Picture {
    /// As bytes, with a sensor's noise.
    pub(crate) fn taken(&self, noise: f32, dice: &mut Dice) -> Vec<u8> {
        self.values
            .iter()
            .map(|v| (v + dice.normal() * noise).round().clamp(0.0, 255.0) as u8)
            .collect()
    }

    /// Out of focus.
    pub(crate) fn blurred(self, sigma: f32) -> Self {
        let reach = (sigma * 3.0).ceil() as isize;
        let kernel: Vec<f32> = (-reach..=reach)
            .map(|i| (-(i * i) as f32 / (2.0 * sigma * sigma)).exp())
            .collect();
        self.along((1, 0), &kernel).along((0, 1), &kernel)
    }

    /// Moved while the shutter was open.
    pub(crate) fn moved(self, length: usize, direction: (isize, isize)) -> Self {
        self.along(direction, &vec![1.0; length])
    }

    fn along(&self, (dx, dy): (isize, isize), kernel: &[f32]) -> Self {
        let sum: f32 = kernel.iter().sum();
        let half = (kernel.len() / 2) as isize;
        let mut out = self.clone();
        for y in 0..self.height {
            for x in 0..self.width {
                let mut value = 0.0;
                for (i, weight) in kernel.iter().enumerate() {
                    let step = i as isize - half;
                    let sx = (x as isize + step * dx).clamp(0, self.width as isize - 1) as usize;
                    let sy = (y as isize + step * dy).clamp(0, self.height as isize - 1) as usize;
                    value += weight * self.values[sy * self.width + sx];
                }
                out.values[y * self.width + x] = value / sum;
            }
        }
        out
    }

    /// A lamp's reflection: a bright blob that fades.
    pub(crate) fn with_glare(mut self, (cx, cy): (f32, f32), radius: f32) -> Self {
        for (i, value) in self.values.iter_mut().enumerate() {
            let (x, y) = (
                (i % self.width) as f32 / self.width as f32,
                (i / self.width) as f32 / self.width as f32,
            );
            let distance = (x - cx).hypot((y - cy) * 1.4) / radius;
            let light = 330.0 * (-(distance * distance * distance)).exp();
            *value = (*value + light).min(255.0);
        }
        self
    }

    /// Light that falls off by this share from the middle to the right edge, or to the left where it is negative.
    pub(crate) fn lit_unevenly(mut self, share: f32) -> Self {
        for (i, value) in self.values.iter_mut().enumerate() {
            let x = (i % self.width) as f32 / self.width as f32;
            *value = (*value * (1.0 - share * (x - 0.5) * 2.0)).min(255.0);
        }
        self
    }

    /// Less light on everything.
    pub(crate) fn dimmed(mut self, share: f32) -> Self {
        for value in &mut self.values {
            *value *= share;
        }
        self
    }
}
