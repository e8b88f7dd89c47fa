/**
 * Who may import whom. A part is a package; a room is a folder of a part. What is not listed is an error of the linter.
 * Every room may use its part's config, contract and schema, and the foundation.
 */
type Part = {
  readonly folder: string;
  readonly name: string;
  /** Other parts of ours it may import, by package name. */
  readonly parts: readonly string[];
  /** The folder of its rooms, when that is not the part's own. */
  readonly source?: string;
  /** For each room the rooms it may import. */
  readonly rooms: Readonly<Record<string, readonly string[]>>;
};

const PARTS: readonly Part[] = [
  { folder: "packages/foundation", name: "@sightline/foundation", parts: [], rooms: {} },
  {
    folder: "packages/identity",
    name: "@sightline/identity",
    parts: ["@sightline/foundation"],
    rooms: {
      login: ["totp", "session", "accounts", "throttle", "notices", "audit"],
      administration: ["recovery", "totp", "session", "accounts", "throttle", "notices", "audit"],
      recovery: ["session", "accounts", "throttle", "notices", "audit"],
      totp: ["session", "accounts", "throttle", "notices", "keys", "audit"],
      session: ["keys", "audit"],
      accounts: ["throttle", "audit"],
      notices: ["keys"],
      keys: ["audit"],
      throttle: [],
      audit: [],
    },
  },
  {
    folder: "packages/code-index",
    name: "@sightline/code-index",
    parts: ["@sightline/foundation"],
    rooms: {
      source: [],
      splitting: [],
      embedding: ["tokens"],
      tokens: [],
      credentials: ["source", "store"],
      webhooks: ["source", "credentials", "store"],
      indexing: ["source", "splitting", "store", "embedding", "tokens", "credentials", "webhooks", "tenants"],
      tenants: ["source", "store"],
      store: [],
      retrieval: ["store", "embedding"],
      api: ["retrieval", "source", "store", "embedding", "credentials", "webhooks", "tenants", "tokens"],
      fault: ["indexing", "store"],
      evaluation: ["credentials", "embedding", "indexing", "retrieval", "splitting", "store"],
    },
  },
  {
    folder: "packages/observability",
    name: "@sightline/observability",
    parts: ["@sightline/foundation"],
    rooms: {
      intake: [],
      consume: ["intake", "store"],
      store: [],
      query: ["intake", "store"],
      fault: ["intake", "store"],
      keys: ["store", "query"],
      otlp: ["intake"],
      alerts: ["store", "query"],
      tools: ["store", "query"],
    },
  },
  { folder: "packages/sdk", name: "@sightline/sdk", parts: [], rooms: {} },
  {
    folder: "apps/console",
    name: "@sightline/console",
    parts: ["@sightline/identity/contract", "@sightline/code-index/contract", "@sightline/observability/contract"],
    source: "src",
    rooms: {
      http: [],
      ui: [],
      "features/audit": ["http", "ui"],
      "features/auth": ["http", "ui"],
      "features/code": ["http", "ui"],
      "features/credentials": ["http", "ui"],
      "features/health": ["http", "ui"],
      "features/jobs": ["http", "ui"],
      "features/notices": ["http", "ui"],
      "features/palette": ["http", "ui"],
      "features/projects": ["http", "ui"],
      "features/repositories": ["http", "ui"],
      "features/tokens": ["http", "ui"],
      "features/alerts": ["http", "ui"],
      "features/compare": ["http", "ui"],
      "features/dashboards": ["http", "ui"],
      "features/ingestion": ["http", "ui"],
      "features/traces": ["http", "ui"],
      "features/users": ["http", "ui"],
      "features/webhooks": ["http", "ui"],
      shell: ["http", "ui", "features/auth", "features/notices", "features/palette"],
      routes: [
        "http",
        "ui",
        "shell",
        "features/alerts",
        "features/audit",
        "features/auth",
        "features/code",
        "features/compare",
        "features/credentials",
        "features/dashboards",
        "features/health",
        "features/ingestion",
        "features/jobs",
        "features/notices",
        "features/projects",
        "features/repositories",
        "features/tokens",
        "features/traces",
        "features/users",
        "features/webhooks",
      ],
    },
  },
  {
    folder: "apps/platform",
    name: "@sightline/platform",
    parts: [
      "@sightline/foundation",
      "@sightline/identity",
      "@sightline/code-index",
      "@sightline/observability",
      "@sightline/sdk",
      "@sightline/sdk/langgraph",
    ],
    rooms: {},
  },
  { folder: "e2e", name: "@sightline/e2e", parts: ["@sightline/sdk", "@sightline/sdk/langgraph"], rooms: {} },
  { folder: "bench", name: "@sightline/bench", parts: ["@sightline/sdk", "@sightline/sdk/langgraph"], rooms: {} },
];

const UPWARDS = { regex: "^\\.\\.(/|$)", message: "Cross a room visibly: write #room/file.ts." };

const FOUNDATION = "@sightline/foundation";

type Pattern = { readonly regex: string; readonly message: string };

type Override = { files: string[]; rules: { "no-restricted-imports": ["error", { patterns: Pattern[] }] } };

function restrict(files: string[], patterns: Pattern[]): Override {
  return { files, rules: { "no-restricted-imports": ["error", { patterns: [UPWARDS, ...patterns] }] } };
}

/** Names every closed door, since the linter's expressions have no look-ahead. */
function foreignParts(part: Part): Pattern {
  const closed = PARTS.flatMap(({ name }) => closedDoors(part, name));
  return {
    regex: `^(?:${closed.join("|")})`,
    message: `${part.name} may import ${part.parts.length === 0 ? "no other part" : `only ${part.parts.join(", ")}`}.`,
  };
}

function closedDoors(part: Part, name: string): readonly string[] {
  if (name === FOUNDATION && part.parts.includes(name)) {
    return [`${name}$`];
  }
  const [door] = part.parts.filter((open) => open.startsWith(`${name}/`)).map((open) => open.slice(name.length + 1));
  const closed = door === undefined ? [`${name}/`] : [`${name}/(?:${anythingBut(door)})`];
  return part.parts.includes(name) ? closed : [`${name}$`, ...closed];
}

/** What differs from the word at one of its letters, ends within it, or goes on after it. */
function anythingBut(word: string): string {
  const letters = Array.from(word, (letter, index) => `${word.slice(0, index)}(?:[^${letter}]|$)`);
  return [...letters, `${word}.`].join("|");
}

function foreignRooms(part: Part, room: string, allowed: readonly string[]): Pattern {
  const others = Object.keys(part.rooms).filter((other) => other !== room && !allowed.includes(other));
  return {
    regex: `^#(?:${[...others, "index\\.ts"].join("|")})(?:/|$)`,
    message: `The room ${room} may import ${allowed.length === 0 ? "no other room" : `only the rooms ${allowed.join(", ")}`}.`,
  };
}

export const borders: Override[] = PARTS.flatMap((part) => [
  restrict([`${part.folder}/**`], [foreignParts(part)]),
  ...Object.entries(part.rooms).map(([room, allowed]) =>
    restrict(
      [`${[part.folder, part.source, room].filter((name) => name !== undefined).join("/")}/**`],
      [foreignParts(part), foreignRooms(part, room, allowed)],
    ),
  ),
]);
