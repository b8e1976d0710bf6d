// What a page looks like, as text: every element that is seen, where it stands, how it is painted. Short enough to be kept beside the code, and
// read in the difference between two commits.
//
// Where an element stands is told from its surroundings: so far from the left of the element around it, and so far below the one above it. If a part
// becomes taller, its own line changes, and not those of everything below.

const WIDTHS = [390, 1280];
const SCHEMES = ["light", "dark"];

/** Runs in the page: every element below `root` that is seen, in the order of the document. */
function seen(root) {
  const numbers = new Map([...document.querySelectorAll("*")].map((element, at) => [element, at]));

  // How values are written.
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const channels = (colour) => {
    const plain = colour.match(/^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/);
    if (plain) return [...plain.slice(1, 4).map(Number), Math.round(Number(plain[4] ?? 1) * 255)];
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const hex = (colour) => {
    if (!known.has(colour)) {
      const [alpha, ...others] = channels(colour).reverse();
      const all = alpha === 255 ? others.reverse() : [...others.reverse(), alpha];
      known.set(colour, alpha === 0 ? "none" : `#${all.map((part) => part.toString(16).padStart(2, "0")).join("")}`);
    }
    return known.get(colour);
  };
  /** Colours in one notation, whichever the browser writes them in; pixels without their unit. */
  const short = (value) => value
    .replace(/(?:rgba?|hsla?|hwb|oklab|oklch|lab|lch|color)\([^()]*\)/g, hex)
    .replace(/(?<![#\w])-?\d+\.\d+/g, (number) => String(Math.round(number * 100) / 100))
    .replace(/(\d)px\b/g, "$1");
  const together = (values) => {
    if (values.every((value) => value === values[0])) return values[0];
    const [top, right, bottom, left] = values;
    return top === bottom && right === left ? `${top}, ${right}` : values.join(", ");
  };
  const sides = (write) => together(["Top", "Right", "Bottom", "Left"].map(write));

  // What is worth telling of an element; what is usual is left out.
  const usual = {
    padding: "0", opacity: "1", position: "static", transform: "none", overflow: "visible", filter: "none", clip: "none", z: "auto", cursor: "auto",
    fit: "fill", background: "none", image: "none", border: "none", radius: "0", shadow: "none", outline: "none", spacing: "normal", align: "start",
    decoration: "none", style: "normal", case: "none",
  };
  const unusual = (style) => Object.fromEntries(Object.entries(style).filter(([name, value]) => value !== usual[name]));
  const shape = (style) => ({
    padding: sides((side) => short(style[`padding${side}`])), opacity: style.opacity, position: style.position, transform: short(style.transform),
    overflow: style.overflow, filter: short(style.filter), clip: style.clipPath, z: style.zIndex, cursor: style.cursor, fit: style.objectFit,
  });
  const line = (width, kind, colour) =>
    width === "0px" || kind === "none" || hex(colour) === "none" ? "none" : short(`${width} ${kind} ${colour}`);
  const ground = (style) => ({
    background: hex(style.backgroundColor), image: short(style.backgroundImage).replace(/url\([^)]*\)/g, "url"),
    border: sides((side) => line(style[`border${side}Width`], style[`border${side}Style`], style[`border${side}Color`])),
    radius: together(["TopLeft", "TopRight", "BottomRight", "BottomLeft"].map((corner) => short(style[`border${corner}Radius`]))),
    shadow: short(style.boxShadow), outline: line(style.outlineWidth, style.outlineStyle, style.outlineColor),
  });
  const isPainted = (ground) => ["background", "image", "border", "shadow", "outline"].some((name) => ground[name] !== usual[name]);
  const letters = (style) => ({
    colour: hex(style.color), font: short(`${style.fontSize} ${style.fontWeight} ${style.lineHeight} ${style.fontFamily.split(",")[0]}`),
    spacing: short(style.letterSpacing), align: style.textAlign, decoration: style.textDecorationLine, style: style.fontStyle, case: style.textTransform,
  });
  const drawing = (svg) => {
    const shapes = [...svg.querySelectorAll("path, rect, circle, ellipse, line, polyline, polygon, use, text")].map((shape) => getComputedStyle(shape));
    const paints = shapes.map(({ fill, stroke, strokeWidth }) => short(stroke === "none" ? fill : `${fill} ${stroke} ${strokeWidth}`));
    return { paint: [...new Set(paints)].join(", ") };
  };

  // What an element is, and what it is called.
  const ownText = (element) => [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join(" ").trim();
  const isPicture = (element) => element.matches("img, svg, video, canvas");
  const isControl = (element) => element.matches("a, button, input, select, textarea, summary, label, progress, meter");
  const isPart = (element) => element.matches("main, nav, header, footer, table, dialog");
  const isClosed = (element) => element.matches("svg, select");
  const what = (element) => {
    const kind = element.matches("input") ? `[${element.type}]` : "";
    const state = element.matches(":checked") ? ":checked" : element.matches(":disabled") ? ":disabled" : "";
    return element.localName + kind + [...element.classList].map((name) => `.${name}`).join("") + state;
  };
  const called = (element) => {
    const value = () => {
      if (element.matches("select")) return element.selectedOptions[0]?.text;
      if (element.matches("input:not([type=checkbox], [type=radio], [type=password]), textarea")) return element.value || element.placeholder;
      return element.matches("a, button, summary") ? element.textContent : "";
    };
    const text = ownText(element) || element.getAttribute("aria-label") || element.getAttribute("alt") || value() || "";
    const words = text.replace(/\s+/g, " ").replaceAll('"', "'").trim();
    return words.length > 24 ? `${words.slice(0, 23)}…` : words;
  };

  // Where something sticks depends on the height of everything else, so it is looked at where it would be otherwise.
  const sticky = [...document.querySelectorAll("*")].filter((element) => getComputedStyle(element).position === "sticky");
  for (const element of sticky) Object.assign(element.style, { position: "relative", inset: "auto" });

  const found = [];
  const add = (number, around, name, text, place, style) => found.push({ number, around, what: name, text, place, style: unusual(style) });
  const addPseudo = (element, pseudo, after) => {
    const style = getComputedStyle(element, pseudo);
    if (["none", "normal"].includes(style.content) || style.display === "none") return;
    const size = style.display === "inline" ? "inline" : `${Math.round(parseFloat(style.width))}x${Math.round(parseFloat(style.height))}`;
    const face = ground(style);
    const text = /^"\s*"$/.test(style.content) ? {} : { content: style.content, ...letters(style) };
    const number = numbers.get(element);
    add(number + after, number, what(element) + pseudo, "", size, { ...shape(style), ...(isPainted(face) ? face : {}), ...text });
  };
  const walk = (element, around) => {
    const style = getComputedStyle(element);
    const rect = element.getBoundingClientRect();
    const isCut = style.overflow !== "visible" && rect.width * rect.height <= 1;
    if (style.display === "none" || isCut || style.clipPath === "inset(50%)") return;
    const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true }) &&
      rect.width * rect.height > 0 && rect.right + scrollX > 0 && rect.bottom + scrollY > 0;
    const face = ground(style);
    const isWritten = isControl(element) || ownText(element) !== "";
    const number = numbers.get(element);
    const isTold = isSeen && (isWritten || isPicture(element) || isPart(element) || isPainted(face));
    if (isTold) {
      add(number, around, what(element), called(element), { rect, position: style.position }, {
        ...shape(style), ...(isPainted(face) ? face : {}), ...(isWritten ? letters(style) : {}), ...(element.matches("svg") ? drawing(element) : {}),
        ...(sticky.includes(element) ? { position: "sticky" } : {}),
      });
      addPseudo(element, "::before", 0.1);
      addPseudo(element, "::after", 0.2);
    }
    if (!isClosed(element)) for (const child of element.children) walk(child, isTold ? number : around);
  };
  walk(document.querySelector(root), -1);
  for (const element of sticky) Object.assign(element.style, { position: "", inset: "" });

  // Where each stands.
  const rects = new Map(found.map(({ number, place }) => [number, place.rect]));
  const isOut = ({ position }) => position === "absolute" || position === "fixed";
  const inFlow = new Map();
  for (const { around, place } of found) if (place.rect && !isOut(place)) inFlow.set(around, [...(inFlow.get(around) ?? []), place.rect]);
  const boxOf = ({ around, place }) => {
    if (!place.rect) return place;
    const { left, right, top, width, height } = place.rect;
    const outer = (place.position !== "fixed" && rects.get(around)) || { left: 0, top: 0 };
    const isAbove = (other) => other.bottom <= top + 0.5 && other.left < right && other.right > left;
    const above = isOut(place) ? [] : inFlow.get(around).filter(isAbove).map(({ bottom }) => bottom);
    return `${Math.round(left - outer.left)},${Math.round(top - Math.max(outer.top, ...above))} ${Math.round(width)}x${Math.round(height)}`;
  };
  return found.map((element) => ({ ...element, place: boxOf(element) }));
}

/** A value in light and dark on a narrow screen, and in both on a wide one: written once if it is the same. */
function inAllModes([light, dark, wideLight, wideDark]) {
  const [narrow, wide] = [[light, dark], [wideLight, wideDark]].map(([a, b]) => (a === b ? a : `${a} / ${b}`));
  return narrow === wide ? narrow : `${narrow} | ${wide}`;
}

/** Looks at the page on a narrow and on a wide screen, in light and in dark: `{ depth, what, text, box, style }` of every element. */
export async function layoutOf(page, root = "body") {
  const elements = new Map();
  const modes = WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })));
  for (const [mode, { width, colorScheme }] of modes.entries()) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    for (const { number, around, what, text, place, style } of await page.evaluate(seen, root)) {
      const known = elements.get(number) ?? { number, what, text, around: [], boxes: modes.map(() => "-"), styles: modes.map(() => null) };
      known.around.push(around);
      known.boxes[mode] = place;
      known.styles[mode] = style;
      elements.set(number, known);
    }
  }
  const depths = new Map([[-1, -1]]);
  return [...elements.values()].sort((a, b) => a.number - b.number).map(({ number, what, text, around, boxes, styles }) => {
    const depth = 1 + Math.max(...around.map((outer) => depths.get(outer)));
    depths.set(number, depth);
    const names = [...new Set(styles.flatMap((style) => Object.keys(style ?? {})))].sort();
    const style = Object.fromEntries(names.map((name) => [name, inAllModes(styles.map((style) => (style ? (style[name] ?? "usual") : "-")))]));
    return { depth, what, text, box: inAllModes(boxes), style };
  });
}
