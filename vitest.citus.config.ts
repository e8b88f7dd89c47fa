import { defineConfig } from "vitest/config";

/** `npm run prove:citus`: what is told of Citus in docs/operations.md, on three nodes out of the folder that tools/citus.sh made. */
export default defineConfig({
  test: {
    globalSetup: ["packages/foundation/testing/global-setup-citus.ts"],
    include: [
      "packages/code-index/**/*.citus.test.ts",
      "packages/code-index/{store,tenants,scip,indexing/build,indexing/history,retrieval/commits}/**/*.test.ts",
      "packages/code-index/indexing/{indexer,branches,embedding/embedding}.test.ts",
      "packages/observability/**/*.proof.ts",
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Of each database's tables; the usual 32 take seconds to make.
    env: { PGOPTIONS: "-c citus.shard_count=4" },
  },
});
