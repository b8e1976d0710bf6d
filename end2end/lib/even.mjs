// A font in which all letters are equally wide, for layouts that have to be the same on every machine.
//
// How wide a word is, and so where a line breaks, depends on the fonts of a machine and on their versions. If Chromium finds this font alone, it
// depends on the text and the style sheet. Ahem, the font of the web-platform-tests, does the same for less of Unicode.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Units of an em, of the part above the baseline, and of a box in place of a letter. */
const EM = 1_000, ASCENT = 800, BOX = 500;
/** The width of each glyph: none, half an em, a whole one. */
const WIDTHS = [EM, EM / 2, EM];
/** First and last character of a glyph. Han, kana and hangul are twice as wide as the others. */
const GROUPS = [[0x20, 0x2fff, 1], [0x3000, 0xd7ff, 2], [0xf900, 0xffff, 2]];

/** Big-endian numbers, written as `[bytes, number, number, ..]`. */
const packed = (...fields) => Buffer.concat(fields.map(([size, ...numbers]) => {
  const part = Buffer.alloc(size * numbers.length);
  numbers.forEach((number, at) => (number < 0 ? part.writeIntBE : part.writeUIntBE).call(part, number, at * size, size));
  return part;
}));

/** A box of that width: one contour, the flags of its four corners, the way from each to the next. */
const glyph = (width) => packed([2, 1, 0, 0, width, BOX, 3, 0], [1, 1, 1, 1, 1], [2, 0, 0, width, 0, 0, BOX, 0, -BOX], [2, 0]);

/** The tables in the order and with the fields of the OpenType specification. */
function tables(weight) {
  const glyphs = WIDTHS.map(glyph);
  const starts = glyphs.map((_, at) => glyphs.slice(0, at + 1).reduce((sum, { length }) => sum + length, 0));
  return {
    "OS/2": packed(
      [2, 4, EM / 2, weight, 5, ...Array(12).fill(0)], [1, ...Array(10).fill(0)], [4, ...Array(5).fill(0)],
      [2, weight > 500 ? 0x20 : 0x40, 0x20, 0xffff, ASCENT, ASCENT - EM, 0, ASCENT, EM - ASCENT], [4, 1, 0], [2, BOX, 700, 0, 0x20, 0],
    ),
    // Format 13 gives all characters of a group the same glyph.
    cmap: packed([2, 0, 1, 3, 10], [4, 12], [2, 13, 0], [4, 16 + 12 * GROUPS.length, 0, GROUPS.length, ...GROUPS.flat()]),
    glyf: Buffer.concat(glyphs),
    head: packed([4, 0x1_0000, 0x1_0000, 0, 0x5f0f3cf5], [2, 0, EM], [4, 0, 0, 0, 0], [2, 0, 0, EM, BOX, weight > 500 ? 1 : 0, 8, 2, 1, 0]),
    hhea: packed([4, 0x1_0000], [2, ASCENT, ASCENT - EM, 0, EM, 0, 0, EM, 1, ...Array(7).fill(0), WIDTHS.length]),
    hmtx: packed([2, ...WIDTHS.flatMap((width) => [width, 0])]),
    loca: packed([4, 0, ...starts]),
    maxp: packed([4, 0x1_0000], [2, WIDTHS.length, 4, 1, 0, 0, 2, ...Array(8).fill(0)]),
    name: packed([2, 0, 0, 6]),
    post: packed([4, 0x3_0000, 0], [2, -100, 50], [4, 0, 0, 0, 0, 0]),
  };
}

function font(weight) {
  const all = Object.entries(tables(weight));
  const parts = [];
  let at = 12 + 16 * all.length;
  const directory = all.map(([tag, table]) => {
    const entry = Buffer.concat([Buffer.from(tag), packed([4, 0, at, table.length])]);
    parts.push(table, Buffer.alloc(-table.length & 3));
    at += table.length + (-table.length & 3);
    return entry;
  });
  return Buffer.concat([packed([4, 0x1_0000], [2, all.length, 128, 3, 16 * all.length - 128]), ...directory, ...parts]);
}

/** Writes the font into a folder; answers the environment in which programs find no other one. */
export function onlyEven(folder) {
  mkdirSync(folder, { recursive: true });
  // Two weights, so that no letter is made bolder, and wider, than it is.
  for (const weight of [400, 700]) writeFileSync(join(folder, `even-${weight}.ttf`), font(weight));
  const config = join(folder, "fonts.conf");
  writeFileSync(config, `<?xml version="1.0"?><fontconfig><dir>${folder}</dir><cachedir>${join(folder, "cache")}</cachedir></fontconfig>`);
  return { FONTCONFIG_FILE: config };
}
