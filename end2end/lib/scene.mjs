// The passport, its owner and another person, rendered once for all runs.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { binary, root, run, shown } from "./places.mjs";

const folder = join(shown, "scene");

const made = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const YEAR = 365 * 24 * 60 * 60 * 1000;

/**
 * Renders the scene where it is not there, older than its painter, or a year old, since a licence in it expires;
 * answers what is on the passport. Where `run-tests` says that it was made just now, it is only read: each look takes cargo a second.
 */
export async function scene() {
  if (process.env.HONNIN_SCENE_IS_THERE) return JSON.parse(readFileSync(join(folder, "scene.json"), "utf8"));
  await run("cargo", ["build", "--quiet", "--bin", "specimen"], { cwd: root });
  // It is written last, so that an interrupted scene is rendered again.
  const words = join(folder, "scene.json");
  if (made(words) < Math.max(made(binary("specimen")), Date.now() - YEAR)) {
    const renewed = String(new Date().getFullYear() - 1);
    await run(binary("specimen"), ["scene", "--out", folder, "--renewed", renewed], { cwd: root });
  }
  return JSON.parse(readFileSync(words, "utf8"));
}

/** A picture to upload: `passport`, `owner-straight`, `stranger-left` and so on. */
export const picture = (name) => join(folder, `${name}.jpg`);

/** A video for the fake camera: `passport` or `owner`. */
export const video = (name) => join(folder, `${name}.y4m`);
