import type { CONDITIONS } from "#query/conditions/conditions.ts";

type Conditions = typeof CONDITIONS;
type Name = { [Kind in keyof Conditions]: `${Kind} ${keyof Conditions[Kind] & string}` }[keyof Conditions];
/** Those that packed hours answer, and those for which the entries are read. */
export type Queries = { readonly packed: readonly string[]; readonly entries: readonly string[] };

const LONG = "ä".repeat(150);

/** Queries of each condition, by its kind and field. `name=` is the list's parameter. */
export const CONDITION_QUERIES: Readonly<Record<Name, Queries>> = {
  "words any": { packed: [], entries: ["refund", "-refund"] },
  "part any": { packed: ["name=REFUND"], entries: [] },
  "text any": {
    packed: [
      "name:agent*",
      "name:clerk,nobody",
      "session:session-1",
      "user:user-*,ümläut",
      "-user:user-1",
      "thread:thread-*",
      "environment:production",
      "-environment:production",
      "release:2026.1",
      "version:1.*",
      "namespace:shop",
      "tag:beta,paid",
      "-tag:b*",
      `metadata.customer:acme,${LONG}`,
      "resource.team:emea",
      "model:m-1",
      "model:m-*",
      "tool:find",
      "prompt:support/greeting",
      "prompt:support/greeting@7,other",
      "-prompt:support*",
      "node:plan",
      "code:find.ts",
      "commit:4f2a*",
    ],
    entries: ["metadata.customer:*", "-metadata.customer:long*", `metadata.customer:${"long".repeat(50)}1`, "args.order:42"],
  },
  "text error": { packed: [], entries: ["error:late", "-error:TOO*"] },
  "text text": { packed: [], entries: ["text:refund", '-text:"order 77",nothing'] },
  "choice status": {
    packed: ["status:failure", "-status:success,interrupted"],
    entries: ["status:running", "status:abandoned,failure", "-status:running,abandoned"],
  },
  "choice purpose": {
    packed: ["purpose:live"],
    entries: ["purpose:experiment", "purpose:any", "-purpose:experiment", "-purpose:live", "purpose:live,judge name:agent*"],
  },
  "choice kind": { packed: ["kind:llm", "-kind:tool,llm"], entries: [] },
  "choice has": { packed: ["has:cost", "-has:cost"], entries: ["has:error", "has:score", "has:lost,cost"] },
  "time started": {
    packed: [
      "started:>2026-11-21T05:20",
      "-started:2026-11-21",
      "started:2026-11-20,2026-11-21T03:10..2026-11-21T07:00",
      "started:<-12h,>=-3h",
    ],
    entries: [],
  },
  "number any": {
    packed: [
      "duration:>2s",
      "duration:0..10ms,1500ms",
      "-duration:<=1500ms",
      "ttft:<900ms",
      "cost:>=0.01",
      "-cost:0",
      "tokens:>1k",
      "-tokens:>1k",
      "tokens:42",
      "input_tokens:0..5000,>2m",
      "-output_tokens:>10",
    ],
    entries: ["steps:>1", "-steps:0", "failures:>0"],
  },
  "number lost": { packed: [], entries: ["lost:0", "lost:>0"] },
  "number score": { packed: [], entries: ["score.helpful:>0.5"] },
};

/** Conditions together, and some that no trace meets. */
export const QUERIES_TOGETHER: readonly string[] = [
  "",
  "tag:beta,paid -user:user-1",
  "status:failure,interrupted -tag:beta",
  "kind:llm name:agent*",
  "-has:cost duration:>2s",
  "tokens:>1k ttft:<900ms",
  "started:>2026-11-21T05:20 environment:production,staging",
  "started:2026-11-21T01:00..2026-11-21T03:10 -started:2026-11-21T02:10..2026-11-21T02:20",
  "environment:production refund",
  "user:nobody",
  "name=%",
];
