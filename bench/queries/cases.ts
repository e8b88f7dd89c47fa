/** A list of traces: its query and how it is sorted. */
export type Case = { readonly q: string; readonly sort: string; readonly order?: string };

const QUERIES = [
  "",
  "status:failure",
  "status:running",
  "status:abandoned",
  "status:interrupted",
  "name:agent-3",
  "name:agent-1*",
  "session:session-40",
  "user:user-0",
  "user:user-9999",
  "thread:thread-40",
  "model:gpt-5.4",
  "model:rare-model",
  "model:claude*",
  "tool:tool-7",
  "tool:tool-7*",
  "node:node-12",
  "kind:llm",
  "error:timeout",
  "duration:>300s",
  "duration:<2s",
  "cost:>0.5",
  "tokens:>100k",
  "steps:>20",
  "steps:10",
  "failures:>0",
  "lost:>0",
  "started:>-24h",
  "started:-7d..-6d",
  "score.helpful:<0.05",
  "score.correct:>0.9",
  "code:tool-3.ts",
  "commit:c4ca*",
  "has:error",
  "has:score",
  "has:cost",
  "agent",
  "w7",
  "w40000",
  '"order 77"',
  "w1 w2 w3",
  "-status:success",
  "-name:agent-0",
  "status:failure model:gpt-5.4",
  "user:user-0 status:failure",
  "name:agent-0 duration:>60s",
  "w7 status:failure",
  "tool:tool-7 -status:success started:>-7d",
];
const SORTS = ["duration", "cost", "tokens", "errors"];
const SORTED_QUERIES = ["", "status:failure", "model:rare-model", "w7"];

export const LISTS: readonly Case[] = [
  ...QUERIES.map((q) => ({ q, sort: "started" })),
  ...SORTS.flatMap((sort) => SORTED_QUERIES.map((q) => ({ q, sort }))),
];
export const ASCENDING: readonly Case[] = ["started", ...SORTS].map((sort) => ({ q: "", sort, order: "asc" }));

/** Behind a project's address. */
export const OTHERS: readonly string[] = [
  "traces/facets?field=user&prefix=user-12",
  "traces/facets?field=session&prefix=session-9",
  "traces/facets?field=model&q=status:failure",
  "sessions?prefix=session-77",
  "users?prefix=user-77",
  "views",
  ...["name", "session", "user", "model", "tool", "node", "code"].map((field) => `traces/facets?field=${field}`),
  ...["last", "traces", "cost", "tokens", "failures"].flatMap((sort) => [`sessions?sort=${sort}`, `users?sort=${sort}`]),
];
