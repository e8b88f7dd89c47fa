import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PARTS, type Part } from "./rooms.ts";

const DOORS_OF_FOUNDATION = "@sightline/foundation/log";

const DOORS = [
  DOORS_OF_FOUNDATION,
  ...["identity", "code-index", "observability"].flatMap((part) => [
    `@sightline/${part}`,
    `@sightline/${part}/contract`,
    `@sightline/${part}/settings`,
    `@sightline/${part}/setting`,
    `@sightline/${part}/index.ts`,
    `@sightline/${part}/store/rows.ts`,
  ]),
  "@sightline/identity/registration",
  "@sightline/identity/standing",
  "@sightline/code-index/indexer",
  "@sightline/observability/consumer",
  "@sightline/observability/trace-tools",
  "@sightline/sdk",
  "@sightline/sdk/langgraph",
  "@sightline/sdk/publish.ts",
  "@sightline/console",
  "@sightline/platform",
  "@sightline/e2e",
  "@sightline/bench",
];

type Diagnostic = {
  readonly code: string;
  readonly filename: string;
  readonly message: string;
  readonly help?: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
};

type Arrow = { readonly folder: string; readonly specifier: string; readonly allowed: boolean; readonly message: string };

const arrows: readonly Arrow[] = PARTS.flatMap((part) => [
  ...[part.folder, ...Object.keys(part.rooms).map((room) => folderOf(part, room))].flatMap((folder) => partArrows(part, folder)),
  ...Object.keys(part.rooms).flatMap((room) => roomArrows(part, room)),
  ...upwardArrows(part),
]);

const FORMS: Readonly<Record<string, (specifier: string, index: number) => string>> = {
  "an import": (specifier, index) => `import { thing as thing${index} } from "${specifier}";`,
  "an import of a type": (specifier, index) => `import type { Thing as Thing${index} } from "${specifier}";`,
  "an import at run time": (specifier) => `await import("${specifier}");`,
  "an export from": (specifier, index) => `export { thing as export${index} } from "${specifier}";`,
};

/** A folder's arrows are lines of one file, since the linter takes its time for a file and not for a line. */
const arrowsByFolder = Map.groupBy(arrows, ({ folder }) => folder);

const repository = fileURLToPath(new URL("..", import.meta.url));
let tree: string;
let refused: ReadonlyMap<string, string>;

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "borders-"));
  await cp(join(repository, "oxlint.config.ts"), join(tree, "oxlint.config.ts"));
  for (const file of ["borders.ts", "rooms.ts"]) {
    await cp(join(repository, "tools", file), join(tree, "tools", file));
  }
  await symlink(join(repository, "node_modules"), join(tree, "node_modules"));
  for (const [folder, own] of arrowsByFolder) {
    const lines = Object.values(FORMS).flatMap((write) => own.map(({ specifier }, index) => write(specifier, index)));
    await mkdir(join(tree, folder), { recursive: true });
    await writeFile(join(tree, folder, "probe.ts"), `${lines.join("\n")}\n`);
  }
  refused = await lint();
});

afterAll(async () => {
  await rm(tree, { recursive: true });
});

describe.each(Object.keys(FORMS))("%s across a border", (form) => {
  test("is refused with the rule that it breaks, whichever border it is", () => {
    const wrong = arrows.filter((arrow) => !arrow.allowed && refused.get(probeLine(arrow, form))?.includes(arrow.message) !== true);
    expect(wrong.map(describeArrow)).toEqual([]);
    expect(arrows.filter(({ allowed }) => !allowed).length).toBeGreaterThan(300);
  });

  test("passes where the architecture has an arrow", () => {
    const wrong = arrows.filter((arrow) => arrow.allowed && refused.has(probeLine(arrow, form)));
    expect(wrong.map(describeArrow)).toEqual([]);
    expect(arrows.filter(({ allowed }) => allowed).length).toBeGreaterThan(50);
  });
});

test.each(PARTS.filter(({ rooms }) => Object.keys(rooms).length > 0).map((part) => [part.folder, part] as const))(
  "every folder of %s that has sources is a room",
  async (_folder, part) => {
    const root = join(repository, part.folder, part.source ?? "");
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, entry.parentPath))
      .filter((folder) => folder !== "" && !/(^|\/)(node_modules|dist|migrations|spec|testing|tools)(\/|$)/.test(folder));
    const rooms = Object.keys(part.rooms);
    const strays = [...new Set(folders)].filter((folder) => !rooms.some((room) => folder === room || inside(part, folder, room)));
    expect(strays).toEqual([]);
  },
);

/** A room without rooms inside has all folders below it. */
function inside(part: Part, folder: string, room: string): boolean {
  return folder.startsWith(`${room}/`) && !Object.keys(part.rooms).some((other) => other.startsWith(`${room}/`));
}

function folderOf(part: Part, room: string): string {
  return [part.folder, part.source, room].filter((name) => name !== undefined).join("/");
}

function partArrows(part: Part, folder: string): readonly Arrow[] {
  const allowed = part.parts.map((name) => (name === "@sightline/foundation" ? DOORS_OF_FOUNDATION : name));
  const message = `${part.name} may import`;
  return DOORS.map((specifier) => ({ folder, specifier, allowed: allowed.includes(specifier), message }));
}

function roomArrows(part: Part, room: string): readonly Arrow[] {
  const folder = folderOf(part, room);
  const { uses = [], why = "" } = part.rooms[room] ?? {};
  const message = `The room ${room} may import`;
  const others = Object.keys(part.rooms).filter((other) => other !== room);
  const start = part.isRelative === true ? "../" : "#";
  return [
    ...others.map((other) => ({
      folder,
      specifier: `${start}${other}/thing.ts`,
      allowed: uses.includes(other),
      message: uses.includes(other) ? message : why,
    })),
    ...(part.isRelative === true ? [] : ["config", "contract", "schema"]).map((file) => ({
      folder,
      specifier: `#${file}.ts`,
      allowed: true,
      message,
    })),
    { folder, specifier: "./thing.ts", allowed: true, message },
    ...(others.some((other) => other.startsWith(`${room}/`))
      ? [{ folder, specifier: "./inner/thing.ts", allowed: false, message: "Cross a room visibly" }]
      : []),
    { folder, specifier: `${start}index.ts`, allowed: false, message },
  ];
}

function upwardArrows(part: Part): readonly Arrow[] {
  const folders = [part.folder, ...Object.keys(part.rooms).map((room) => folderOf(part, room))];
  const specifiers = part.isRelative === true ? ["../../thing.ts", "../../../thing.ts"] : ["../thing.ts", "../../thing.ts", ".."];
  const message = "Cross a room visibly";
  return folders.flatMap((folder) => specifiers.map((specifier) => ({ folder, specifier, allowed: false, message })));
}

/** Where the probe of an arrow is, as the linter names it. */
function probeLine(arrow: Arrow, form: string): string {
  const own = arrowsByFolder.get(arrow.folder) ?? [];
  return `${arrow.folder}/probe.ts:${Object.keys(FORMS).indexOf(form) * own.length + own.indexOf(arrow) + 1}`;
}

function describeArrow({ folder, specifier }: Arrow): string {
  return `${folder} → ${specifier}`;
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
  const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] };
  const found = diagnostics.filter(({ code }) => code.includes("no-restricted-imports"));
  return new Map(
    found.flatMap(({ filename, message, help, labels }) => {
      return labels.map(({ span }) => [`${filename}:${span.line}`, `${message} ${help ?? ""}`] as const);
    }),
  );
}
