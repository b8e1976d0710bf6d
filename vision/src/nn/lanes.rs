//! Loops that are compiled for several vector widths; the widest that the processor supports is chosen at run time.

use rten_simd::ops::{BitOps, NumOps};
use rten_simd::{Isa, SimdOp};

/// Runs a loop with the widest vectors of this processor. The loop must be one that the compiler can vectorise.
pub(super) fn wide<R>(work: impl FnOnce() -> R) -> R {
    struct Work<F>(F);

    impl<R, F: FnOnce() -> R> SimdOp for Work<F> {
        type Output = R;

        #[inline(always)]
        fn eval<I: Isa>(self, _isa: I) -> R {
            (self.0)()
        }
    }

    Work(work).dispatch()
}

/// Adds to each of some results the products of a few inputs with a few weights, lane by lane: one row of a kernel of a depthwise convolution.
///
/// `row` holds pixels of `channels` values; result `x` begins at `x * channels` of `out` and reads the pixels from `x * stride` on.
/// `weights` are `K` times `channels` values.
pub(super) struct Taps<'a, const K: usize> {
    pub(super) out: &'a mut [f32],
    pub(super) row: &'a [f32],
    pub(super) weights: &'a [f32],
    pub(super) channels: usize,
    pub(super) stride: usize,
}

impl<const K: usize> SimdOp for Taps<'_, K> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        let lanes = ops.len();
        let Self {
            out,
            row,
            weights,
            channels,
            stride,
        } = self;
        let whole = channels / lanes * lanes;
        for channel in (0..whole).step_by(lanes) {
            let filter: [I::F32; K] = std::array::from_fn(|k| ops.load(&weights[k * channels + channel..]));
            for (x, pixel) in out.chunks_exact_mut(channels).enumerate() {
                let result = &mut pixel[channel..channel + lanes];
                let inputs = &row[x * stride * channels + channel..];
                let mut sum = ops.load(result);
                for (k, weight) in filter.iter().enumerate() {
                    sum = ops.mul_add(ops.load(&inputs[k * channels..]), *weight, sum);
                }
                ops.store(sum, result);
            }
        }
        for channel in whole..channels {
            for (x, pixel) in out.chunks_exact_mut(channels).enumerate() {
                for k in 0..K {
                    pixel[channel] += row[(x * stride + k) * channels + channel] * weights[k * channels + channel];
                }
            }
        }
    }
}
