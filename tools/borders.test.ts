import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
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

type Arrow = { readonly folder: string; readonly specifier: string; readonly allowed: boolean; readonly message: string };

const arrows: readonly Arrow[] = PARTS.flatMap((part) => [
  ...[part.folder, ...Object.keys(part.rooms).map((room) => folderOf(part, room))].flatMap((folder) => partArrows(part, folder)),
  ...Object.keys(part.rooms).flatMap((room) => roomArrows(part, room)),
  ...upwardArrows(part),
]);

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
  for (const file of ["borders.ts", "rooms.ts"]) {
    await cp(join(repository, "tools", file), join(tree, "tools", file));
  }
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

test.each(PARTS.map((part) => [part.folder, part] as const))("the rooms of %s have no ring", (_folder, part) => {
  const open = new Map(Object.entries(part.rooms).map(([room, { uses }]) => [room, [...uses]]));
  for (;;) {
    const ground = [...open].filter(([, uses]) => uses.every((room) => !open.has(room)));
    if (ground.length === 0) {
      break;
    }
    ground.forEach(([room]) => open.delete(room));
  }
  expect([...open.keys()]).toEqual([]);
});

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
    { folder, specifier: `${start}index.ts`, allowed: false, message },
  ];
}

function upwardArrows(part: Part): readonly Arrow[] {
  const folders = [part.folder, ...Object.keys(part.rooms).map((room) => folderOf(part, room))];
  const specifiers = part.isRelative === true ? ["../../thing.ts", "../../../thing.ts"] : ["../thing.ts", "../../thing.ts", ".."];
  const message = "Cross a room visibly";
  return folders.flatMap((folder) => specifiers.map((specifier) => ({ folder, specifier, allowed: false, message })));
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
