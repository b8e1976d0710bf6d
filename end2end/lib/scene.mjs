// The passport, its owner and a stranger, rendered once for all runs.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { binary, root, run, shown } from "./places.mjs";

const folder = join(shown, "scene");

/** Renders the scene where it is not there; answers what is on the passport. */
export async function scene() {
  // It is written last, so that a scene that was cut short is made again.
  const words = join(folder, "scene.json");
  if (!existsSync(words)) await run(binary("xtask"), ["scene", "--out", folder], { cwd: root });
  return JSON.parse(readFileSync(words, "utf8"));
}

/** A picture to upload: `passport`, `owner-straight`, `stranger-left` and so on. */
export const picture = (name) => join(folder, `${name}.jpg`);

/** A video for the fake camera: `passport`, `owner-left` and so on. */
export const video = (name) => join(folder, `${name}.y4m`);
