import { defineConfig } from "vitest/config";

/** Their code keeps nothing between two calls, patches nothing and counts nothing of the process, so that files can share one. */
const TOGETHER = ["apps/console/**/*.test.{ts,tsx}", "packages/{foundation,identity}/**/*.test.ts", "tools/**/*.test.ts"];

// Those of Citus need it: npm run prove:citus.
const exclude = ["**/node_modules/**", "**/dist/**", "**/*.citus.test.ts"];

const common = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Only where a whole run is judged; see tools/name-flaky.ts.
  retry: process.env["CI"] === "true" ? 1 : 0,
};

export default defineConfig({
  test: {
    globalSetup: ["packages/foundation/testing/global-setup.ts"],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: "together",
          include: TOGETHER,
          exclude,
          // A process takes one file after the other: to load the product anew for each was a third of the work.
          isolate: false,
          setupFiles: ["packages/foundation/testing/leave-process-as-found.ts"],
        },
      },
      {
        test: {
          ...common,
          name: "alone",
          include: ["packages/**/*.test.ts", "apps/**/*.test.ts"],
          exclude: [...exclude, ...TOGETHER],
        },
      },
    ],
  },
});
