// Paths, and the small waits that everything else uses.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
export const profile = process.env.HONNIN_TEST_PROFILE ?? "debug";
export const binary = (name) => join(target, profile, name);
/** What a run leaves behind for people to look at. */
export const shown = join(target, "end2end");

const shell = "/usr/bin/chromium-headless-shell";

/**
 * Chromium, unless `CHROMIUM` names another: its headless shell, which has the engine and no window, and needs half as much of the processor's time for the
 * same pages; or the whole browser.
 */
export const chromiumPath = process.env.CHROMIUM ?? (existsSync(shell) ? shell : "/usr/bin/chromium");

export const run = promisify(execFile);

const given = new Set();

/**
 * A port that was free a moment ago. It is below the ephemeral ports (32768 to 60999 on Linux), so that the system gives it to nobody else, however
 * much later it is used; nor is it given out twice here, or to the files that are tested at the same time: each draws from ports of its own.
 */
export function freePort() {
  return new Promise((done) => {
    const server = createServer();
    const draw = () => {
      const port = 16_384 + (process.pid % 64) * 256 + Math.floor(Math.random() * 256);
      if (given.has(port)) return draw();
      given.add(port);
      server.listen(port, "127.0.0.1");
    };
    server.on("error", draw);
    server.once("listening", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
    draw();
  });
}

/**
 * Milliseconds for what the server has to work on: reading a document, judging a selfie, deciding. Long, because a loaded machine must not look like a
 * fault.
 */
export const LONGEST = 300_000;

/**
 * Milliseconds between two loads of a page that waits for an analysis. It has a tenth of the processor's time where others want it (`nice`): a page that is
 * loaded without a pause holds up what it waits for.
 */
export const UNHURRIED = 1_000;

/** Asks again until the answer is truthy. For states that nobody announces; everything else waits for an event. */
export async function until(what, ask, { within = 90_000, every = 50 } = {}) {
  const end = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await new Promise((next) => setTimeout(next, every));
  }
}

/** The lines a process prints, and promises for those to come. */
export class Lines {
  #waiting = [];
  all = [];

  constructor(stream) {
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) this.#add(line);
    });
  }

  #add(line) {
    this.all.push(line);
    this.#waiting = this.#waiting.filter(({ pattern, done }) => {
      const match = line.match(pattern);
      if (match) done(match);
      return !match;
    });
  }

  /** The first line, printed already or to come, that matches. */
  next(pattern, within = LONGEST) {
    for (const line of this.all) {
      const match = line.match(pattern);
      if (match) return Promise.resolve(match);
    }
    return new Promise((done, fail) => {
      const late = () => fail(new Error(`no line like ${pattern} within ${within} ms after:\n${this.all.join("\n")}`));
      const timer = setTimeout(late, within);
      this.#waiting.push({ pattern, done: (match) => (clearTimeout(timer), done(match)) });
    });
  }
}
