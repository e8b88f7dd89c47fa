import { v7 as uuidv7 } from "uuid";
import { jsonRequest, jsonSpan } from "#testing/otlp-request.ts";

/** For every route that takes one; a new route needs its own here. */
export const BODIES: Readonly<Record<string, object>> = {
  "POST /api/v1/projects": { name: "new" },
  "PATCH /api/v1/projects/:project_id": { name: "changed", retention_days: 1 },
  "POST /api/v1/projects/:project_id/keys": { name: "new", scopes: ["read", "ingest"] },
  "PUT /api/v1/projects/:project_id/members/:user_id": { role: "viewer" },
  "POST /api/v1/projects/:project_id/views": { name: "new" },
  "PATCH /api/v1/projects/:project_id/views/:view_id": { name: "changed" },
  "POST /api/v1/projects/:project_id/traces/tag": { trace_ids: [uuidv7()], add: ["changed"] },
  "POST /api/v1/projects/:project_id/traces/score": { trace_ids: [uuidv7()], name: "changed", value: 1 },
  "POST /api/v1/projects/:project_id/traces/delete": { trace_ids: [uuidv7()] },
  "POST /api/v1/projects/:project_id/charts": { name: "new", measure: "cost" },
  "PATCH /api/v1/projects/:project_id/charts/:chart_id": { name: "changed" },
  "PUT /api/v1/projects/:project_id/charts/order": { ids: [uuidv7()] },
  "PUT /api/v1/projects/:project_id/score-configs": { name: "changed" },
  "PUT /api/v1/projects/:project_id/prices": { model: "changed", input: 1, output: 1 },
  "PUT /api/v1/projects/:project_id/masking": { keys: ["changed"], patterns: [] },
  "POST /api/v1/projects/:project_id/masking/try": { keys: [], patterns: [], sample: "x" },
  "POST /api/v1/projects/:project_id/scores": { trace_id: uuidv7(), name: "changed", value: 1 },
  "POST /api/v1/projects/:project_id/alert-rules": { name: "new", metric: "errors", threshold: 1, window_minutes: 5 },
  "PATCH /api/v1/projects/:project_id/alert-rules/:rule_id": { name: "changed" },
  "POST /api/v1/projects/:project_id/alert-channels": { name: "new", kind: "slack", url: "https://hooks.example.org/" },
  "POST /api/v1/projects/:project_id/datasets": { name: "new" },
  "PATCH /api/v1/projects/:project_id/datasets/:dataset_id": { description: "changed" },
  "POST /api/v1/projects/:project_id/datasets/:dataset_id/items": { items: [{ input: "changed" }] },
  "POST /api/v1/projects/:project_id/datasets/:dataset_id/items/from-traces": { traces: [{ trace_id: uuidv7() }] },
  "POST /api/v1/projects/:project_id/datasets/:dataset_id/items/import": { input: "changed" },
  "POST /api/v1/projects/:project_id/experiments": { dataset_id: uuidv7(), name: "new" },
  "POST /api/v1/projects/:project_id/experiments/:experiment_id/finish": { state: "cancelled" },
  "POST /api/v1/projects/:project_id/experiments/:experiment_id/runs": { runs: [{ item_id: uuidv7(), repetition: 0, state: "missing" }] },
  "POST /api/v1/projects/:project_id/experiments/:experiment_id/scores": {
    evaluators: [{ name: "changed" }],
    runs: [{ item_id: uuidv7(), repetition: 0 }],
  },
  "POST /api/v1/projects/:project_id/prompts": { name: "changed", template: "changed" },
  "POST /api/v1/projects/:project_id/prompts/import": {},
  "PUT /api/v1/projects/:project_id/prompts/:prompt_id/labels": { label: "changed", version: 1 },
  "PATCH /api/v1/projects/:project_id/issues/:issue_id": { state: "ignored", assignee: "changed" },
  "POST /api/v1/projects/:project_id/issues/merge": { into: uuidv7(), from: [uuidv7()] },
  "POST /api/v1/projects/:project_id/issues/:issue_id/split": { trace_id: uuidv7() },
  "POST /v1/traces": jsonRequest([jsonSpan("a".repeat(16), 0)]),
  "POST /v1/logs": {},
  "POST /v1/metrics": {},
  "POST /api/public/scores": [],
  "POST /api/public/ingestion": { batch: [] },
  "POST /api/public/otel/v1/traces": jsonRequest([jsonSpan("a".repeat(16), 0)]),
};
export const QUERIES: Readonly<Record<string, string>> = {
  "GET /api/v1/projects/:project_id/datasets/:dataset_id/diff": "?from=0",
  "GET /api/v1/projects/:project_id/experiments/:experiment_id/nodes": "?baseline=main",
  "GET /api/v1/projects/:project_id/prompts/resolve": "?name=kept",
  "DELETE /api/v1/projects/:project_id/score-configs": "?name=kept-config",
  "DELETE /api/v1/projects/:project_id/prices": "?model=kept&valid_from=2026-01-01T00:00:00Z",
  "GET /api/v1/projects/:project_id/compare": "?a=:trace_id&b=:trace_id",
  "GET /api/v1/projects/:project_id/compare/sets": "?a=release:1&b=release:2",
  "GET /api/v1/projects/:project_id/code": "?repo=acme/shop&path=src/plan.ts",
  "GET /api/v1/code-runs": "?repo=acme/shop&path=src/plan.ts",
};

/** What Langfuse's API answers where ours would 200. */
export const LANGFUSE: Readonly<Record<string, number>> = { "POST /api/public/scores": 202, "POST /api/public/ingestion": 207 };
