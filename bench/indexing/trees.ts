import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 256 * 1024 * 1024 };

/** A git repository of its own with a checkout, that can be changed without harm. */
export type Tree = {
  readonly name: string;
  readonly directory: string;
  /** `file://` address to fetch it from. */
  readonly url: string;
  /** Appends a line to so many of its files, and commits that. */
  readonly change: (count: number, note: string) => Promise<void>;
};

export type Trees = { readonly all: readonly Tree[]; readonly remove: () => Promise<void> };

const LANGUAGES: Readonly<Record<string, string>> = {
  ".go": "Go",
  ".java": "Java",
  ".rs": "Rust",
  ".ts": "TypeScript",
  ".tsx": "TypeScript",
  ".js": "JavaScript",
  ".py": "Python",
  ".cc": "C++",
  ".cpp": "C++",
  ".c": "C",
  ".cs": "C#",
  ".rb": "Ruby",
  ".php": "PHP",
  ".kt": "Kotlin",
  ".md": "Markdown",
};
/** Less says nothing. */
const MIN_BYTES = 500_000;
const MAX_FILE = 1_048_576;

/** Copies of the newest commits of the repositories given, and for each language a repository of all their files in it. */
export async function copyTrees(paths: readonly string[]): Promise<Trees> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-bench-trees-"));
  const wholes: Tree[] = [];
  for (const path of paths) {
    const name = nameOf(path);
    const directory = join(folder, "whole", name);
    await run("git", ["clone", "--quiet", "--depth", "1", pathToFileURL(resolve(path)).toString(), directory], OUTPUT);
    wholes.push(treeOf(name, directory));
  }
  const languages = await treesByLanguage(wholes, join(folder, "language"));
  return { all: [...languages, ...wholes], remove: () => rm(folder, { recursive: true, force: true }) };
}

/** `…/prometheus+prometheus/repo` and `…/prometheus.git` are both called prometheus. */
function nameOf(path: string): string {
  const last = basename(resolve(path), ".git");
  const name = last === "repo" || last === "" ? basename(dirname(resolve(path))) : last;
  return name.slice(name.lastIndexOf("+") + 1);
}

async function treesByLanguage(wholes: readonly Tree[], folder: string): Promise<readonly Tree[]> {
  const found = new Map<string, { bytes: number; readonly files: { readonly from: string; readonly to: string }[] }>();
  for (const { name, directory } of wholes) {
    for (const path of await filesOf(directory)) {
      const language = LANGUAGES[extname(path)];
      const { size } = await stat(join(directory, path));
      if (language !== undefined && size <= MAX_FILE) {
        const known = found.get(language) ?? { bytes: 0, files: [] };
        found.set(language, known);
        known.bytes += size;
        known.files.push({ from: join(directory, path), to: join(name, path) });
      }
    }
  }
  const trees: Tree[] = [];
  for (const [language, { files }] of [...found].filter(([, { bytes }]) => bytes >= MIN_BYTES)) {
    const directory = join(folder, language);
    for (const { from, to } of files) {
      await mkdir(dirname(join(directory, to)), { recursive: true });
      await copyFile(from, join(directory, to));
    }
    await run("git", ["init", "--quiet", "--initial-branch=main", directory]);
    await commit(directory);
    trees.push(treeOf(`all ${language}`, directory));
  }
  return trees;
}

function treeOf(name: string, directory: string): Tree {
  return {
    name,
    directory,
    url: pathToFileURL(directory).toString(),
    change: async (count, note) => {
      const files = (await filesOf(directory)).filter((path) => LANGUAGES[extname(path)] !== undefined);
      const step = Math.max(1, Math.floor(files.length / count));
      for (const path of files.filter((_, index) => index % step === 0).slice(0, count)) {
        const content = await readFile(join(directory, path), "utf8");
        await writeFile(join(directory, path), `${content}\n${extname(path) === ".py" ? "#" : "//"} ${note}\n`);
      }
      await commit(directory);
    },
  };
}

/** Regular files of the checkout. */
async function filesOf(directory: string): Promise<readonly string[]> {
  const { stdout } = await run("git", ["-C", directory, "ls-files", "-s", "-z"], OUTPUT);
  return stdout.split("\0").flatMap((line) => (line.startsWith("100") ? [line.slice(line.indexOf("\t") + 1)] : []));
}

async function commit(directory: string): Promise<void> {
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"];
  await run("git", ["-C", directory, "add", "--all", "--force"], OUTPUT);
  await run("git", ["-C", directory, ...identity, "commit", "--quiet", "--message", "Change"], OUTPUT);
}
