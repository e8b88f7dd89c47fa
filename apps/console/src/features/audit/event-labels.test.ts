import { AUDIT_EVENTS } from "@sightline/identity/contract";
import { expect, it } from "vitest";
import { EVENT_CHOICES, findEventLabel } from "./event-labels.ts";

it("every event has a label of its own, and is a choice of the filter", () => {
  expect(new Set(AUDIT_EVENTS.map((event) => findEventLabel(event).label)).size).toBe(AUDIT_EVENTS.length);
  expect(EVENT_CHOICES.flatMap(({ items }) => items.map(({ value }) => value)).toSorted()).toEqual(AUDIT_EVENTS.toSorted());
});

it("an event of a newer server is shown by its name", () => {
  expect(findEventLabel("passkey_added")).toMatchObject({ label: "Passkey added" });
});
