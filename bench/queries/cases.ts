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
  "environment:production",
  "release:2026.3",
  "version:1.*",
  "tag:tag-1",
  "tag:tag-29*",
  "metadata.plan:pro",
  "metadata.customer:customer-4000",
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
  "tag:tag-1 metadata.plan:pro status:failure",
  "environment:production -tag:tag-0 started:>-7d",
];
/** Words of steps: in nearly every text, in most traces, in a fiftieth of them, in a thousandth, in none; of a prompt that most share; and what a tool was given. */
const STEP_WORDS = [
  "t0",
  "t7",
  "t1000",
  "t40000",
  "t99999",
  "northwind",
  "t7 t1000",
  "t1000 t2000",
  "-t0",
  "t7 status:failure",
  'text:"t7 t9"',
  'text:"t1000 t7"',
  "args.order_id:A-1009",
];
const SORTS = ["duration", "cost", "tokens", "errors"];
const SORTED_QUERIES = ["", "status:failure", "model:rare-model", "w7", "tag:tag-1", "metadata.plan:pro"];

export const LISTS: readonly Case[] = [
  ...[...QUERIES, ...STEP_WORDS].map((q) => ({ q, sort: "started" })),
  ...["t7", "t1000"].map((q) => ({ q, sort: "duration" })),
  ...SORTS.flatMap((sort) => SORTED_QUERIES.map((q) => ({ q, sort }))),
];
export const ASCENDING: readonly Case[] = ["started", ...SORTS].map((sort) => ({ q: "", sort, order: "asc" }));

/** What dashboards and charts of a project's own ask; read from the traces, not from counted hours. */
const FIGURES = [
  "",
  "q=tag:tag-1",
  "q=status:failure",
  "q=metadata.plan:pro&by=model",
  "by=user&top=cost",
  "by=metadata.customer&groups=10",
  "by=environment&q=started:%3E-7d",
].map((words) => `traces/figures?step=day&from=${daysAgo(28)}&${words}`);
const RELEASES = "a=release:2026.3&b=release:2026.2";

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
}

/** Behind a project's address. */
export const OTHERS: readonly string[] = [
  "traces/facets?field=user&prefix=user-12",
  "traces/facets?field=session&prefix=session-9",
  "traces/facets?field=model&q=status:failure",
  "sessions?prefix=session-77",
  "users?prefix=user-77",
  "views",
  ...["name", "session", "user", "model", "tool", "node", "code", "tag", "environment", "release", "metadata.customer"].map(
    (field) => `traces/facets?field=${field}`,
  ),
  "traces/facets?field=tag&q=metadata.plan:pro",
  "traces/histogram",
  "traces/histogram?q=tag:tag-1",
  `metrics?step=day&by=trace&from=${daysAgo(28)}`,
  `metrics?step=day&by=model&kind=llm&from=${daysAgo(28)}`,
  ...FIGURES,
  "charts",
  "sessions/session-40",
  "sessions/session-40/turns",
  "users/user-0",
  "users/user-3",
  `compare/sets?${RELEASES}`,
  `compare/sets?${RELEASES}&hours=168`,
  ...["last", "traces", "cost", "tokens", "failures"].flatMap((sort) => [`sessions?sort=${sort}`, `users?sort=${sort}`]),
];
