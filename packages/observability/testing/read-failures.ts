import type { Database } from "@sightline/foundation/database/database";
import { stepPageSchema, traceDigestSchema, tracePageSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findFailures } from "#trace-facts/find-failures.ts";
import { growTree } from "#trace-facts/step-tree.ts";
import type { ApiRig } from "./api-rig.ts";
import { callTool } from "./call-tool.ts";

type Read = {
  readonly api: ApiRig;
  readonly database: Database<ObservabilitySchema>;
  readonly projectId: string;
  readonly traceName: string;
};

/** What the list, the head of a trace, its page and the tool for assistants say of the failures of a trace that `tenant-1` may see. */
export async function readFailures({ api, database, projectId, traceName }: Read) {
  const base = `/api/v1/projects/${projectId}/traces`;
  const [listed] = tracePageSchema.parse((await api.get(`${base}?name=${encodeURIComponent(traceName)}`)).body).items;
  if (listed === undefined) {
    throw new Error(`no trace is called ${traceName}`);
  }
  const head = traceDigestSchema.parse((await api.get(`${base}/${listed.id}/summary`)).body);
  const { items: steps } = stepPageSchema.parse((await api.get(`${base}/${listed.id}/steps`)).body);
  const { causes, caughtBy, reason, isOwn } = findFailures(growTree(steps), head);
  const nameOf = (id: string) => steps.find((step) => step.id === id)?.name ?? id;
  return {
    counts: { list: listed.failures, head: head.failures, page: causes.length + (isOwn ? 1 : 0) },
    causes: causes.map(({ name }) => name),
    caught: Object.fromEntries(Array.from(caughtBy, ([id, by]) => [nameOf(id), by.name])),
    reason: reason?.name,
    outline: await callTool(database, "get_trace", { trace: listed.id }),
  };
}
