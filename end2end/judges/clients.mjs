// Node's two HTTP clients with keep-alive connections: no call may fail, whatever is requested and however large its body is.
// Run by `scripts/judge-clients`.
//   node clients.mjs BASE KEY CALLS
import http from "node:http";
import { Pool } from "undici";

const [base, key, calls] = process.argv.slice(2);
const AT_ONCE = 8;
/** Bytes of a body. */
const SIZES = [0, 2, 700, 8_000, 30_000, 70_000, 100_000];
/** What is called: method, path, with which key, and the statuses that answer it with a small body and with a large one. */
const CALLS = [
  ["POST", "/v1/verification-sessions", "right", [201], [400]],
  ["POST", "/v1/verification-sessions", "wrong", [401], [401]],
  ["POST", "/v1/verification-sessions", "none", [401], [401]],
  ["GET", "/v1/verification-sessions/vs_x", "right", [404], [404]],
  ["POST", "/v1/verification-sessions/vs_x/reprocess", "right", [404], [404]],
  ["PUT", "/v1/verification-sessions", "right", [405], [405]],
  ["POST", "/v1/nothing", "wrong", [404], [404]],
  ["POST", "/nothing", "none", [404], [404]],
  ["POST", "/admin/sign-in", "none", [422], [422]],
  ["POST", "/capture/pictures", "none", [401, 403], [401, 403]],
];
const LARGE = 64 * 1024;

function call(number) {
  const [method, path, who, small, large] = CALLS[number % CALLS.length];
  const size = method === "GET" ? 0 : SIZES[Math.floor(number / CALLS.length) % SIZES.length];
  const headers = { host: "id.example" };
  if (who === "right") headers.authorization = `Bearer ${key}`;
  if (who === "wrong") headers.authorization = `Bearer ${key.slice(0, -4)}AAAA`;
  const body = size < 2 ? "" : `{${" ".repeat(size - 2)}}`;
  // Every third body is sent in chunks, without its length.
  return { method, path, headers, body, chunked: number % 3 === 0 && size > 0, wanted: size > LARGE ? large : small };
}

/** Sends by `node:http`; answers the status. */
const byNode = (agent) => ({ method, path, headers, body, chunked }) =>
  new Promise((resolve, reject) => {
    const length = chunked ? {} : { "content-length": Buffer.byteLength(body) };
    const request = http.request(base + path, { agent, method, headers: { ...headers, ...length } }, (answer) => {
      answer.on("error", reject).on("end", () => resolve(answer.statusCode)).resume();
    });
    request.on("error", reject);
    if (chunked) for (let at = 0; at < body.length; at += 9_000) request.write(body.slice(at, at + 9_000));
    request.end(chunked ? undefined : body);
  });

/** Sends by undici; answers the status. */
const byUndici = (pool) => async ({ method, path, headers, body, chunked }) => {
  const pieces = async function* () {
    for (let at = 0; at < body.length; at += 9_000) yield Buffer.from(body.slice(at, at + 9_000));
  };
  const answer = await pool.request({ method, path, headers, body: chunked ? pieces() : body || undefined });
  await answer.body.dump();
  return answer.statusCode;
};

/** Makes every call, so many at once. */
async function judge(name, send) {
  const faults = [];
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const made = call(next++);
      const told = `${made.method} ${made.path} with ${made.body.length} bytes`;
      try {
        const status = await send(made);
        if (!made.wanted.includes(status)) faults.push(`${told}: ${status}`);
      } catch (error) {
        faults.push(`${told}: ${error.code ?? error}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  report(name, calls, faults);
}

/** Connections that rest about as long as the server lets them: who was told how long that is does not use one that is closing. */
async function rest(name, open, idle) {
  const faults = [];
  let made = 0;
  const one = async (number) => {
    const send = open();
    for (let round = 0; round < 2; round++) {
      try {
        made += 1;
        await send(call(3));
      } catch (error) {
        faults.push(`a connection that rested: ${error.code ?? error}`);
      }
      await new Promise((resolve) => setTimeout(resolve, idle - 8 + number / 4));
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, number) => one(number)));
  report(`${name}, resting`, made, faults);
}

function report(name, made, faults) {
  console.log(`${name}: ${made} calls, ${faults.length} broken or wrong`);
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
  if (faults.length) process.exitCode = 1;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
await judge("node:http", byNode(agent));
agent.destroy();
const pool = new Pool(base, { connections: AT_ONCE });
await judge("undici", byUndici(pool));
await pool.close();
// The server's `http.idle_timeout`.
const IDLE = 4_000;
const agents = [];
await rest("node:http", () => {
  // An agent without a time-out ignores the server's `Keep-Alive` (Node 20).
  agents.push(new http.Agent({ keepAlive: true, maxSockets: 1, timeout: 60_000 }));
  return byNode(agents.at(-1));
}, IDLE);
agents.forEach((one) => one.destroy());
const pools = [];
await rest("undici", () => {
  pools.push(new Pool(base, { connections: 1 }));
  return byUndici(pools.at(-1));
}, IDLE);
await Promise.all(pools.map((one) => one.close()));
