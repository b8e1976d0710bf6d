//! A small ONNX network made for tests: the mean of each plane of a picture. Its output can be computed without running it.

/// Tags of the protobuf fields that are written (`onnx.proto3`), each with the number of its wire type in the lowest bits.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut message = vec![number << 3 | 2];
    message.extend(varint(content.len() as u64));
    message.extend(content);
    message
}

fn number(field: u8, value: u64) -> Vec<u8> {
    let mut message = vec![field << 3];
    message.extend(varint(value));
    message
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// An input or output of floats with this shape.
fn value(name: &str, shape: &[u64]) -> Vec<u8> {
    let dimensions = shape
        .iter()
        .flat_map(|length| field(1, &number(1, *length)))
        .collect::<Vec<_>>();
    let tensor = [number(1, 1), field(2, &dimensions)].concat();
    [field(1, name.as_bytes()), field(2, &field(1, &tensor))].concat()
}

fn node(operator: &str, input: &str, output: &str) -> Vec<u8> {
    [
        field(1, input.as_bytes()),
        field(2, output.as_bytes()),
        field(3, operator.as_bytes()),
        field(4, operator.as_bytes()),
    ]
    .concat()
}

/// An ONNX file: takes 1 × 3 × `side` × `side`, gives 1 × 3, the mean of each plane.
#[must_use]
pub fn mean_of_planes(side: usize) -> Vec<u8> {
    let side = side as u64;
    let graph = [
        field(1, &node("GlobalAveragePool", "picture", "means")),
        field(1, &node("Flatten", "means", "answer")),
        field(2, b"mean of planes"),
        field(11, &value("picture", &[1, 3, side, side])),
        field(12, &value("answer", &[1, 3])),
    ];
    // IR version 8, operators of version 13.
    [number(1, 8), field(7, &graph.concat()), field(8, &number(2, 13))].concat()
}
