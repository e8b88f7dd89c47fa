import { defineConfig } from "vitest/config";

const ALONE = "supervision.test.ts";

export default defineConfig({
  test: {
    projects: [
      // Most of their time is waiting: two products, each with a browser, get on beside each other.
      { extends: true, test: { name: "journeys", include: ["**/*.test.ts"], exclude: [ALONE], maxWorkers: 2 } },
      // Counts seconds.
      { extends: true, test: { name: "alone", include: [ALONE], maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    testTimeout: 60_000,
    // Only where a whole run is judged; see tools/name-flaky.ts.
    retry: process.env["CI"] === "true" ? 1 : 0,
    hookTimeout: 400_000,
    // As long as the browser waits for an element.
    expect: { poll: { timeout: 20_000 } },
  },
});
