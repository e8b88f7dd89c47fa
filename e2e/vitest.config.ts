import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    // One product and one browser at a time.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 400_000,
  },
});
