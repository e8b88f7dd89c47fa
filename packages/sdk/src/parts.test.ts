import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type BufferedEvent, createEventBuffer } from "./publish/event-buffer.ts";
import { createIdentifier } from "./event/identifier.ts";
import { countDropped, createMetrics, formatMetrics, observe } from "./settings/metrics.ts";
import { boundReasoning } from "./capture/reasoning.ts";
import { readSettings } from "./settings/settings.ts";
import { SDK_VERSION } from "./settings/version.ts";

const entry = (seq: number): BufferedEvent => ({
  id: createIdentifier(),
  type: "graph",
  ts: "",
  seq,
  body: {},
  written: undefined,
  size: 1000,
  hash: undefined,
});
const sequences = (events: readonly BufferedEvent[]) => events.map(({ seq }) => seq);

describe("Identifiers", () => {
  it("are UUIDs of version 7, unique and growing, also within one millisecond", () => {
    const made = Array.from({ length: 20_000 }, () => createIdentifier());
    expect(new Set(made).size).toBe(made.length);
    expect(made).toEqual(made.toSorted());
    expect(made.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true);
  });
});

describe("The buffer", () => {
  it("drops its oldest when bytes or count run over", () => {
    const buffer = createEventBuffer({ bytes: 3000, events: 10 });
    expect([1, 2, 3, 4].map((seq) => sequences(buffer.add(entry(seq))))).toEqual([[], [], [], [1]]);
    expect(sequences(buffer.take(10, 1e6))).toEqual([2, 3, 4]);
    const counted = createEventBuffer({ bytes: 1e6, events: 2 });
    expect([1, 2, 3].map((seq) => sequences(counted.add(entry(seq))))).toEqual([[], [], [1]]);
  });

  it("puts unsent events back in front in their order, and counts taken ones as held", () => {
    const buffer = createEventBuffer({ bytes: 1e6, events: 4 });
    [1, 2, 3].forEach((seq) => buffer.add(entry(seq)));
    const taken = buffer.take(2, 1e6);
    expect(sequences(taken)).toEqual([1, 2]);
    expect(buffer.size).toBe(3);
    buffer.add(entry(4));
    expect(sequences(buffer.add(entry(5)))).toEqual([3]);
    buffer.settle(taken.slice(1));
    expect(sequences(buffer.take(10, 1e6))).toEqual([2, 4, 5]);
    buffer.settle([]);
    expect([buffer.size, buffer.bytes, buffer.clear()]).toEqual([0, 0, []]);
  });
});

describe("Reasoning", () => {
  it("is cut at code points, and says how long it was", () => {
    expect(boundReasoning("short", 5)).toEqual({ text: "short", truncated: false, original_chars: 5 });
    expect(boundReasoning("😀😀😀", 2)).toEqual({
      text: "😀😀",
      truncated: true,
      original_chars: 3,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe("Settings", () => {
  const project = "0192f7a0-0000-7000-8000-000000000001";

  it("come from the environment alone", () => {
    const environment = {
      OBS_REDIS_URL: "rediss://user:pass@redis.example:6380/2",
      OBS_PROJECT_ID: project,
      OBS_STREAM_NAME: "other:events",
      OBS_CAPTURE_REASONING: "false",
      OBS_REASONING_MAX_LENGTH: "100",
    };
    expect(readSettings({}, environment)).toMatchObject({
      kind: "settings",
      settings: {
        streamName: "other:events",
        captureReasoning: false,
        reasoningMaxLength: 100,
        maxStreamLength: 100_000,
        projectId: project,
      },
    });
  });

  it("have the defaults of the contract, and options win over the environment", () => {
    const environment = { OBS_REDIS_URL: "redis://a", OBS_PROJECT_ID: project };
    expect(readSettings({ redisUrl: "redis://b" }, environment)).toMatchObject({
      kind: "settings",
      settings: { redisUrl: "redis://b", streamName: "observability:events", captureReasoning: true, reasoningMaxLength: 50_000 },
    });
    expect(readSettings({}, { ...environment, OBS_ENABLED: "false" })).toEqual({ kind: "disabled" });
  });

  it("name all that is wrong at once and never repeat the URL", () => {
    const read = readSettings(
      {},
      { OBS_REDIS_URL: "http://:pass@x", OBS_PROJECT_ID: "x", OBS_REASONING_MAX_LENGTH: "-1", OBS_CAPTURE_REASONING: "maybe" },
    );
    expect(read).toMatchObject({
      kind: "invalid",
      reason: expect.stringMatching(/Redis URL.*project id.*OBS_CAPTURE_REASONING.*OBS_REASONING/),
    });
    expect(JSON.stringify(read)).not.toContain("pass@");
  });
});

describe("Metrics", () => {
  it("are Prometheus text with the five names of the contract and drops by reason", () => {
    const metrics = createMetrics();
    observe(metrics.publishSeconds, 0.000_02);
    observe(metrics.publishSeconds, 3);
    countDropped(metrics, "buffer_full", 2);
    metrics.published = 7;
    metrics.streamLength = 5;
    const text = formatMetrics({ ...metrics, consumerAlive: true, consumerLagSeconds: 1.5 });
    expect(text).toContain("studio_events_published_total 7\n");
    expect(text).toContain('studio_events_dropped_total{reason="buffer_full"} 2\n');
    expect(text).toContain('studio_event_publish_duration_seconds_bucket{le="0.000025"} 1\n');
    expect(text).toContain('studio_event_publish_duration_seconds_bucket{le="+Inf"} 2\n');
    expect(text).toContain("studio_event_publish_duration_seconds_count 2\n");
    expect(text).toContain("studio_stream_length 5\n");
    expect(text).toContain("studio_consumer_lag_seconds 1.5\n");
    expect(text).toContain("studio_consumer_heartbeat 1\n");
  });
});

describe("The version", () => {
  it("that a producer announces is the package's", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(manifest).toMatchObject({ version: SDK_VERSION });
  });
});
