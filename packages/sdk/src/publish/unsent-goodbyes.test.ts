import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closeRedisPublisher, initializeRedisPublisher, observe } from "../index.ts";
import { createTestStream, PROJECT_ID } from "#testing/stream.ts";

type Kept = {
  readonly file: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
};
const vectorFile = new URL("../../../observability/events/event-vectors.json", import.meta.url);
const { unsent_goodbye: vector } = JSON.parse(readFileSync(vectorFile, "utf8")) as { readonly unsent_goodbye: Kept };

const NOWHERE = "redis://:a-secret@127.0.0.1:1";
let stream: ReturnType<typeof createTestStream>;
let folder: string;
let warnings: string[];

beforeEach(() => {
  stream = createTestStream();
  const cache = mkdtempSync(join(tmpdir(), "goodbyes-"));
  vi.stubEnv("XDG_CACHE_HOME", cache);
  folder = join(cache, "sightline-sdk");
  warnings = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await stream.stop();
});

/** A publisher whose Redis is away from its start to its end; each of the three observations is a trace of its own. */
async function loseEvents(): Promise<void> {
  const logger = { warn: (message: string) => void warnings.push(message) };
  await initializeRedisPublisher({ ...stream.options, redisUrl: NOWHERE, logger });
  [1, 2, 3].forEach((number) => observe({ name: "lost" }, () => number));
  await closeRedisPublisher();
}

async function startAndClose() {
  await initializeRedisPublisher(stream.options);
  await closeRedisPublisher();
  return stream.read();
}

describe("A publisher that closes while Redis is away", () => {
  it("has its goodbye said by the next, so that the platform sees how much is missing", async () => {
    await loseEvents();
    expect(warnings.at(-1)).toContain(
      "ended with 14 events that the stream had not taken; they are lost, and the next start on this machine",
    );
    const [file = ""] = readdirSync(folder);
    const kept = readFileSync(join(folder, file), "utf8");
    expect(Object.keys(JSON.parse(kept) as object)).toEqual(Object.keys(vector.content));
    expect(kept).not.toContain("secret");
    const [bye, ...own] = await startAndClose();
    expect(`${PROJECT_ID}.${String(bye?.producer_id)}.json`).toBe(file);
    expect(bye).toMatchObject({ type: "producer.bye", seq: 14, body: { last_seq: 14, dropped: { closed: 14 } } });
    expect(own.map(({ type }) => type)).toEqual(["producer.hello", "producer.bye"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves what any SDK can say, once", async () => {
    mkdirSync(folder);
    const ts = new Date().toISOString();
    writeFileSync(join(folder, vector.file.replace("PROJECT", PROJECT_ID)), JSON.stringify({ ...vector.content, ts }));
    const events = await startAndClose();
    expect(events[0]).toEqual({ ...vector.event, project_id: PROJECT_ID, ts });
    expect((await startAndClose()).filter(({ id }) => id === vector.content["id"])).toHaveLength(1);
  });

  it("keeps it until Redis takes it, and not once the platform may have forgotten the producer", async () => {
    await loseEvents();
    await loseEvents();
    expect(readdirSync(folder)).toHaveLength(2);
    const [first = ""] = readdirSync(folder).map((name) => join(folder, name));
    const content = readFileSync(first, "utf8");
    renameSync(first, first.replace(PROJECT_ID, "another"));
    writeFileSync(first.replace(PROJECT_ID, "one-that-never-starts"), content.replace(/"ts":"\d+/, `"ts":"2020`));
    expect((await startAndClose()).map(({ type }) => type)).toEqual(["producer.bye", "producer.hello", "producer.bye"]);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^another\./)]);
  });

  it("says that nothing reports them where it cannot write", async () => {
    writeFileSync(folder, "not a folder");
    await loseEvents();
    expect(warnings.at(-1)).toContain("ended with 14 events that the stream had not taken; they are lost, and nothing reports them");
  });
});
