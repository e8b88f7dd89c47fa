import { defineConfig } from "vitest/config";

/** The others write to the tables themselves, as Citus does not let them, or look for locks and statistics on the node that they ask. */
const observability = [
  "annotation/annotation",
  "comments/comments",
  "counting/pack-hours.store",
  "ingest/event-rows",
  "ingest/gaps.store",
  "ingest/stream-consumer",
  "issues/find-issues",
  "issues/issues.routes",
  "judges/calibration",
  "judges/faulty-judges",
  "judges/judged-runs",
  "judges/judges",
  "mcp-tools/trace-tools",
  "query/columns/read-traces",
  "query/compare/compare",
  "query/export/export",
  "query/figures/metrics",
  "query/figures/trace-figures",
  "query/ingestion/dead-letters",
  "query/ingestion/health",
  "query/list/bulk",
  "query/list/counted-later",
  "query/list/found-wherever",
  "query/list/list-traces",
  "query/list/trace-groups",
  "query/list/trace-lines",
  "query/live/live",
  "query/projects/prices",
  "query/projects/projects",
  "query/sessions/sessions",
  "query/steps/resumed-traces",
  "playground/playground",
  "query/trace/scores",
  "query/trace/traces",
  "sharing/sharing",
  "store/delete-project.store",
  "trace-facts/find-failures",
];

/** `npm run prove:citus`: what is told of Citus in docs/operations.md, on three nodes out of the folder that tools/citus.sh made. */
export default defineConfig({
  test: {
    globalSetup: ["packages/foundation/testing/global-setup-citus.ts"],
    include: [
      "packages/**/*.citus.test.ts",
      "packages/code-index/{store,tenants,scip,indexing/build,indexing/history,retrieval/commits}/**/*.test.ts",
      "packages/code-index/indexing/{indexer,branches,embedding/embedding}.test.ts",
      "packages/code-index/retrieval/search/switching.test.ts",
      ...observability.map((name) => `packages/observability/${name}.test.ts`),
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Of each database's tables; the usual 32 take seconds to make.
    env: { PGOPTIONS: "-c citus.shard_count=4" },
  },
});
