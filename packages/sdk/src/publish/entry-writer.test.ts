import { randomInt } from "node:crypto";
import { PassThrough } from "node:stream";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { readSettings } from "../settings/settings.ts";
import { PROJECT_ID } from "#testing/project.ts";
import { exchangeEntries } from "./entry-replies.ts";
import { createEntryWriter } from "./entry-writer.ts";
import type { EntryFields } from "./event-buffer.ts";

const read = readSettings({ redisUrl: "redis://127.0.0.1", projectId: PROJECT_ID, streamName: "Ströme" });
const settings = read.kind === "settings" ? read.settings : undefined;
const entry = (seq: number, body: string): EntryFields => ({ id: `id-${seq}`, type: "score", seq, ts: "2026-11-26T00:00:00.000Z", body });

/** The words of commands as a Redis reads them. */
function wordsOf(bytes: Uint8Array): string[][] {
  const text = Buffer.from(bytes);
  const commands: string[][] = [];
  let at = 0;
  const line = () => {
    const end = text.indexOf("\r\n", at);
    const found = text.toString("latin1", at, end);
    at = end + 2;
    return found;
  };
  while (at < text.length) {
    const count = Number(line().slice(1));
    commands.push(
      Array.from({ length: count }, () => {
        const length = Number(line().slice(1));
        const word = text.toString("utf8", at, at + length);
        expect(text.toString("latin1", at + length, at + length + 2)).toBe("\r\n");
        at += length + 2;
        return word;
      }),
    );
  }
  return commands;
}

it("writes entries whose bodies take more bytes than characters, again and again into the same memory", () => {
  if (settings === undefined) {
    throw new Error("the settings of this test are wrong");
  }
  const write = createEntryWriter(settings, settings.streamName, "p");
  const bodies = [
    "{}",
    "ä".repeat(5),
    "ä".repeat(50),
    "ß".repeat(500),
    "🚀".repeat(4999),
    "a".repeat(99_999),
    "€".repeat(99_999),
    '"\r\n$5\r\n"',
  ];
  for (const some of [bodies.slice(0, 2), bodies, bodies.toReversed()]) {
    const found = wordsOf(write(some.map((body, index) => entry(index + 1, body))));
    expect(found.map((words) => words.at(-1))).toEqual(some);
    const same = ["v", "1", "project_id", PROJECT_ID, "producer_id", "p"];
    const own = ["id", "id-1", "type", "score", "seq", "1", "ts", "2026-11-26T00:00:00.000Z", "body", some[0]];
    expect(found[0]).toEqual(["xadd", "Ströme", "MAXLEN", "~", "100000", "*", ...same, ...own]);
  }
});

it("reads replies that arrive in pieces, and gives the socket back to its client", async () => {
  const replies = ["$15\r\n1764200000000-0\r\n", "-OOM command not allowed\r\n", "$16\r\n1764200000000-10\r\n", "$3\r\n1-1\r\n"].join("");
  for (let round = 0; round < 50; round += 1) {
    const socket = new PassThrough({ objectMode: false });
    const heard: string[] = [];
    socket.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    const written: string[] = [];
    socket.write = ((bytes: Uint8Array) => written.push(Buffer.from(bytes).toString()) > 0) as typeof socket.write;
    const answer = exchangeEntries(socket as unknown as Socket, Buffer.from("commands"), 4);
    for (let at = 0; at < replies.length;) {
      const length = randomInt(1, 20);
      socket.emit("data", Buffer.from(replies.slice(at, at + length)));
      at += length;
    }
    expect((await answer).map((reply) => reply?.message ?? null)).toEqual([null, "OOM command not allowed", null, null]);
    expect([written, heard]).toEqual([["commands"], []]);
    socket.emit("data", Buffer.from("+PONG\r\n"));
    expect(heard).toEqual(["+PONG\r\n"]);
  }
});

it("fails when the connection closes before all is answered", async () => {
  const socket = new PassThrough();
  const answer = exchangeEntries(socket as unknown as Socket, Buffer.from("commands"), 1);
  socket.destroy();
  await expect(answer).rejects.toThrow("closed");
  await expect(exchangeEntries(socket as unknown as Socket, Buffer.from("commands"), 1)).rejects.toThrow("closed");
});
