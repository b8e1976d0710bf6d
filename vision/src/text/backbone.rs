//! The layers that both text networks begin with: the LCNet of PaddleOCR, a stem and blocks of a depthwise convolution and two products.
//!
//! They run on our own kernels, since `rten` takes up to twice as long for them (`docs/decisions/0048-text-networks.md`).

use crate::model::ModelError;
use crate::nn::{Activation, Conv, Convolution, Convolutions, Depthwise, FeedForward, Map, Padding, Squeeze, pool_max};

/// Slope of the hard sigmoid that weighs channels within a block.
const SLOPE: f32 = 1.0 / 6.0;

/// Stem and blocks.
pub(super) struct Backbone {
    stem: Stem,
    blocks: Vec<Block>,
}

/// A picture at a quarter of its height and width.
struct Stem {
    halve: Conv,
    small: [Conv; 2],
    join: Conv,
    widen: Conv,
}

struct Block {
    depthwise: Depthwise,
    squeeze: Option<Squeeze>,
    products: FeedForward,
    /// Whether it halves the height.
    halves: bool,
}

impl Backbone {
    /// Takes its convolutions from the file. The blocks end where no depthwise convolution of three by three follows.
    pub(super) fn take(file: &mut Convolutions) -> Result<Self, ModelError> {
        let stem = Stem {
            halve: conv(&file.next()?, Padding::Around(1), Activation::Relu)?,
            small: [
                conv(&file.next()?, Padding::Same, Activation::Relu)?,
                conv(&file.next()?, Padding::Same, Activation::Relu)?,
            ],
            join: conv(&file.next()?, Padding::Around(1), Activation::Relu)?,
            widen: conv(&file.next()?, Padding::Valid, Activation::Relu)?,
        };
        let mut blocks = Vec::new();
        while matches!(file.peek(), Some([_, 1, 3, 3])) {
            blocks.push(Block::take(file)?);
        }
        Ok(Self { stem, blocks })
    }

    /// The last layer. `before_halving` is shown each layer that the next block makes smaller.
    pub(super) fn run(&self, picture: &Map, mut before_halving: impl FnMut(&Map)) -> Result<Map, ModelError> {
        let mut layer = self.stem.run(picture)?;
        for block in &self.blocks {
            if block.halves {
                before_halving(&layer);
            }
            layer = block.run(&layer)?;
        }
        Ok(layer)
    }
}

impl Stem {
    fn run(&self, picture: &Map) -> Result<Map, ModelError> {
        let half = self.halve.run(picture)?;
        let small = self.small[1].run(&self.small[0].run(&half)?)?;
        let joined = Map::joined(&[&pool_max(&half, 2, 1, Padding::Same), &small])?;
        self.widen.run(&self.join.run(&joined)?)
    }
}

impl Block {
    fn take(file: &mut Convolutions) -> Result<Self, ModelError> {
        let first = file.next()?;
        let channels = first.outputs();
        let depthwise = depthwise(&first, 1)?;
        // A squeeze has fewer outputs than inputs, the first of the products more.
        let squeezes = file.peek().is_some_and(|shape| shape.first() < Some(&channels));
        let squeeze = squeezes.then(|| squeeze(file, SLOPE)).transpose()?;
        let (widen, narrow) = (file.next()?, file.next()?);
        let products = FeedForward::new((&widen.filter()?, widen.bias()), (&narrow.filter()?, narrow.bias()))?;
        let adds = first.stride == [1, 1] && narrow.outputs() == channels;
        Ok(Self {
            depthwise,
            squeeze,
            products: if adds { products.residual() } else { products },
            halves: first.stride[0] == 2,
        })
    }

    fn run(&self, input: &Map) -> Result<Map, ModelError> {
        let mut layer = self.depthwise.run(input)?;
        if let Some(squeeze) = &self.squeeze {
            squeeze.run(&mut layer)?;
        }
        self.products.run(layer)
    }
}

pub(super) fn conv(from: &Convolution, padding: Padding, activation: Activation) -> Result<Conv, ModelError> {
    Conv::new(&from.filter()?, None, from.bias(), from.stride[0], padding, activation)
}

pub(super) fn depthwise(from: &Convolution, padding: usize) -> Result<Depthwise, ModelError> {
    let mut filter = from.filter()?;
    filter.shape.swap(2, 3);
    let layer = Depthwise::new(&filter, None, from.bias.clone(), 1, Activation::None)?;
    Ok(layer.around(from.stride, padding))
}

pub(super) fn squeeze(file: &mut Convolutions, slope: f32) -> Result<Squeeze, ModelError> {
    let (reduce, expand) = (file.next()?, file.next()?);
    Squeeze::new(
        (&reduce.filter()?, reduce.bias()),
        (&expand.filter()?, expand.bias()),
        slope,
    )
}
