import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { borders } from "./borders.ts";

/** Written out once more instead of read from the rules: a rule that was loosened by mistake is noticed here. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "packages/identity": {
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
  "packages/code-index": {
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
  "packages/observability": {
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
};

const PARTS: Readonly<Record<string, readonly string[]>> = {
  "packages/foundation": [],
  "packages/identity": ["@sightline/foundation/log"],
  "packages/code-index": ["@sightline/foundation/log"],
  "packages/observability": ["@sightline/foundation/log"],
  "packages/sdk": [],
  "apps/console": ["@sightline/identity/contract", "@sightline/code-index/contract", "@sightline/observability/contract"],
  "apps/platform": [
    "@sightline/foundation/log",
    "@sightline/identity",
    "@sightline/code-index",
    "@sightline/observability",
    "@sightline/sdk",
    "@sightline/sdk/langgraph",
  ],
  e2e: ["@sightline/sdk", "@sightline/sdk/langgraph"],
  bench: ["@sightline/sdk", "@sightline/sdk/langgraph"],
};

const DOORS = [
  "@sightline/foundation/log",
  ...["identity", "code-index", "observability"].flatMap((part) => [
    `@sightline/${part}`,
    `@sightline/${part}/contract`,
    `@sightline/${part}/index.ts`,
    `@sightline/${part}/store/rows.ts`,
  ]),
  "@sightline/sdk",
  "@sightline/sdk/langgraph",
  "@sightline/sdk/publish.ts",
  "@sightline/console",
  "@sightline/platform",
  "@sightline/e2e",
  "@sightline/bench",
];

type Arrow = { readonly folder: string; readonly specifier: string; readonly allowed: boolean; readonly message: string };

const arrows: readonly Arrow[] = [
  ...Object.entries(PARTS).flatMap(([folder, allowed]) =>
    [folder, ...roomsOf(folder)].flatMap((from) => partArrows(folder, from, allowed)),
  ),
  ...Object.entries(ROOMS).flatMap(([part, rooms]) => Object.entries(rooms).flatMap(([room, allowed]) => roomArrows(part, room, allowed))),
  ...[...Object.keys(PARTS), "packages/identity/login"].flatMap(upwardArrows),
];

const FORMS: Readonly<Record<string, (specifier: string) => string>> = {
  "an import": (specifier) => `import { thing } from "${specifier}";\nexport const used = thing;\n`,
  "an import of a type": (specifier) => `import type { Thing } from "${specifier}";\nexport type Used = Thing;\n`,
  "an import at run time": (specifier) => `export const used = await import("${specifier}");\n`,
  "an export from": (specifier) => `export { thing } from "${specifier}";\n`,
};

const repository = fileURLToPath(new URL("..", import.meta.url));
let tree: string;
let refused: ReadonlyMap<string, string>;

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "borders-"));
  await cp(join(repository, "oxlint.config.ts"), join(tree, "oxlint.config.ts"));
  await cp(join(repository, "tools/borders.ts"), join(tree, "tools/borders.ts"));
  await symlink(join(repository, "node_modules"), join(tree, "node_modules"));
  for (const [index, { folder, specifier }] of arrows.entries()) {
    for (const [form, write] of Object.entries(FORMS)) {
      await writeProbe(probeName(folder, index, form), write(specifier));
    }
  }
  refused = await lint();
});

afterAll(async () => {
  await rm(tree, { recursive: true });
});

describe.each(Object.keys(FORMS))("%s across a border", (form) => {
  test("is refused with the rule that it breaks, whichever border it is", () => {
    const wrong = arrows.filter(({ allowed, message, folder }, index) => {
      return !allowed && refused.get(probeName(folder, index, form))?.includes(message) !== true;
    });
    expect(wrong.map(describeArrow)).toEqual([]);
    expect(arrows.filter(({ allowed }) => !allowed).length).toBeGreaterThan(300);
  });

  test("passes where the architecture has an arrow", () => {
    const wrong = arrows.filter(({ allowed, folder }, index) => allowed && refused.has(probeName(folder, index, form)));
    expect(wrong.map(describeArrow)).toEqual([]);
    expect(arrows.filter(({ allowed }) => allowed).length).toBeGreaterThan(50);
  });
});

test.each(Object.keys(ROOMS))("every folder of %s is a room with borders", async (part) => {
  const entries = await readdir(join(repository, part), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !["node_modules", "migrations", "spec", "testing"].includes(entry.name));
  const bordered = borders.flatMap(({ files }) => files);
  expect(folders.map(({ name }) => `${part}/${name}/**`).filter((files) => !bordered.includes(files))).toEqual([]);
});

function roomsOf(folder: string): readonly string[] {
  return Object.keys(ROOMS[folder] ?? {}).map((room) => `${folder}/${room}`);
}

function partArrows(part: string, folder: string, allowed: readonly string[]): readonly Arrow[] {
  return DOORS.map((specifier) => ({ folder, specifier, allowed: allowed.includes(specifier), message: `${nameOf(part)} may import` }));
}

function roomArrows(part: string, room: string, allowed: readonly string[]): readonly Arrow[] {
  const folder = `${part}/${room}`;
  const message = `The room ${room} may import`;
  const others = Object.keys(ROOMS[part] ?? {}).filter((other) => other !== room);
  return [
    ...others.map((other) => ({ folder, specifier: `#${other}/thing.ts`, allowed: allowed.includes(other), message })),
    ...["config", "contract", "schema"].map((file) => ({ folder, specifier: `#${file}.ts`, allowed: true, message })),
    { folder, specifier: "./thing.ts", allowed: true, message },
    { folder, specifier: "#index.ts", allowed: false, message },
  ];
}

function upwardArrows(folder: string): readonly Arrow[] {
  return ["../thing.ts", "../../thing.ts", ".."].map((specifier) => ({
    folder,
    specifier,
    allowed: false,
    message: "Cross a room visibly",
  }));
}

function nameOf(part: string): string {
  return `@sightline/${part.split("/").at(-1)}`;
}

function probeName(folder: string, index: number, form: string): string {
  return `${folder}/probe-${index}-${Object.keys(FORMS).indexOf(form)}.ts`;
}

function describeArrow({ folder, specifier }: Arrow): string {
  return `${folder} → ${specifier}`;
}

async function writeProbe(name: string, content: string): Promise<void> {
  await mkdir(dirname(join(tree, name)), { recursive: true });
  await writeFile(join(tree, name), content);
}

/** What the linter says about each probe that breaks a border. */
async function lint(): Promise<ReadonlyMap<string, string>> {
  const output = await new Promise<string>((resolve) => {
    // It exits with 1, since it finds something.
    execFile(
      join(repository, "node_modules/.bin/oxlint"),
      ["--format=json"],
      { cwd: tree, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout) => resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string; message: string; help?: string }[] };
  const found = diagnostics.filter(({ code }) => code.includes("no-restricted-imports"));
  return new Map(found.map(({ filename, message, help }) => [filename, `${message} ${help ?? ""}`]));
}
