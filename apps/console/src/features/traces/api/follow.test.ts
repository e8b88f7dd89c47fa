import { describe, expect, it } from "vitest";
import { createFollower } from "./follow.ts";

/** A follower whose runs end when the test says so. */
function start() {
  let runs = 0;
  let release: () => void = () => undefined;
  const follower = createFollower({
    run: () => {
      runs += 1;
      return Promise.resolve();
    },
    pause: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    follower,
    runs: () => runs,
    endPause: async () => {
      await turn();
      release();
      await turn();
    },
  };
}

describe("following what changes", () => {
  it("runs at once, and once more for all that changed meanwhile", async () => {
    const { follower, runs, endPause } = start();
    follower.outdated();
    expect(runs()).toBe(1);
    follower.outdated();
    follower.outdated();
    await endPause();
    expect(runs()).toBe(2);
    await endPause();
    expect(runs()).toBe(2);
  });

  it("begins anew after a rest", async () => {
    const { follower, runs, endPause } = start();
    follower.outdated();
    await endPause();
    follower.outdated();
    expect(runs()).toBe(2);
  });

  it("does nothing any more once it was stopped", async () => {
    const { follower, runs, endPause } = start();
    follower.outdated();
    follower.outdated();
    follower.stop();
    await endPause();
    follower.outdated();
    expect(runs()).toBe(1);
  });
});
