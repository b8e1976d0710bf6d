// Somebody in front of the selfie camera who does what the page asks. The server chooses the movements while the camera is on, so no
// recorded video could: the camera's stream is drawn in the page, from photographs of the same person.
import { readFileSync } from "node:fs";
import { LONGEST, until } from "./places.mjs";
import { picture } from "./scene.mjs";

/** Runs in the page, before its scripts: replaces the camera that faces the user once somebody sits before it. */
function installCamera() {
  const devices = navigator.mediaDevices;
  if (!devices) return;
  const real = devices.getUserMedia.bind(devices);
  const decode = (base64) => createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/jpeg" }));
  devices.getUserMedia = async (wishes) => {
    const sitter = globalThis.honninSitter;
    if (!sitter || wishes.video?.facingMode?.ideal !== "user") return real(wishes);
    const poses = {};
    for (const [name, base64] of Object.entries(sitter.poses)) poses[name] = await decode(base64);
    const canvas = document.createElement("canvas");
    ({ width: canvas.width, height: canvas.height } = poses.straight);
    const context = canvas.getContext("2d");
    const behaviours = {
      obedient: (asked) => asked,
      wrongSide: (asked) => ({ left: "right", right: "left" })[asked] ?? asked,
      unmoved: () => "straight",
      absent: () => null,
      joined: (asked) => asked,
      masked: () => "straight",
      lit: (asked) => asked,
      looped: (asked) => asked,
      frozen: () => null,
    };
    // Nobody comes back to the very place where they were before a movement.
    let last = null, movements = 0;
    const spot = () => [18 * Math.cos(2.4 * movements), 18 * Math.sin(2.4 * movements), 1 + 0.01 * (movements % 4)];
    const draw = () => {
      const stage = document.querySelector(".stage");
      const asked = ["left", "right", "near"].find((name) => stage?.classList.contains(name)) ?? "straight";
      const shown = behaviours[sitter.does](asked);
      context.fillStyle = "#9aa0a6";
      context.fillRect(0, 0, canvas.width, canvas.height);
      // A virtual camera that shows the same pictures again and again, or one picture all the time.
      const isSame = ["looped", "frozen"].includes(sitter.does);
      const at = performance.now() / 1000;
      // Nobody is quite still.
      if (shown !== last) [last, movements] = [shown, movements + 1];
      const [aside, down, nearer] = isSame ? [0, 0, 1] : spot();
      const [dx, dy] = isSame ? [0, 0] : [aside + 1.6 * Math.sin(at * 1.9), down + 1.2 * Math.sin(at * 1.3)];
      const zoom = (shown === "near" ? 1.4 : 1) * nearer;
      const [w, h] = [canvas.width * zoom, canvas.height * zoom];
      // Around the eyes, which stay where they are.
      const [left, top] = [(canvas.width - w) / 2 + dx, (canvas.height - h) * 0.42 + dy];
      const image = poses[shown] ?? poses.straight;
      if (shown) context.drawImage(image, left, top, w, h);
      if (sitter.does === "masked") {
        // Over mouth and chin, with folds across.
        const place = (x, y) => [left + x * w, top + y * h];
        context.fillStyle = "#7fb2cf";
        context.beginPath();
        for (const [x, y] of [[0.385, 0.5], [0.52, 0.475], [0.655, 0.5], [0.64, 0.67], [0.52, 0.755], [0.4, 0.67]]) context.lineTo(...place(x, y));
        context.fill();
        context.strokeStyle = "#6b9ebb";
        context.lineWidth = 0.006 * h;
        for (const y of [0.56, 0.61, 0.66]) {
          context.beginPath();
          context.moveTo(...place(0.41, y));
          context.lineTo(...place(0.63, y));
          context.stroke();
        }
      }
      // No light is quite the same twice: equal frames in two sessions would be a film.
      const [r, g, b] = [0, 1, 2].map(() => 256 * Math.random());
      context.fillStyle = `rgb(${r} ${g} ${b} / 4%)`;
      if (!isSame) context.fillRect(0, 0, canvas.width, canvas.height);
      const light = stage?.querySelector(".light")?.getAttribute("fill");
      if (sitter.does === "lit" && light?.startsWith("#")) {
        // The light of the screen on a face that is near it; the wall behind is too far away.
        context.save();
        context.globalCompositeOperation = "multiply";
        context.globalAlpha = 0.15;
        context.fillStyle = light;
        context.beginPath();
        context.ellipse(canvas.width / 2, canvas.height * 0.48, canvas.width * 0.3, canvas.height * 0.36, 0, 0, 7);
        context.fill();
        context.restore();
      }
      if (sitter.does === "joined") {
        context.drawImage(image, w * 0.3, 0, w * 0.4, h, canvas.width * 0.28, 0, w * 0.22, h * 0.55);
        context.drawImage(image, w * 0.3, 0, w * 0.4, h, canvas.width * 0.5, 0, w * 0.22, h * 0.55);
      }
    };
    draw();
    setInterval(draw, 60);
    return canvas.captureStream(15);
  };
}

/** Every page of this context can have somebody in front of its camera. */
export const withSitter = (context) => context.addInitScript(installCamera);

/**
 * Puts a person in front of the selfie camera: `owner` or `stranger`, who is `obedient`, `wrongSide`, `unmoved`, `absent`, `joined`, `masked` or `lit`.
 * `looped` and `frozen` are cameras without a person.
 */
export async function sit(page, who, does = "obedient") {
  const poses = Object.fromEntries(
    ["straight", "left", "right"].map((pose) => [pose, readFileSync(picture(`${who}-${pose}`)).toString("base64")]),
  );
  await page.evaluate((sitter) => { globalThis.honninSitter = sitter; }, { poses, does });
}

/**
 * Waits until the camera has come to what `seen` looks for. Like a person, begins again whenever the camera asks for it, several times if need be:
 * how soon it delivers a picture, and how fast it sees what is in it, depend on the machine.
 */
export function persist(page, what, seen) {
  const again = page.locator(".stage-panel:not([hidden]) .primary");
  return until(what, async () => {
    if (await seen()) return true;
    // The page may go on just now.
    if (await again.isVisible()) await again.click({ timeout: 2_000 }).catch(() => {});
  }, { within: 2 * LONGEST, every: 100 });
}

/** Waits until the camera is done and the page has gone on to `path`. */
export async function filmed(page, path) {
  await persist(page, `${path} after the camera`, () => new URL(page.url()).pathname === path);
  await page.waitForLoadState();
}

/** Waits until the page shows what its camera sees. */
export const pictured = (page) =>
  persist(page, "the camera's picture", () => page.evaluate(() => document.querySelector("video")?.videoWidth > 0));

/** Waits until a photo can be taken by hand; answers the button for it. */
export async function shutter(page) {
  const button = page.locator(".shutter:not([hidden])");
  await persist(page, "the shutter", () => button.isVisible());
  return button;
}

/** From now on the person does something else. */
export const behave = (page, does) => page.evaluate((now) => { globalThis.honninSitter.does = now; }, does);

/** Lets this many seconds pass on the clock by which the page's camera waits. */
export const pass = (page, seconds) => page.evaluate((ms) => {
  const now = performance.now.bind(performance);
  performance.now = () => now() + ms;
}, 1_000 * seconds);
