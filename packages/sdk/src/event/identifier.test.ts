import { expect, test } from "vitest";
import { createIdentifier } from "./identifier.ts";

const IDS = 2_000;

test("identifiers made one after the other are UUIDs of version 7 that grow", () => {
  const ids = Array.from({ length: IDS }, createIdentifier);
  expect(ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(IDS);
});

test("their ends tell them apart too, by which people and assistants name a step", () => {
  // Of so many random ends of 32 bits two are alike once in 2,000 runs.
  const ends = new Set(Array.from({ length: IDS }, () => createIdentifier().slice(-8)));
  expect(ends.size).toBeGreaterThan(IDS - 2);
});
