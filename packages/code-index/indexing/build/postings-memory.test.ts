import { expect, test } from "vitest";
import { createPostingsMemory } from "./postings-memory.ts";

test("builds at once share the memory of one, and who has left is not counted, however often", () => {
  const memory = createPostingsMemory();
  const whole = memory.share();
  const leave = memory.enter();
  expect(memory.share()).toBe(whole);
  const leaveToo = memory.enter();
  expect(memory.share()).toBe(whole / 2);
  leave();
  leave();
  expect(memory.share()).toBe(whole);
  leaveToo();
  expect(memory.share()).toBe(whole);
});

test("segments don't become so small that searches pay for it", () => {
  const memory = createPostingsMemory();
  for (let count = 0; count < 100; count++) {
    memory.enter();
  }
  expect(memory.share()).toBe(2_500);
});
