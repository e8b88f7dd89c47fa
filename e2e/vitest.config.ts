import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    // One product and one browser at a time.
    fileParallelism: false,
    testTimeout: 60_000,
    // Only where a whole run is judged; see tools/name-flaky.ts.
    retry: process.env["CI"] === "true" ? 1 : 0,
    hookTimeout: 400_000,
    // As long as the browser waits for an element.
    expect: { poll: { timeout: 20_000 } },
  },
});
