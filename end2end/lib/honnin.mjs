// The real binary, with its own data folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, freePort, root, run, shown, target, until } from "./places.mjs";

export class Honnin {
  #process = null;
  #log;

  /** Starts a server. `name` names its log among what the run leaves behind. */
  static async start(name, settings = {}, program = binary("honnin")) {
    const honnin = new Honnin();
    honnin.program = program;
    honnin.data = mkdtempSync(join(tmpdir(), "honnin-end2end-"));
    honnin.port = await freePort();
    honnin.base = `http://localhost:${honnin.port}`;
    honnin.env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HONNIN_LISTEN: `127.0.0.1:${honnin.port}`,
      HONNIN_BASE_URL: honnin.base,
      HONNIN_DATA_DIR: honnin.data,
      HONNIN_SITE_DIR: join(target, "site"),
      HONNIN_MODELS_DIR: join(root, "models"),
      HONNIN_LOG_FORMAT: "json",
      ...settings,
    };
    mkdirSync(join(shown, "logs"), { recursive: true });
    honnin.#log = createWriteStream(join(shown, "logs", `${name}.log`));
    await honnin.resume();
    return honnin;
  }

  /** Starts the process again on the same data. */
  async resume() {
    const child = spawn(this.program, ["serve"], { env: this.env, cwd: this.data, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.pipe(this.#log, { end: false });
    child.stderr.pipe(this.#log, { end: false });
    this.#process = child;
    await until("honnin answers /readyz", async () => {
      if (child.exitCode !== null) throw new Error(`honnin ended with ${child.exitCode}; see ${this.#log.path}`);
      return (await fetch(`${this.base}/readyz`).catch(() => null))?.ok;
    }, { within: 120_000 });
  }

  /** Ends it as a power cut would. */
  async kill() {
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }

  async stop() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await gone;
    }
    this.#log.end();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** What it has logged. */
  log() {
    return readFileSync(this.#log.path, "utf8");
  }

  /** Runs another command of the same binary on the same data. */
  async command(...words) {
    const { stdout } = await run(this.program, words, { env: this.env, cwd: this.data });
    return stdout;
  }

  /** `{tenantId, apiKey, webhookSecret}` of a new tenant. */
  async tenant(name, ...words) {
    return JSON.parse(await this.command("tenant", "create", "--name", name, "--json", ...words));
  }

  /** Resident memory of the process now and at its highest, in bytes. */
  memory() {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, "utf8");
    const bytes = (field) => Number(status.match(new RegExp(`${field}:\\s+(\\d+)`))[1]) * 1024;
    return { now: bytes("VmRSS"), highest: bytes("VmHWM") };
  }

  /** Calls the API with a key. */
  async api(key, method, path, body) {
    const answer = await fetch(this.base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  }
}
