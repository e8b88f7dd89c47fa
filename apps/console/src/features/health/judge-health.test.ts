import { describe, expect, test } from "vitest";
import type { Alert } from "@sightline/observability/contract";
import { healthInWords, judgeHealth } from "./judge-health.ts";
import type { Component, Reading } from "./reading.ts";

const SINCE = "2026-11-22T10:00:00.000Z";
const seen = (...components: readonly Component[]): Reading => components.map((component) => ({ ...component, since: SINCE }));

describe("the health of a part", () => {
  test("is fine when everything it stands on is up", () => {
    const health = judgeHealth("observability", seen({ id: "api", state: "up" }, { id: "redis", state: "up" }));
    expect(health).toMatchObject({ tone: "ok", label: "Healthy", components: [{ name: "API" }, { name: "Redis", notes: [] }] });
  });

  test("names what is down, since when, why and what to do", () => {
    const error = "There is no heartbeat";
    const { label, components } = judgeHealth("observability", seen({ id: "api", state: "up" }, { id: "consumer", state: "down", error }));
    expect(label).toBe("Degraded");
    expect(components[1]).toMatchObject({ name: "Consumer", tone: "bad", since: SINCE });
    expect(components[1]?.notes).toEqual([error, expect.stringContaining("npm run sightline -- start consumer")]);
  });

  test("is unknown but for the API when that doesn't answer", () => {
    expect(judgeHealth("identity", seen({ id: "api", state: "down", error: "can't be reached" }))).toMatchObject({
      tone: "bad",
      label: "Not answering",
    });
  });

  test("has a warning that is passed on, but lost events are told by project", () => {
    const health = judgeHealth(
      "observability",
      seen({ id: "redis", state: "up", warnings: ["Redis uses 460 MB"] }, { id: "consumer", state: "up", warnings: ["Events were lost"] }),
    );
    expect(health).toMatchObject({
      tone: "warn",
      components: [
        { tone: "warn", notes: ["Redis uses 460 MB"] },
        { tone: "ok", notes: [] },
      ],
    });
  });
});

test("a firing alert of the installation is told of what it is about", () => {
  const alert = (name: string, state: Alert["state"]): Alert => ({
    name,
    state,
    severity: "critical",
    value: 1,
    above: 0,
    unit: "seconds",
    summary: `${name} is high`,
  });
  const { components } = judgeHealth("observability", seen({ id: "consumer", state: "up" }), [
    alert("ConsumerLag", "firing"),
    alert("BackendCpu", "firing"),
    alert("DatabaseConnections", "ok"),
  ]);
  expect(components).toMatchObject([{ tone: "warn", notes: ["ConsumerLag is high"] }]);
});

describe("the indexer", () => {
  const indexer = (state: Component["state"], figures?: Readonly<Record<string, number>>) =>
    judgeHealth("code-index", seen({ id: "queue", state, figures })).components[0];

  test("is missed when a job waits for over a minute and none is running", () => {
    const waiting = indexer("up", { queued: 2, running: 0, oldest_queued_seconds: 61 });
    expect(waiting).toMatchObject({ tone: "bad", label: "2 jobs waiting", since: SINCE });
    expect(waiting?.notes[0]).toContain("start indexer");
  });

  test("is not missed while jobs run, have just come, or there are none", () => {
    expect(indexer("up", { queued: 9, running: 1, oldest_queued_seconds: 900 })).toMatchObject({ tone: "busy", notes: [] });
    expect(indexer("up", { queued: 1, running: 0, oldest_queued_seconds: 5 })).toMatchObject({ tone: "busy", notes: [] });
    expect(indexer("up", { queued: 0, running: 0, oldest_queued_seconds: 0 })).toMatchObject({ tone: "ok", label: "Idle" });
  });

  test("is not known when the queue could not be read", () => {
    expect(indexer("down")).toMatchObject({ tone: "idle", label: "Unknown" });
  });
});

test("what is wrong is said in a sentence", () => {
  const well = judgeHealth("identity", seen({ id: "api", state: "up" }));
  const gone = judgeHealth("code-index", seen({ id: "api", state: "down" }));
  expect(healthInWords([{ name: "Identity", health: well }])).toBe("Every part is healthy.");
  expect(
    healthInWords([
      { name: "Identity", health: well },
      { name: "Code index", health: gone },
    ]),
  ).toBe("Code index: not answering.");
});
