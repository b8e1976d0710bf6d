// The looks that were accepted, in `end2end/baseline/`: a file for each page with its elements, and one with the styles of all of them.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What rounding may change from one version of Chromium to the next: pixels of a box, 255ths of a colour, any other number. */
const SLACK = { box: 1, colour: 1, number: 0.05 };

/** Colours and numbers of a value; colours as numbers from 0 to 255. */
const numbersOf = (value, slack) => [...value.matchAll(/#([0-9a-f]{6,8})|-?\d+(?:\.\d+)?/g)].flatMap(([number, colour]) =>
  colour ? colour.match(/../g).map((channel) => [Number.parseInt(channel, 16), SLACK.colour]) : [[Number(number), slack]]);
const wordsOf = (value) => value.replace(/#[0-9a-f]{6}(?:[0-9a-f]{2})?/g, (colour) => "#".repeat(colour.length)).replace(/-?\d+(?:\.\d+)?/g, "0");

/** Whether two values differ by no more than rounding. */
function alike(a, b, slack) {
  if (a === b) return true;
  if (a === undefined || b === undefined || wordsOf(a) !== wordsOf(b)) return false;
  const others = numbersOf(b, slack);
  return numbersOf(a, slack).every(([number, slack], at) => Math.abs(number - others[at][0]) <= slack);
}

/** The longest way in which both lists go on in the same order: pairs, with `null` for what one of them lacks. */
function aligned(before, after, keyOf) {
  const [a, b] = [before.map(keyOf), after.map(keyOf)];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) pairs.push([before[i++], after[j++]]);
    else if (j === b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) pairs.push([before[i++], null]);
    else pairs.push([null, after[j++]]);
  }
  return pairs;
}

/** The elements of a page then and now. One whose text has changed is still the same. */
function pairsOf(before, after) {
  const pairs = aligned(before, after, ({ what, text }) => `${what} ${text}`);
  const all = [];
  for (let at = 0; at < pairs.length; ) {
    const gone = [], fresh = [];
    for (; at < pairs.length && !(pairs[at][0] && pairs[at][1]); at += 1) (pairs[at][0] ? gone : fresh).push(pairs[at][0] ?? pairs[at][1]);
    all.push(...aligned(gone, fresh, ({ what }) => what));
    if (at < pairs.length) all.push(pairs[at++]);
  }
  return all;
}

/** How an element differs: `[of what, from, to]`. */
function changesOf(before, after) {
  if (!before) return [["new", "", ""]];
  if (!after) return [["gone", "", ""]];
  const names = [...new Set([...Object.keys(before.style), ...Object.keys(after.style)])];
  const styles = names.filter((name) => !alike(before.style[name], after.style[name], SLACK.number));
  return [
    ...styles.map((name) => [name, before.style[name] ?? "usual", after.style[name] ?? "usual"]),
    ...(before.text === after.text ? [] : [["text", `"${before.text}"`, `"${after.text}"`]]),
    ...(alike(before.box, after.box, SLACK.box) ? [] : [["box", before.box, after.box]]),
  ];
}

/** How the pages differ, by page: `{ page, element, of, from, to }`. Both are maps of pages to their elements. */
export function differences(before, after) {
  const all = [];
  for (const page of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    if (!before.has(page) || !after.has(page)) {
      all.push({ page, element: { what: "the page", text: "" }, of: after.has(page) ? "new" : "gone", from: "", to: "" });
      continue;
    }
    for (const [old, now] of pairsOf(before.get(page), after.get(page)))
      for (const [of, from, to] of changesOf(old, now)) all.push({ page, element: now ?? old, of, from, to });
  }
  return all;
}

/** Causes before consequences: a style moves boxes, and a box never changes a style. */
const weight = ({ of }) => ["gone", "new", "style", "text", "box"].indexOf(["gone", "new", "text", "box"].includes(of) ? of : "style");

/** The differences in words: what is the same on many pages is said once. */
export function told(differences, { atMost = 30 } = {}) {
  const groups = new Map();
  for (const difference of differences.toSorted((a, b) => weight(a) - weight(b))) {
    const { element, of, from, to } = difference;
    const change = `${element.what}: ${of}${from || to ? ` ${from} → ${to}` : ""}`;
    groups.set(change, [...(groups.get(change) ?? []), difference]);
  }
  const pages = [...new Set(differences.map(({ page }) => page))].sort();
  const lines = [...groups].map(([change, all]) => {
    const [{ element, page }] = all;
    const others = all.length - 1;
    return `${change}\n    ${element.text ? `"${element.text}" ` : ""}on ${page}${others ? ` and ${others} more` : ""}`;
  });
  return [
    `${pages.length} ${pages.length === 1 ? "page has" : "pages have"} changed: ${pages.join(", ")}`, "",
    ...lines.slice(0, atMost), ...(lines.length > atMost ? [`and ${lines.length - atMost} more changes`] : []),
  ].join("\n");
}

const STYLES = "styles.txt";
/** The styles of an element of a kind are numbered; most kinds have one. */
const numbered = (kind, number) => (number > 1 ? `${kind}  ~${number}` : kind);

/** The files of the pages: `[name, text]`. */
function files(pages) {
  const styles = new Map();
  const numberOf = ({ what, style }) => {
    const text = Object.entries(style).map(([name, value]) => `  ${name} ${value}\n`).join("");
    const ofKind = styles.get(what) ?? [];
    styles.set(what, ofKind);
    if (!ofKind.includes(text)) ofKind.push(text);
    return ofKind.indexOf(text) + 1;
  };
  const texts = [...pages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, elements]) => [
    `${name}.txt`,
    elements.map((element) => {
      const { depth, what, text, box } = element;
      return `${numbered(`${"  ".repeat(depth)}${what}${text ? ` "${text}"` : ""}  ${box}`, numberOf(element))}\n`;
    }).join(""),
  ]);
  const kinds = [...styles].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...texts, [STYLES, kinds.map(([kind, texts]) => texts.map((text, at) => `${numbered(kind, at + 1)}\n${text}`).join("")).join("")]];
}

/** The accepted pages: a map of their names to their elements. */
export function read(folder) {
  const styles = new Map();
  const styleLines = existsSync(join(folder, STYLES)) ? readFileSync(join(folder, STYLES), "utf8").trimEnd().split("\n") : [];
  let style;
  for (const line of styleLines) {
    const [, name, value] = line.match(/^  (\S+) (.*)$/) ?? [];
    if (name) style[name] = value;
    else styles.set(line, (style = {}));
  }
  const pages = new Map();
  for (const file of existsSync(folder) ? readdirSync(folder, { recursive: true }) : []) {
    if (!file.endsWith(".txt") || file === STYLES) continue;
    const elements = readFileSync(join(folder, file), "utf8").trimEnd().split("\n").map((line) => {
      const [, indent, what, text = "", box, number = "1"] = line.match(/^( *)(\S+)(?: "([^"]*)")?  (.*?)(?:  ~(\d+))?$/);
      return { depth: indent.length / 2, what, text, box, style: styles.get(numbered(what, Number(number))) };
    });
    pages.set(file.slice(0, -".txt".length), elements);
  }
  return pages;
}

/** Accepts the pages as they are. What differs by rounding stays as it was, so that it does not change with the machine. */
export function accept(folder, pages) {
  const known = read(folder);
  for (const [name, elements] of pages)
    for (const [before, after] of pairsOf(known.get(name) ?? [], elements)) {
      if (!before || !after) continue;
      if (alike(before.box, after.box, SLACK.box)) after.box = before.box;
      for (const [property, value] of Object.entries(after.style))
        if (alike(before.style[property], value, SLACK.number)) after.style[property] = before.style[property];
    }
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of files(pages)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
