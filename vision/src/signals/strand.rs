//! Whether a strand lies across a document: a cable, a cord, a strap. It is too thin for its cells to be of one colour, and comes in over one edge and goes
//! out over another. Nothing that is printed goes on beyond the edge.

use super::colour::{brightness, difference, is_of_tint};
use super::rectified::{Edge, FINE, Profile, Rectified};
use crate::statistics::median;

/// Root mean square over the channels by which a strand differs from what lies on either side of it, in steps of 255.
const FOREIGN: f32 = 30.0;
/// Colours of a strand within the document and beyond it, and at its two ends, differ by less: it is round, and the light on it changes along it.
const ALIKE: f32 = 30.0;
/// What has the tint of the paper and more than this share of its light may be the paper in a shadow, as of the bars of a window.
const SHADE: f32 = 0.35;
/// Width in cells, at least, of a thin cable.
const WIDTH: f32 = 0.7;
/// Places to either side of one, at which a strand of a width of up to two, four and six cells is over.
const BESIDE: [usize; 3] = [2 * FINE, 4 * FINE, 6 * FINE];
/// Cells along the edge that a strand may be further on where it is seen within: between the two are three, and it may come in at 45 degrees.
const SLANT: f32 = 3.0;
/// Of the places that it crosses the edge at, this share continues within.
const GOES_ON: f32 = 0.8;
/// How many times as wide one end may be as the other.
const TAPER: f32 = 2.5;

/// Where a strand crosses an edge.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// The middle, in cells from the left upper corner of the document.
    at: [f32; 2],
    /// In cells.
    width: f32,
    colour: [f32; 3],
}

/// Cells of the document that a strand from edge to edge lies on, as if it were straight; 0 where there is none.
pub(super) fn strand_cells(document: &Rectified) -> f32 {
    let crossings = Edge::ALL.map(|edge| crossings(edge, &document.profiles[edge as usize]));
    let mut longest = 0.0_f32;
    for (from, others) in crossings.iter().enumerate() {
        for one in others {
            for other in crossings.iter().skip(from + 1).flatten() {
                if is_one(one, other) {
                    let length = (one.at[0] - other.at[0]).hypot(one.at[1] - other.at[1]);
                    longest = longest.max(length * f32::midpoint(one.width, other.width));
                }
            }
        }
    }
    longest
}

fn is_one(one: &Crossing, other: &Crossing) -> bool {
    let taper = one.width / other.width;
    difference(one.colour, other.colour) < ALIKE && (1.0 / TAPER..TAPER).contains(&taper)
}

/// Where strands cross an edge.
fn crossings(edge: Edge, profile: &Profile) -> Vec<Crossing> {
    let paper = middle(profile.within.iter().copied());
    let is_strand: Vec<bool> = (0..profile.beyond.len())
        .map(|place| stands_out(&profile.beyond, place))
        .collect();
    let mut found = Vec::new();
    let mut from = 0;
    for run in is_strand.chunk_by(|one, other| one == other) {
        let places = from..from + run.len();
        from = places.end;
        let width = run.len() as f32 / FINE as f32;
        if !run[0] || width < WIDTH {
            continue;
        }
        let colour = middle(profile.beyond[places.clone()].iter().flatten().copied());
        let is_paper = difference(colour, paper) < FOREIGN
            || (brightness(colour) > SHADE * brightness(paper) && is_of_tint(colour, paper));
        if !is_paper && goes_on(&profile.within, places.clone(), colour) {
            let along = places.start as f32 / FINE as f32 + width / 2.0;
            found.push(Crossing {
                at: edge.place(along, 0.0),
                width,
                colour,
            });
        }
    }
    found
}

/// Whether what is seen at a place differs from what lies on either side of it, near or a little further off. The table may change its colour, and shadows
/// fall on it: it does not do so and back again within a strand's width.
fn stands_out(colours: &[Option<[f32; 3]>], place: usize) -> bool {
    let seen = |place: Option<usize>| colours.get(place?).copied().flatten();
    let Some(colour) = seen(Some(place)) else {
        return false;
    };
    BESIDE.into_iter().any(|off| {
        let sides = seen(place.checked_sub(off)).zip(seen(place.checked_add(off)));
        sides.is_some_and(|(before, behind)| {
            let least = difference(colour, before).min(difference(colour, behind));
            least > FOREIGN && difference(before, behind) < least
        })
    })
}

fn middle(colours: impl Iterator<Item = [f32; 3]>) -> [f32; 3] {
    let colours: Vec<[f32; 3]> = colours.collect();
    [0, 1, 2].map(|channel| median(colours.iter().map(|colour| colour[channel])).unwrap_or_default())
}

/// Whether a colour that is seen at these places beyond the edge is seen within, as wide and no wider, here or a little further along.
fn goes_on(within: &[[f32; 3]], places: std::ops::Range<usize>, colour: [f32; 3]) -> bool {
    let slant = (SLANT * FINE as f32) as isize;
    let is_alike = |place: isize| {
        let seen = usize::try_from(place).ok().and_then(|place| within.get(place));
        seen.is_some_and(|seen| difference(*seen, colour) < ALIKE)
    };
    (-slant..=slant).any(|shift| {
        let (start, end) = (places.start as isize + shift, places.end as isize + shift);
        let same = (start..end).filter(|place| is_alike(*place)).count() as f32;
        let beside = places.len() as isize;
        same >= GOES_ON * places.len() as f32
            && ![start - beside..start, end..end + beside]
                .into_iter()
                .any(|mut beside| beside.all(is_alike))
    })
}
