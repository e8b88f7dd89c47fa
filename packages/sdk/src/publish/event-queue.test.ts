import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import { createSentContents } from "./sent-contents.ts";
import { takeSnapshot } from "#testing/take-snapshot.ts";
import type { StreamEntry } from "./event-buffer.ts";

const TRACE = "0192f7a0-0000-7000-8000-00000000000a";
const REASONING = { capture: true, maximum: 50_000 };
const message = (index: number) => ({ type: "human", content: `${index} `.repeat(500) });
const hashOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

function createQueue(limits = { bytes: 32 * 1024 * 1024, events: 50_000 }) {
  const dropped: Record<string, number> = {};
  const queue = createEventQueue(limits, (reason, count) => {
    dropped[reason] = (dropped[reason] ?? 0) + count;
  });
  queue.learnVersion(null, performance.now());
  return { queue, dropped };
}

function add(queue: EventQueue, input: unknown): void {
  queue.add(
    "trace.end",
    { trace_id: TRACE, ended_at: "2026-01-01T00:00:00.000Z", status: "success", output: takeSnapshot(input, REASONING) },
    1000,
  );
}

const outputs = (entries: readonly StreamEntry[]) =>
  entries.map(({ type, body }) => (type === "blob" ? "blob" : (JSON.parse(body) as { output: unknown }).output));
const sequences = (entries: readonly StreamEntry[]) => entries.map(({ seq }) => seq);

function deliver(queue: EventQueue): readonly StreamEntry[] {
  const entries = queue.take(1000, 1e9);
  queue.settle(entries, []);
  return entries;
}

describe("Contents that come again", () => {
  it("go as they are, then once as a blob, then as its hash; each number is given once, in the order of the stream", () => {
    const { queue } = createQueue();
    const reference = { $blob: hashOf(message(1)) };
    for (let turn = 0; turn < 4; turn += 1) {
      add(queue, { messages: [message(1), { short: true }] });
    }
    const entries = deliver(queue);
    const other = { short: true };
    expect(outputs(entries)).toEqual([
      { messages: [message(1), other] },
      "blob",
      { messages: [reference, other] },
      { messages: [reference, other] },
      { messages: [reference, other] },
    ]);
    expect(JSON.parse(entries[1]?.body ?? "")).toEqual({ sha256: reference.$blob, content: message(1) });
    expect(sequences(entries)).toEqual([1, 2, 3, 4, 5]);
  });

  it("make a conversation of forty turns a fifth of its size", () => {
    const { queue } = createQueue();
    let whole = 0;
    for (let turn = 1; turn <= 40; turn += 1) {
      const state = { messages: Array.from({ length: turn }, (_value, index) => message(index)), documents: message(-1) };
      whole += JSON.stringify(state).length;
      add(queue, state);
    }
    const sent = deliver(queue).reduce((sum, { body }) => sum + body.length, 0);
    expect(sent).toBeLessThan(whole / 5);
  });

  it("are sent again when their blob was dropped from the buffer, after a reconnection, and never refer to nothing", () => {
    const { queue, dropped } = createQueue({ bytes: 1e6, events: 3 });
    const text = "x".repeat(1000);
    add(queue, { text });
    deliver(queue);
    add(queue, { text });
    const unsent = queue.take(10, 1e6);
    expect(outputs(unsent)).toEqual(["blob", { text: { $blob: hashOf(text) } }]);
    queue.settle(unsent, unsent);
    add(queue, 1);
    expect(dropped).toEqual({});
    add(queue, { text });
    // The blob was the oldest; what referred to it brings another.
    expect(dropped).toEqual({ buffer_full: 1 });
    const again = deliver(queue);
    const reference = { text: { $blob: hashOf(text) } };
    expect(outputs(again)).toEqual(["blob", reference, 1, reference]);
    queue.reconnected();
    add(queue, { text });
    expect(outputs(deliver(queue))).toEqual(["blob", { text: { $blob: hashOf(text) } }]);
  });

  it("keep a retried event's id and number, and a retried blob's too", () => {
    const { queue } = createQueue();
    add(queue, "y".repeat(1000));
    deliver(queue);
    add(queue, "y".repeat(1000));
    const first = queue.take(10, 1e6);
    queue.settle(first, first);
    const second = queue.take(10, 1e6);
    expect(second.map(({ id, seq, type }) => [id, seq, type])).toEqual(first.map(({ id, seq, type }) => [id, seq, type]));
    expect(second.at(-1)?.body).toBe(first.at(-1)?.body);
  });

  it("are not what the application itself calls a reference", () => {
    const { queue } = createQueue();
    add(queue, { $blob: hashOf("anything") });
    expect(outputs(deliver(queue))).toEqual([{ $$blob: hashOf("anything") }]);
  });

  it("are sent again once when the platform names another version, and with each batch while nobody can say that they are kept", () => {
    const { queue } = createQueue();
    const sent = () => {
      add(queue, message(1));
      return deliver(queue).map(({ type }) => type);
    };
    const [blob, reference] = [["blob", "trace.end"], ["trace.end"]];
    expect([sent(), sent(), sent()]).toEqual([["trace.end"], blob, reference]);
    queue.learnVersion("a", performance.now());
    expect([sent(), sent()]).toEqual([blob, reference]);
    queue.learnVersion("a", performance.now());
    expect(sent()).toEqual(reference);
    queue.learnVersion("a", performance.now() - 6_000);
    expect([sent(), sent()]).toEqual([blob, blob]);
    queue.learnVersion(undefined, performance.now());
    expect([sent(), sent()]).toEqual([blob, blob]);
  });

  it("are forgotten, oldest first, so that a long life costs bounded memory; and are sent anew after a while", () => {
    const contents = createSentContents();
    const numbers = Array.from({ length: 30_000 }, (_value, index) => index);
    expect(numbers.some((number) => contents.meet(number))).toBe(false);
    expect([contents.meet(0), contents.meet(29_999)]).toEqual([false, true]);
    expect(contents.treat("hash", 0)).toBe("blob");
    contents.confirm("hash", 0);
    expect([contents.treat("hash", 60_000), contents.treat("hash", 700_000), contents.treat("hash", 700_000)]).toEqual([
      "reference",
      "blob",
      "reference",
    ]);
  });
});

describe("What was sent", () => {
  it("is remembered for the next thousands of contents, and not for ever", () => {
    const contents = createSentContents();
    const treatOthers = (from: number, count: number) => {
      for (let index = 0; index < count; index += 1) {
        contents.treat(`other ${from + index}`, 0);
      }
    };
    expect([contents.treat("hash", 0), contents.treat("hash", 0)]).toEqual(["blob", "reference"]);
    contents.confirm("hash", 0);
    treatOthers(0, 4999);
    expect(contents.treat("hash", 1)).toBe("reference");
    treatOthers(5000, 4999);
    expect(contents.treat("hash", 1)).toBe("reference");
    treatOthers(10_000, 10_000);
    expect(contents.treat("hash", 1)).toBe("blob");
  });
});

describe("The queue", () => {
  it("gives dropped events their numbers, so that they are holes", () => {
    const { queue, dropped } = createQueue({ bytes: 1e6, events: 2 });
    [1, 2, 3, 4, 5].forEach((value) => add(queue, value));
    expect(dropped).toEqual({ buffer_full: 3 });
    expect(sequences(deliver(queue))).toEqual([4, 5]);
  });

  it("counts what it can't write, and sends nothing of it", () => {
    const { queue, dropped } = createQueue();
    const frozen = Object.freeze({ text: "password=hunter2" });
    queue.add("trace.end", { trace_id: TRACE, ended_at: "", status: "success", attributes: frozen }, 100);
    add(queue, 1);
    queue.write(1000);
    expect(sequences(deliver(queue))).toEqual([2]);
    expect(dropped).toEqual({ unserializable: 1 });
  });

  it("holds no more bytes than it may, whether bodies are written or not", () => {
    const { queue } = createQueue({ bytes: 100_000, events: 1000 });
    for (let index = 0; index < 500; index += 1) {
      add(queue, { index, text: "é".repeat(2000) });
      if (index % 7 === 0) {
        queue.write(1000);
      }
      expect(queue.bytes).toBeLessThanOrEqual(100_000);
    }
    queue.clear();
    expect([queue.size, queue.bytes]).toEqual([0, 0]);
  });
});
