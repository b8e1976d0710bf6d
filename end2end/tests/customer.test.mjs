// Waiting for an event: a session that ends otherwise is told at once, not after minutes.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Customer } from "../lib/customer.mjs";
import { Lines } from "../lib/places.mjs";

const id = (digit) => `evt_${digit.repeat(32)}`;

/** A customer that has printed these lines, and a function that prints more. */
async function printed(...lines) {
  const output = new PassThrough();
  const customer = new Customer(new EventEmitter(), new Lines(output), "vs_0", "link");
  const print = (...more) => output.write(more.map((line) => `${line}\n`).join(""));
  print(...lines);
  await new Promise((next) => setImmediate(next));
  return { customer, print };
}

test("another event of the session ends the wait with what came", async () => {
  const { customer } = await printed('result {"reasons":["document_glare"]}', `event ${id("1")} verification.needs_review`);
  await assert.rejects(
    customer.event("verification.approved"),
    ({ message }) => message.startsWith("verification.needs_review instead of verification.approved") && message.includes("document_glare"),
  );
});

test("an event that comes after another is waited for", async () => {
  const { customer, print } = await printed("result {}", `event ${id("1")} verification.needs_review`);
  assert.equal(await customer.event("verification.needs_review"), id("1"));
  const second = customer.event("verification.approved", { after: ["verification.needs_review"] });
  print("result {}", `event ${id("2")} verification.approved`);
  assert.equal(await second, id("2"));
});

test("events of other sessions, and one that comes again, are no event of this session", async () => {
  const { customer, print } = await printed(
    `event ${id("1")} verification.approved`, `again ${id("1")} verification.approved`, `event ${id("2")} verification.failed`,
  );
  const waiting = customer.event("verification.approved");
  print("result {}", `event ${id("3")} verification.approved`);
  assert.equal(await waiting, id("3"));
});
