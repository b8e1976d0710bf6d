// The example customer as a process: it creates one session and receives its events.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LONGEST, Lines, binary, freePort, run, until } from "./places.mjs";

/** A receiver's port and certificate, made before Honnin starts so that Honnin can be told to trust it. */
export class Receiver {
  #customers = [];

  static async make() {
    const receiver = new Receiver();
    receiver.folder = mkdtempSync(join(tmpdir(), "honnin-customer-"));
    receiver.port = await freePort();
    receiver.url = `https://localhost:${receiver.port}/`;
    await run(binary("customer"), ["--only-certificate", "--cert-out", receiver.folder]);
    // The settings that allow Honnin to send webhooks to this machine.
    receiver.settings = {
      HONNIN_WEBHOOKS_ALLOW_NETWORKS: "127.0.0.0/8,::1/128",
      HONNIN_WEBHOOKS_EXTRA_CA_FILE: join(receiver.folder, "customer.pem"),
    };
    return receiver;
  }

  /** Starts a customer that creates a session; answers when the link is there. One that a failed test left behind ends. */
  async customer(honnin, tenant, ...words) {
    await this.#endAll();
    const child = spawn(
      binary("customer"),
      ["--base", honnin.base, "--key", tenant.apiKey, "--secret", tenant.webhookSecret, "--listen", `127.0.0.1:${this.port}`,
        "--cert-out", this.folder, ...words],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    this.#customers.push(child);
    const lines = new Lines(child.stdout);
    const [, session] = await lines.next(/^session (vs_[0-9a-f]{32})$/);
    const [, link] = await lines.next(/^link (\S+)$/);
    return new Customer(child, lines, session, link);
  }

  async #endAll() {
    for (const child of this.#customers.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
  }

  async remove() {
    await this.#endAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Customer {
  constructor(child, lines, session, link) {
    Object.assign(this, { child, lines, session, link });
    this.ended = once(child, "exit");
  }

  /**
   * The id of the session's event of this type, once it was received and its signature found right. Any other event of the session ends the wait at
   * once, since this one will not come any more; except for those that it comes `after`.
   */
  async event(type, { after = [] } = {}) {
    const found = () => {
      const ours = this.events.filter((event) => event.ours);
      const event = ours.find((event) => event.type === type);
      const other = ours.find((event) => !after.includes(event.type));
      if (!event && other) throw new Error(`${other.type} instead of ${type}`);
      return event?.id;
    };
    return until(`the event ${type}`, found, { within: LONGEST }).catch((error) => {
      throw new Error(`${error.message}, after:\n${this.lines.all.join("\n")}`);
    });
  }

  /**
   * Ids and types of all events so far, in order, and how often one came again. Events of the session are `ours`: the customer reads the result
   * before it takes note of one.
   */
  get events() {
    return this.lines.all.flatMap((line, at, all) => {
      const match = line.match(/^(event|again) (evt_[0-9a-f]{32}) (\S+)$/);
      const ours = match?.[1] === "event" && at > 0 && all[at - 1].startsWith("result ");
      return match ? [{ again: match[1] === "again", ours, id: match[2], type: match[3] }] : [];
    });
  }

  /** What GET said after the n-th event, counted from 1. */
  async result(n = 1) {
    const found = () => this.lines.all.filter((line) => line.startsWith("result "))[n - 1];
    const line = await until(`result ${n}`, found, { within: LONGEST });
    return JSON.parse(line.slice("result ".length));
  }

  async stop() {
    if (this.child.exitCode === null) this.child.kill("SIGTERM");
    await this.ended;
  }
}
