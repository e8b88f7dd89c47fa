import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["packages/foundation/testing/global-setup.ts"],
    include: ["packages/**/*.test.ts", "apps/**/*.test.{ts,tsx}", "tools/**/*.test.ts"],
    // Those need Citus: npm run prove:citus.
    exclude: ["**/node_modules/**", "**/dist/**", "**/*.citus.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Only where a whole run is judged; see tools/name-flaky.ts.
    retry: process.env["CI"] === "true" ? 1 : 0,
  },
});
