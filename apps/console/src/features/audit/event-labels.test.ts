import { expect, it } from "vitest";
import { EVENTS, EVENT_CHOICES, labelOf } from "./event-labels.ts";

it("every event has a label of its own, and is a choice of the filter", () => {
  const labels = Object.values(EVENTS).map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
  expect(EVENT_CHOICES.flatMap(({ items }) => items).length).toBe(labels.length);
});

it("an event of a newer server is shown by its name", () => {
  expect(labelOf("passkey_added")).toMatchObject({ label: "Passkey added" });
});
