import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { countOf, createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";

let rig: ConsumerRig;
beforeEach(async () => {
  rig = await createConsumerRig();
});
afterEach(() => rig.close());

test("events published before the first consumer came are written, and leave the stream", async () => {
  await rig.publish(agentRun(createProducer(rig.projectId)));
  const { metric } = await rig.start();
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0));
  expect(await countOf(rig.database, "traces")).toBe(1);
  expect(await countOf(rig.database, "observations")).toBe(3);
  await vi.waitFor(async () => expect(await metric("studio_events_processed_total")).toBe(10));
});
