/**
 * Who may import whom. A part is a package; a room is a folder of a part that has sources of its own. What is not listed is an
 * error of the linter (tools/borders.ts), and its message says why the border is there. Every room may use its part's config, contract and schema,
 * and the foundation. A test may use every room of its part, to make what its own room reads.
 */
export type Room = {
  /** The rooms it may import. */
  readonly uses: readonly string[];
  /** Why no others: ends the message of the linter. */
  readonly why: string;
};

export type Part = {
  readonly folder: string;
  readonly name: string;
  /** Other parts of ours it may import, by package name. */
  readonly parts: readonly string[];
  readonly why: string;
  /** The folder of its rooms, when that is not the part's own. */
  readonly source?: string;
  /** Set for the SDK: its rooms name each other by relative paths, since that is what its published files can resolve. */
  readonly isRelative?: true;
  readonly rooms: Readonly<Record<string, Room>>;
};

/** The console's kit, from the words up. */
const UI: Readonly<Record<string, Room>> = {
  "ui/words": { uses: [], why: "how a value is written does not depend on where it stands" },
  "ui/keys": { uses: [], why: "a key is heard whatever it does" },
  "ui/time": { uses: ["ui/words"], why: "times are shown by every component, so they know none" },
  "ui/kit": { uses: ["ui/words", "ui/time"], why: "the kit knows no feature" },
  "ui/query": { uses: ["ui/keys"], why: "a field completes whatever language is typed into it" },
  "ui/page": { uses: ["ui/kit"], why: "a page's frame knows no page" },
  "ui/markdown": { uses: ["ui/page", "ui/words"], why: "text of strangers meets as little of ours as possible" },
};

function feature(uses: readonly string[], why: string): Room {
  return { uses: ["http", ...Object.keys(UI), ...uses], why };
}

/** Subjects whose folders nobody confuses; the others have rooms. */
const SMALL_FEATURES = [
  "audit",
  "auth",
  "compare",
  "connections",
  "credentials",
  "datasets",
  "directory",
  "issues",
  "health",
  "ingestion",
  "jobs",
  "notices",
  "palette",
  "playground",
  "projects",
  "prompts",
  "repositories",
  "sharing",
  "tokens",
  "users",
  "webhooks",
  "workloads",
].map((name) => `features/${name}`);

const FEATURES: Readonly<Record<string, Room>> = {
  ...Object.fromEntries(SMALL_FEATURES.map((name) => [name, feature([], "features do not know each other: routes compose them")])),
  "features/annotation": feature(["features/traces/scores"], "a label is a score, and the page composes what is labelled"),
  "features/judges": feature(["features/datasets"], "an evaluator's checks are written as an item's"),
  ...Object.fromEntries(
    ["alerts", "experiments"].map((name) => [
      `features/${name}`,
      feature(["features/judges"], "a judge's score is marked where it stands"),
    ]),
  ),
  "features/comments": feature(["features/auth", "features/projects"], "people write to people, wherever a page puts it"),
  "features/dashboards/api": feature([], "figures are asked for without knowing how they are drawn"),
  "features/dashboards": feature(["features/dashboards/api"], "what is measured is chosen apart from what draws it"),
  "features/dashboards/components": feature(["features/dashboards", "features/dashboards/api"], "charts know no other feature"),
  "features/code/query": feature([], "a query is read before anything is asked"),
  "features/code/model": feature([], "a place in a file is the same in every answer"),
  "features/code/highlight": feature([], "colours follow from a text and its language"),
  "features/code/api": feature(["features/code/query"], "requests know no component"),
  "features/code/search": feature(
    ["features/code/api", "features/code/query", "features/code/model", "features/code/highlight"],
    "results lead to files and commits by their addresses",
  ),
  "features/code/commit": feature(["features/code/api", "features/code/highlight"], "a commit is shown without the file's page"),
  "features/code/file": feature(
    ["features/code/api", "features/code/commit", "features/code/model", "features/code/highlight"],
    "a file's history shows commits, and nothing of a search",
  ),
  "features/traces/model": feature([], "every view of a trace shares it, so it knows none"),
  "features/traces/api": feature([], "requests know no component"),
  "features/traces/scores": feature([], "a score is given to whatever is named to it"),
  "features/traces/changes": feature(
    ["features/traces/api", "features/traces/scores"],
    "a change is made of traces wherever they were chosen",
  ),
  "features/traces/marks": feature(["features/traces/api"], "marks stand in lists and in traces"),
  "features/traces/json": feature(["features/traces/api", "features/traces/model"], "a value is shown whatever it belongs to"),
  "features/traces/messages": feature(["features/traces/json"], "a message is shown without its trace"),
  "features/traces/waterfall": feature(["features/traces/marks", "features/traces/model"], "the tree of steps shows no step's values"),
  "features/traces/graph": feature(["features/traces/model"], "the graph follows from the steps alone"),
  "features/traces/state": feature(
    ["features/traces/api", "features/traces/graph", "features/traces/json", "features/traces/model"],
    "the state is played back along the graph",
  ),
  "features/traces/transcript": feature(
    ["features/traces/api", "features/traces/marks", "features/traces/messages", "features/traces/model"],
    "a conversation is its messages, not its steps",
  ),
  "features/traces/details": feature(
    ["api", "json", "marks", "messages", "scores", "waterfall"].map((name) => `features/traces/${name}`),
    "details are of one step and know no other view",
  ),
  "features/traces/trace": feature(
    ["api", "changes", "details", "graph", "json", "marks", "model", "state", "transcript", "waterfall"].map(
      (name) => `features/traces/${name}`,
    ),
    "a trace's page composes its views and knows no list",
  ),
  "features/traces/list/model": feature([], "the state of the list is read from the address alone"),
  "features/traces/list/query": feature(["features/traces/api", "features/traces/list/model"], "a query is edited without the list"),
  "features/traces/list": feature(
    ["api", "changes", "list/model", "list/query", "marks"].map((name) => `features/traces/${name}`),
    "a list shows traces and opens none",
  ),
  "features/traces/groups": feature(["features/traces/api"], "sessions and users are listed without their traces"),
  "features/traces/session": feature(
    ["features/traces/api", "features/traces/list", "features/traces/messages", "features/traces/transcript"],
    "a session shows turns as the list and the transcript do, and no step",
  ),
};

export const FOUNDATION = "@sightline/foundation";

export const PARTS: readonly Part[] = [
  {
    folder: "packages/foundation",
    name: FOUNDATION,
    parts: [],
    why: "everything stands on it, so it can stand on nothing of ours",
    rooms: {
      http: { uses: [], why: "a server needs no database" },
      database: { uses: [], why: "a database needs no server" },
      "embedded-postgres": { uses: [], why: "it speaks PostgreSQL's protocol and knows no tables" },
      files: { uses: [], why: "a folder is locked and a file replaced whoever asks" },
      outbound: { uses: [], why: "what may be reached does not depend on who asks" },
      secrets: { uses: [], why: "sealing is arithmetic on bytes and keys" },
    },
  },
  {
    folder: "packages/identity",
    name: "@sightline/identity",
    parts: [FOUNDATION],
    why: "parts meet over HTTP and signing keys",
    rooms: {
      contract: { uses: [], why: "a browser reads it through contract.ts, so it knows no room" },
      login: {
        uses: ["factors", "factors/kit", "factors/backup-code", "session", "accounts", "throttle", "notices", "audit"],
        why: "a login ends in a session, and administration stands above it",
      },
      oauth: {
        uses: ["session", "accounts", "throttle", "notices", "keys", "audit"],
        why: "an app is granted something by somebody who is logged in, however that was proved",
      },
      factors: {
        uses: ["factors/kit", "factors/totp", "factors/backup-code", "factors/passkey"],
        why: "it lists the kinds of second factor, and whoever asks all of them stands above it",
      },
      "factors/totp": {
        uses: ["factors/kit", "factors/backup-code", "session", "accounts", "throttle", "notices", "keys", "audit"],
        why: "a kind of second factor knows no other; backup codes are made with an app",
      },
      "factors/backup-code": { uses: ["factors/kit", "audit"], why: "a code that stands in for an app knows nothing of it" },
      "factors/passkey": {
        uses: ["factors/kit", "session", "accounts", "throttle", "notices", "audit"],
        why: "a kind of second factor knows no other",
      },
      "factors/kit": {
        uses: ["session", "accounts", "throttle", "notices", "keys", "audit"],
        why: "what is the same for every kind of second factor asks the kind, and knows none",
      },
      administration: {
        uses: ["recovery", "factors", "factors/kit", "session", "accounts", "throttle", "notices", "audit"],
        why: "admins change accounts without logging in as anybody",
      },
      sso: {
        uses: ["administration", "factors/kit", "session", "accounts", "throttle", "notices", "keys", "audit"],
        why: "a provider proves who somebody is, and what that opens is decided by the rooms that every login uses",
      },
      workload: {
        uses: ["sso", "administration", "session", "keys", "throttle", "audit"],
        why: "a job is trusted by what another issuer says of it, and is no account",
      },
      scim: {
        uses: ["sso", "administration", "factors/kit", "contract", "accounts", "throttle", "audit"],
        why: "a directory keeps accounts and groups, and reaches neither passwords nor second factors",
      },
      recovery: { uses: ["session", "accounts", "throttle", "notices", "audit"], why: "a mailed link never answers for the second factor" },
      session: { uses: ["keys", "audit"], why: "a session is issued for whoever logged in, however that was proved" },
      accounts: { uses: ["throttle", "audit"], why: "accounts exist before sessions and second factors" },
      notices: { uses: ["keys"], why: "notices are written by others and only sealed and sent here" },
      keys: { uses: ["audit"], why: "keys are rotated for all rooms above" },
      throttle: { uses: [], why: "it counts tries of anything" },
      audit: { uses: [], why: "every room writes to it, so it can read none" },
    },
  },
  {
    folder: "packages/code-index",
    name: "@sightline/code-index",
    parts: [FOUNDATION],
    why: "parts meet over HTTP and signing keys",
    rooms: {
      contract: { uses: [], why: "a browser reads it through contract.ts, so it knows no room" },
      http: {
        uses: [
          "http/kit",
          "http/access",
          "retrieval/search",
          "retrieval/grep",
          "retrieval/symbols",
          "retrieval/files",
          "retrieval/commits",
          "retrieval/scope",
          "scip",
          "scip/format",
          "watching",
          "webhooks",
          "tenants",
          "credentials",
          "embedding",
          "splitting",
          "git",
          "tokens",
          "store/index",
          "store/records",
          "store/tenancy",
        ],
        why: "routes ask the rooms that answer, never how they find it, and know no MCP",
      },
      "http/access": { uses: ["http/kit", "tenants", "store/tenancy"], why: "who calls is known before what is asked" },
      "http/kit": { uses: ["store/records", "store/tenancy"], why: "all routes share it, so it knows none of them" },
      mcp: {
        uses: [
          "mcp/kit",
          "mcp/tools",
          "http/access",
          "http/kit",
          "retrieval/search",
          "retrieval/files",
          "store/records",
          "store/tenancy",
          "tokens",
        ],
        why: "the server offers tools, and the tools answer",
      },
      "mcp/tools": {
        uses: [
          "mcp/kit",
          "http/kit",
          "retrieval/search",
          "retrieval/grep",
          "retrieval/symbols",
          "retrieval/files",
          "retrieval/commits",
          "retrieval/scope",
          "store/records",
          "tokens",
        ],
        why: "a tool does not know the server that offers it",
      },
      "mcp/kit": {
        uses: ["retrieval/search", "retrieval/scope", "splitting", "store/tenancy", "tokens"],
        why: "all tools share it, so it knows none of them",
      },
      "retrieval/search": {
        uses: [
          "retrieval/legs",
          "retrieval/bm25",
          "retrieval/ranking",
          "retrieval/patterns",
          "retrieval/scope",
          "retrieval/query",
          "embedding",
          "store/index",
          "store/tenancy",
        ],
        why: "a search is put together from the query down, and knows nobody who asks",
      },
      "retrieval/ranking": {
        uses: ["retrieval/legs", "retrieval/scope", "retrieval/query", "embedding", "store/index"],
        why: "ranking orders what was found, and finds nothing itself",
      },
      "retrieval/legs": {
        uses: ["retrieval/bm25", "retrieval/patterns", "retrieval/scope", "retrieval/query", "embedding", "store/index", "store/tenancy"],
        why: "a search method finds chunks and does not order those of others",
      },
      "retrieval/bm25": {
        uses: ["retrieval/scope", "retrieval/query", "store/index", "store/tenancy"],
        why: "scores come from postings alone",
      },
      "retrieval/grep": {
        uses: ["retrieval/patterns", "retrieval/search", "retrieval/scope", "store/tenancy"],
        why: "grep is exact and ranks nothing",
      },
      "retrieval/symbols": {
        uses: [
          "retrieval/files",
          "retrieval/grep",
          "retrieval/patterns",
          "retrieval/ranking",
          "retrieval/scope",
          "retrieval/query",
          "scip/format",
          "splitting",
          "store/tenancy",
        ],
        why: "symbols are looked up, not searched",
      },
      scip: {
        uses: ["scip/format", "retrieval/commits", "retrieval/grep", "retrieval/scope", "store/index", "store/tenancy"],
        why: "an upload is checked against the index, and answers nothing itself",
      },
      "scip/format": { uses: [], why: "bytes in, occurrences out" },
      "retrieval/commits": {
        uses: ["retrieval/files", "retrieval/scope", "retrieval/query", "splitting", "store/index", "store/records", "store/tenancy"],
        why: "commits have an order of their own",
      },
      "retrieval/files": {
        uses: ["retrieval/patterns", "retrieval/scope", "store/index", "store/tenancy"],
        why: "reading a file searches nothing",
      },
      "retrieval/patterns": {
        uses: ["retrieval/scope", "retrieval/query", "store/index", "store/tenancy"],
        why: "a pattern is matched for every kind of question",
      },
      "retrieval/scope": {
        uses: ["retrieval/query", "store/index", "store/tenancy"],
        why: "what may be seen is settled before anything is looked for",
      },
      "retrieval/query": { uses: ["store/index", "store/tenancy"], why: "reading a query needs only how words are cut" },
      indexing: {
        uses: [
          "indexing/build",
          "indexing/embedding",
          "indexing/history",
          "indexing/reading",
          "indexing/tasks",
          "webhooks",
          "tenants",
          "credentials",
          "embedding",
          "splitting",
          "tokens",
          "git",
          "store/index",
          "store/records",
          "store/tenancy",
        ],
        why: "indexing writes what retrieval reads; they meet in the tables",
      },
      "indexing/build": {
        uses: ["indexing/embedding", "embedding", "splitting", "git", "store/index", "store/records", "store/tenancy"],
        why: "a build is the same whatever asked for it",
      },
      "indexing/embedding": {
        uses: ["embedding", "store/index", "store/records", "store/tenancy"],
        why: "vectors follow a build and do not wait for one",
      },
      "indexing/history": {
        uses: ["indexing/build", "indexing/tasks", "watching", "credentials", "splitting", "git", "store/index", "store/tenancy"],
        why: "history is kept beside the index, not by its jobs",
      },
      "indexing/reading": {
        uses: ["indexing/build", "indexing/history", "credentials", "splitting", "git", "git/revisions", "store/records", "store/tenancy"],
        why: "what git answers is asked and told through tables, and written nowhere else",
      },
      "indexing/tasks": {
        uses: ["git", "store/records", "store/tenancy"],
        why: "how work is repeated and leased does not depend on the work",
      },
      watching: {
        uses: ["indexing/build", "indexing/tasks", "retrieval/patterns", "retrieval/query", "retrieval/scope", "git", "store/tenancy"],
        why: "what is watched for is read as searches read it, and told of by whoever has the commits",
      },
      webhooks: {
        uses: ["webhooks/hosts", "credentials", "git", "store/records", "store/tenancy"],
        why: "a delivery becomes a job in a table; it does not run it",
      },
      "webhooks/hosts": { uses: ["git"], why: "a host's deliveries are read without knowing whose they are" },
      tenants: { uses: ["git", "store/index", "store/records", "store/tenancy"], why: "a tenant is made and dropped as a whole" },
      credentials: { uses: ["git", "store/tenancy"], why: "secrets are opened for git alone" },
      embedding: { uses: ["tokens", "store/index"], why: "text in, vectors out; its words are those of the index" },
      splitting: { uses: [], why: "text in, chunks out, in a thread of its own" },
      tokens: { uses: [], why: "it counts, whoever asks" },
      git: { uses: [], why: "it knows addresses and folders, not repositories of tenants" },
      "git/revisions": { uses: ["git"], why: "a revision is looked up in a repository on this machine" },
      "store/index": { uses: ["store/records", "store/tenancy"], why: "a build holds the lease of a job" },
      "store/records": { uses: ["store/tenancy"], why: "records exist before anything is indexed" },
      "store/tenancy": { uses: [], why: "every statement is a tenant's, so this is below all of them" },
      evaluation: {
        uses: [
          "credentials",
          "embedding",
          "git",
          "indexing",
          "indexing/embedding",
          "indexing/history",
          "retrieval/grep",
          "retrieval/patterns",
          "retrieval/query",
          "retrieval/ranking",
          "retrieval/scope",
          "retrieval/search",
          "retrieval/symbols",
          "splitting",
          "store/index",
          "store/records",
          "store/tenancy",
          "tokens",
        ],
        why: "it measures answers and judges no route",
      },
    },
  },
  {
    folder: "packages/observability",
    name: "@sightline/observability",
    parts: [FOUNDATION],
    why: "parts meet over HTTP and signing keys",
    rooms: {
      contract: { uses: [], why: "a browser reads it through contract.ts, so it knows no room" },
      "mcp-tools": {
        uses: [
          "trace-facts",
          "query/list",
          "query/steps",
          "query/trace",
          "query/compare",
          "query/figures",
          "query/access",
          "annotation",
          "issues",
          "datasets",
          "experiments",
          "prompts",
          "store",
        ],
        why: "assistants read traces by the same questions as people",
      },
      "query/conditions": {
        uses: ["counting", "query/steps", "text", "store"],
        why: "a condition of the query is told once, for SQL and for packed hours",
      },
      checks: { uses: ["contract"], why: "what must hold follows from an output and a trace alone" },
      divergence: { uses: ["contract", "statistics", "trace-facts"], why: "where runs went another way follows from their steps alone" },
      datasets: {
        uses: ["checks", "query/list", "query/trace", "query/access", "events", "store"],
        why: "items are made of traces as they are listed and read, and masked as events are, and know no experiment",
      },
      playground: {
        uses: ["datasets", "experiments", "judges", "models", "otlp", "query/access", "store"],
        why: "a call that somebody tries is paid for and traced as a judge's is, and over a dataset it is an experiment's run",
      },
      sharing: {
        uses: ["datasets", "events", "query/steps", "query/trace", "query/access", "store"],
        why: "a link shows what a trace shows, masked once more as items are",
      },
      annotation: {
        uses: ["datasets", "query/access", "statistics", "store"],
        why: "people label traces, and a label is a score as any other: who reads scores knows no queue",
      },
      comments: {
        uses: ["query/access", "query/steps", "store"],
        why: "people talk about what is there; whoever deletes that takes the comments along by way of the store",
      },
      prompts: {
        uses: ["prices", "query/access", "store"],
        why: "a prompt is text with versions; how it was used is told by steps as they are kept",
      },
      experiments: {
        uses: [
          "alerts/project",
          "checks",
          "datasets",
          "divergence",
          "statistics",
          "counting",
          "query/trace",
          "query/access",
          "events",
          "store",
        ],
        why: "runs are of items and masked as they are, alerts tell of the end; formulas and checks are told what they are of",
      },
      "query/list": {
        uses: ["counting", "query/conditions", "query/steps", "query/access", "text", "store"],
        why: "a list shows traces and opens none",
      },
      "query/columns": {
        uses: ["counting", "query/conditions", "query/list", "store"],
        why: "many traces are read by column, as the query of the list finds them",
      },
      "query/sessions": {
        uses: ["counting", "messages", "trace-facts", "query/list", "query/steps", "query/access", "store"],
        why: "a session is its traces as the list tells them, and what was said in each",
      },
      "query/trace": {
        uses: ["query/graph", "query/steps", "query/access", "store"],
        why: "one trace is put together from its steps and its graph",
      },
      "query/replay": {
        uses: ["checks", "query/trace", "query/steps", "query/access", "store"],
        why: "calls are answered from what a trace says of its steps",
      },
      "query/transcript": { uses: ["messages", "query/steps", "query/access", "store"], why: "a conversation is read from steps" },
      "query/compare": {
        uses: [
          "divergence",
          "statistics",
          "trace-facts",
          "query/trace",
          "query/columns",
          "query/conditions",
          "query/graph",
          "query/list",
          "query/steps",
          "query/access",
          "prices",
          "store",
        ],
        why: "it compares what one trace shows, or what the list finds",
      },
      "query/export": {
        uses: ["query/conditions", "query/list", "query/steps", "query/access", "prices", "store"],
        why: "it writes what the list finds",
      },
      "query/live": { uses: ["query/steps", "query/access", "events"], why: "it tells that something changed, and what is asked again" },
      "query/figures": {
        uses: ["counting", "query/columns", "query/list", "query/access", "prices", "store"],
        why: "figures come from hours that were counted or packed, and of filtered traces from the list's entries; not from steps",
      },
      "query/projects": { uses: ["query/access", "events", "prices", "store"], why: "settings of a project read no trace" },
      "query/ingestion": {
        uses: ["query/access", "events", "store"],
        why: "what arrives is watched apart from what is shown",
      },
      deletion: {
        uses: ["counting", "issues", "query/access", "events", "store"],
        why: "what is deleted goes from every table, by the references that writing left and not by what reading shows",
      },
      "query/graph": { uses: ["query/steps"], why: "taken edges follow from steps" },
      "query/steps": {
        uses: ["trace-facts", "counting", "query/access", "prices", "store"],
        why: "the one model of a step: all readers stand on it",
      },
      "query/access": { uses: ["store"], why: "who may read is settled before what is read" },
      "alerts/operator": {
        uses: ["counting", "query/access", "text", "store"],
        why: "the contract's rules watch the product, not a project's traces",
      },
      "alerts/project": {
        uses: ["counting", "query/access", "query/conditions", "prices", "store"],
        why: "a rule reads counted hours and sends messages",
      },
      ingest: { uses: ["ingest/writing", "events", "messages", "store"], why: "writing never waits for reading" },
      "ingest/writing": { uses: ["store"], why: "rows are written without knowing the stream that they come from" },
      otlp: {
        uses: ["otlp/dialects", "otlp/stack-text", "otlp/wire", "events", "messages", "trace-facts"],
        why: "spans become events on the stream, not rows",
      },
      "otlp/dialects": { uses: ["otlp/wire"], why: "a dialect reads a span and knows no event" },
      "otlp/stack-text": { uses: [], why: "what a language prints is read whoever sent it" },
      "otlp/wire": { uses: [], why: "bytes become spans, whatever the spans say" },
      keys: { uses: ["query/access", "store"], why: "a key opens a project and reads nothing of it" },
      models: { uses: ["query/access", "store"], why: "whoever is asked for an answer does not know what it is for" },
      preferences: {
        uses: ["experiments", "query/access", "statistics", "store"],
        why: "two experiments are compared by hand as they are by their scores, and who asks a judge says what it prefers",
      },
      judges: {
        uses: [
          "checks",
          "datasets",
          "events",
          "experiments",
          "models",
          "otlp",
          "preferences",
          "prices",
          "query/access",
          "query/conditions",
          "query/list",
          "query/trace",
          "statistics",
          "store",
        ],
        why: "a judge reads what traces and runs show, asks a model, sends a trace of it as an application does, and is compared with people",
      },
      issues: {
        uses: ["alerts/project", "trace-facts", "counting", "query/access", "store"],
        why: "an issue follows from where counted traces failed, has alerts tell of it, and asks nothing of the code index",
      },
      housekeeping: { uses: ["counting", "issues", "prices", "text", "store"], why: "what is old is swept without anybody asking" },
      counting: {
        uses: ["trace-facts", "prices", "store"],
        why: "entries and hours follow from traces and steps, whoever reads them afterwards",
      },
      text: { uses: ["store"], why: "what was written is read for its words beside writing, whoever searches for them" },
      prices: { uses: ["store"], why: "cost is one formula for all readers" },
      messages: { uses: ["contract"], why: "what was said is read from values alone, in a browser too" },
      "trace-facts": { uses: ["contract"], why: "what is true of a trace follows from its steps alone, in a browser too" },
      statistics: { uses: [], why: "formulas know numbers, and nothing of what they are of" },
      events: { uses: [], why: "the schema on the stream is a promise to producers" },
      store: { uses: [], why: "what several rooms share knows none of them" },
    },
  },
  {
    folder: "packages/sdk",
    name: "@sightline/sdk",
    parts: [],
    why: "it runs in other people's applications",
    source: "src",
    isRelative: true,
    rooms: {
      langgraph: { uses: ["capture", "client", "event", "settings"], why: "an application without LangGraph must load without it" },
      providers: { uses: ["capture", "client", "event", "settings"], why: "a provider's client is wrapped without knowing a graph" },
      evaluate: { uses: ["capture", "client", "event", "settings"], why: "an application that evaluates nothing must load without it" },
      replay: { uses: ["evaluate", "capture", "client", "event"], why: "calls are matched alike, whoever makes them, and ask by client" },
      prompts: { uses: ["client", "settings"], why: "a prompt is text; which call it is of is found where calls are recorded" },
      capture: { uses: ["client", "event", "mask", "settings"], why: "capturing is the same for every library" },
      client: { uses: ["publish", "event", "settings"], why: "it holds what is running in this process" },
      publish: { uses: ["event", "settings"], why: "it sends texts and does not look into them" },
      settings: { uses: ["mask"], why: "settings are read before anything runs" },
      event: { uses: ["mask"], why: "an event is masked as it becomes text" },
      mask: { uses: [], why: "what hides secrets must not depend on what it hides" },
    },
  },
  {
    folder: "apps/console",
    name: "@sightline/console",
    parts: [
      "@sightline/foundation/demo-names",
      "@sightline/foundation/exact-json",
      "@sightline/identity/contract",
      "@sightline/code-index/contract",
      "@sightline/observability/contract",
    ],
    why: "a browser knows the parts by their contracts",
    source: "src",
    rooms: {
      http: { uses: [], why: "requests know no page" },
      ...UI,
      ...FEATURES,
      shell: {
        uses: ["http", ...Object.keys(UI), "features/auth", "features/notices", "features/palette"],
        why: "the frame shows who is logged in, and no page",
      },
      routes: { uses: ["http", ...Object.keys(UI), "shell", ...Object.keys(FEATURES)], why: "only pages compose features" },
    },
  },
  {
    folder: "apps/platform",
    name: "@sightline/platform",
    parts: [
      FOUNDATION,
      "@sightline/identity",
      "@sightline/identity/mailer",
      "@sightline/identity/registration",
      "@sightline/identity/settings",
      "@sightline/identity/standing",
      "@sightline/identity/telling",
      "@sightline/code-index",
      "@sightline/code-index/contract",
      "@sightline/code-index/indexer",
      "@sightline/code-index/settings",
      "@sightline/observability",
      "@sightline/observability/consumer",
      "@sightline/observability/contract",
      "@sightline/observability/settings",
      "@sightline/observability/trace-tools",
      "@sightline/sdk",
      "@sightline/sdk/langgraph",
    ],
    why: "it puts the parts together through their doors",
    rooms: {
      cli: {
        uses: ["compose", "console-server", "demo", "doctor", "embedded", "settings", "supervisor"],
        why: "commands start things; nothing that runs knows a command",
      },
      reference: {
        uses: ["cli", "compose", "compose/wiring", "settings"],
        why: "documents are written from everything and used by nothing",
      },
      doctor: { uses: ["compose", "embedded", "settings"], why: "it looks at a machine and starts nothing" },
      compose: { uses: ["compose/wiring", "settings"], why: "roles are put together whichever process runs them" },
      "compose/wiring": { uses: ["console-server", "settings"], why: "one part is wired without knowing the others" },
      embedded: { uses: ["supervisor", "settings"], why: "the embedded stores are children like any other" },
      supervisor: { uses: ["settings"], why: "it keeps processes alive, whatever they do" },
      "console-server": { uses: ["settings"], why: "it serves files and passes requests on" },
      demo: { uses: ["settings"], why: "the demo uses the product from outside, as its users do" },
      settings: { uses: [], why: "settings are read before anything runs" },
    },
  },
  {
    folder: "e2e",
    name: "@sightline/e2e",
    parts: ["@sightline/sdk", "@sightline/sdk/langgraph"],
    why: "it tries the product from outside",
    rooms: {},
  },
  {
    folder: "bench",
    name: "@sightline/bench",
    parts: ["@sightline/sdk", "@sightline/sdk/langgraph"],
    why: "it measures the product from outside",
    rooms: {},
  },
];
