import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["packages/foundation/testing/global-setup.ts"],
    include: ["packages/**/*.test.ts", "apps/**/*.test.ts", "tools/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
