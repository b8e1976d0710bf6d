//! Weights that are too small for a normal number, below 1.2e-38. They change no result, but processors compute with them in microcode: two
//! layers of the text detector, half of whose channels were trained to nothing, took 180 ms each where 2 ms are enough.

use std::ops::Range;

/// Numbers of the fields in `onnx.proto3`: `ModelProto.graph`, `GraphProto.initializer`, `TensorProto.data_type` and `.raw_data`.
const GRAPH: u64 = 7;
const INITIALIZER: u64 = 5;
const DATA_TYPE: u64 = 2;
const RAW_DATA: u64 = 9;
/// `TensorProto.DataType.FLOAT`.
const FLOAT: [u8; 1] = [1];
/// Bits of a float's exponent: a number without any of them is zero or denormal.
const EXPONENT: u32 = 0x7f80_0000;

/// Sets such weights of an ONNX file to zero, in place. What is no ONNX file stays as it is: the loader says so.
pub(super) fn flush(file: &mut [u8]) {
    let graphs = inner(file, 0..file.len(), GRAPH).into_iter();
    let tensors: Vec<Range<usize>> = graphs.flat_map(|graph| inner(file, graph, INITIALIZER)).collect();
    for tensor in tensors {
        let is_float = |range: &Range<usize>| file[range.clone()] == FLOAT;
        if inner(file, tensor.clone(), DATA_TYPE).iter().any(is_float) {
            for weights in inner(file, tensor, RAW_DATA) {
                file[weights].chunks_exact_mut(4).for_each(flush_weight);
            }
        }
    }
}

fn flush_weight(weight: &mut [u8]) {
    if let [a, b, c, d] = *weight
        && u32::from_le_bytes([a, b, c, d]) & EXPONENT == 0
    {
        weight.fill(0);
    }
}

/// Where the values of one field lie in a protobuf message that is `within` the file, as far as it can be understood.
fn inner(file: &[u8], within: Range<usize>, field: u64) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), within.start);
    while at < within.end {
        let Some((number, value)) = next(&file[..within.end], at) else {
            break;
        };
        at = value.end;
        if number == field {
            found.push(value);
        }
    }
    found
}

/// The field that begins at `at`: its number, and where its value lies.
fn next(bytes: &[u8], at: usize) -> Option<(u64, Range<usize>)> {
    let (key, start) = varint(bytes, at)?;
    let (start, length) = match key & 7 {
        0 => (start, varint(bytes, start)?.1 - start),
        1 => (start, 8),
        2 => {
            let (length, start) = varint(bytes, start)?;
            (start, usize::try_from(length).ok()?)
        }
        5 => (start, 4),
        _ => return None,
    };
    let end = start.checked_add(length).filter(|end| *end <= bytes.len())?;
    Some((key >> 3, start..end))
}

/// A number of seven bits a byte, and where it ends.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.get(at..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(index).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((value, at + index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A field with bytes as its value.
    fn field(number: u8, value: &[u8]) -> Vec<u8> {
        let length = u8::try_from(value.len()).unwrap();
        assert!(length < 0x80);
        [&[number << 3 | 2, length], value].concat()
    }

    fn tensor(data_type: u8, weights: &[f32]) -> Vec<u8> {
        let raw: Vec<u8> = weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        let kind = vec![(DATA_TYPE as u8) << 3, data_type];
        [field(8, b"name"), kind, field(RAW_DATA as u8, &raw)].concat()
    }

    fn model(tensors: &[Vec<u8>]) -> Vec<u8> {
        let tensors: Vec<u8> = tensors
            .iter()
            .flat_map(|tensor| field(INITIALIZER as u8, tensor))
            .collect();
        [field(2, b"producer"), field(GRAPH as u8, &tensors)].concat()
    }

    #[test]
    fn weights_below_normal_numbers_become_zero_and_nothing_else_changes() {
        let tiny = f32::from_bits(0x0000_1234);
        let mut file = model(&[tensor(1, &[tiny, 1.5, -tiny, f32::MIN_POSITIVE]), tensor(6, &[tiny])]);
        flush(&mut file);
        let wanted = model(&[tensor(1, &[0.0, 1.5, 0.0, f32::MIN_POSITIVE]), tensor(6, &[tiny])]);
        assert_eq!(file, wanted);
    }

    proptest! {
        #[test]
        fn what_is_no_model_is_no_reason_to_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            flush(&mut bytes);
        }

        #[test]
        fn a_model_cut_short_is_no_reason_to_panic(end in 0_usize..60) {
            let mut file = model(&[tensor(1, &[1.0e-40, 1.0])]);
            file.truncate(end);
            flush(&mut file);
        }
    }
}
