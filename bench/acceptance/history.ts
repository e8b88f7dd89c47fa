import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Call } from "#product.ts";
import type { Origin } from "./origin.ts";

/** What is asked about a repository, and where git answers the same. */
export type Asked = {
  readonly call: Call;
  readonly id: string;
  readonly origin: Pick<Origin, "directory" | "name">;
  readonly seed: number;
};

type Change = {
  readonly path: string;
  readonly old_path: string | null;
  readonly status: string;
  readonly patch: string;
  readonly left_out: string | null;
};
type Depth = { readonly depth: { readonly newest: string | null; readonly complete: boolean } };
type Blame = {
  readonly ranges: readonly { start_line: number; end_line: number; commit: string | null; path: string; original_line: number }[];
};

const run = promisify(execFile);
const SAMPLES = 60;
/** As many as `CODEINDEX_HISTORY_COMMITS` is when it is not set. */
const KEPT_COMMITS = 2_000;
const HISTORY_MS = 600_000;
const MAX_BLAMED_LINES = 25;
/** Files of a commit or comparison whose hunks are looked at. */
const MAX_DIFFS = 4;

/** Holds old files, blames, histories of lines, diffs of commits and comparisons, drawn at random, against git. */
export async function checkHistory({ call, id, origin, seed }: Asked): Promise<{ readonly counts: object; readonly problems: string[] }> {
  let drawings = 0;
  const random = () => createHash("sha256").update(`${seed} ${drawings++}`).digest().readUInt32BE() / 2 ** 32;
  const problems: string[] = [];
  const counts = { files: 0, "not kept": 0, "blamed lines": 0, "line histories": 0, changes: 0, "without hunks": 0 };
  const git = async (...words: readonly string[]) => (await run("git", ["-C", origin.directory, ...words], { maxBuffer: 2 ** 28 })).stdout;
  const [head = ""] = (await git("rev-list", "--max-count=1", "HEAD")).split("\n");
  const isComplete = await waitForHistory(call, id, head);
  const commits = (await git("rev-list", `--max-count=${KEPT_COMMITS}`, head)).trim().split("\n");
  const drawn = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const ask = <Answer>(route: string, query: Readonly<Record<string, string | number>>) =>
    call<Answer>(
      `/repos/${id}/${route}?${Object.entries(query)
        .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
        .join("&")}`,
    );
  /** A file at a commit as a diff has it; empty where it is not there. */
  const textAt = async (commit: string, path: string) => {
    const submodule = /^160000 commit (\w+)/u.exec(await git("ls-tree", commit, "--", path))?.[1];
    const text = submodule === undefined ? git("show", `${commit}:${path}`).catch(() => "") : `Subproject commit ${submodule}\n`;
    return (await text).replace(/^\uFEFF/u, "");
  };

  async function checkFile(commit: string): Promise<void> {
    const path =
      drawn((await git("-c", "core.quotePath=false", "ls-tree", "-r", commit)).match(/(?<=^100\d+ blob \w+\t).+$/gmu) ?? []) ?? "";
    const where = `${path} at ${commit.slice(0, 12)}`;
    const text = await textAt(commit, path);
    const lines = text.replace(/\n$/u, "").split("\n").length;
    const start = 1 + Math.floor(random() * lines);
    const end = Math.min(lines, start + Math.floor(random() * MAX_BLAMED_LINES));
    const file = await ask<{ content: string }>("file", { path, commit }).catch((error: unknown) => String(error));
    if (typeof file === "string") {
      counts["not kept"] += /file_not_kept|not_searchable/u.test(file) ? 1 : 0;
      problems.push(...(/file_not_kept|not_searchable/u.test(file) ? [] : [`${where}: ${file}`]));
      return;
    }
    counts.files++;
    problems.push(...(file.content === text ? [] : [`${where}: its text is not git's`]));
    if (text === "") {
      return;
    }
    const { ranges } = await ask<Blame>("blame", { path, commit, start, end });
    const ours = ranges.flatMap((range) =>
      Array.from({ length: range.end_line - range.start_line + 1 }, (_, at) => `${range.commit} ${range.path} ${range.original_line + at}`),
    );
    const theirs = blamedBy(await git("-c", "core.quotePath=false", "blame", "--line-porcelain", `-L${start},${end}`, commit, "--", path));
    counts["blamed lines"] += theirs.length;
    const isRight = (line: string, own = "") => line === own || (!isComplete && own.startsWith("null "));
    theirs.forEach((line, at) => isRight(line, ours[at]) || problems.push(`${where}:${start + at}: blame ${ours[at]}, git ${line}`));
    const { changes } = await ask<{ changes: { commit: { commit: string } }[] }>("line-history", { path, commit, start, end, limit: 100 });
    const logged = (await git("log", "-s", "--format=%H", `-L${start},${end}:${path}`, commit)).trim().split("\n").slice(0, 100);
    counts["line histories"]++;
    const found = changes.map((change) => change.commit.commit);
    const differing = onlyInOne(logged, found).map((hash) => hash.slice(0, 12));
    problems.push(...(differing.length === 0 ? [] : [`${where}:${start}-${end}: only one of both histories has ${differing.join(", ")}`]));
  }

  /** The same files, and hunks that lead from the old text to the new one. */
  async function checkChanges(base: string, commit: string, changes: readonly Change[]): Promise<void> {
    const names = (await git("-c", "core.quotePath=false", "diff", "--no-renames", "--name-only", base, commit)).trim();
    const ours = changes.flatMap(({ path, old_path: old }) => [path, ...(old === null ? [] : [old])]);
    const where = `${base.slice(0, 12)}..${commit.slice(0, 12)}`;
    for (const path of onlyInOne(ours, names === "" ? [] : names.split("\n"))) {
      problems.push(`${where}: ${path} changed only for ${ours.includes(path) ? "us" : "git"}`);
    }
    const from = Math.floor(random() * Math.max(1, changes.length - MAX_DIFFS));
    for (const { path, old_path: old, status, patch, left_out: leftOut } of changes.slice(from, from + MAX_DIFFS)) {
      counts.changes++;
      counts["without hunks"] += leftOut === null ? 0 : 1;
      const after = status === "deleted" ? "" : await textAt(commit, path);
      const applied = applyHunks(status === "added" ? "" : await textAt(base, old ?? path), patch);
      problems.push(...(leftOut !== null || applied === after ? [] : [`${where}: the hunks of ${path} do not lead to its new text`]));
    }
  }

  for (let sample = 0; sample < SAMPLES; sample++) {
    const [commit, other] = [drawn(commits) ?? "", drawn(commits) ?? ""];
    await checkFile(commit);
    const parent = await git("rev-parse", "--verify", "--quiet", `${commit}^`).catch(() => EMPTY_TREE);
    await checkChanges(parent.trim(), commit, (await ask<{ changes: Change[] }>(`commits/${commit}`, {})).changes);
    await checkChanges(commit, other, (await ask<{ changes: Change[] }>("compare", { base: commit, head: other })).changes);
  }
  return { counts: { repository: origin.name, commits: commits.length, seed, ...counts, problems: problems.length }, problems };
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export async function waitForHistory(call: Call, id: string, head: string): Promise<boolean> {
  for (const deadline = Date.now() + HISTORY_MS; Date.now() < deadline; await delay(1_000)) {
    const { depth } = await call<Depth>(`/repos/${id}/commits?limit=1`);
    if (depth.newest === head) {
      return depth.complete;
    }
  }
  throw new Error("the history was not there in ten minutes");
}

function onlyInOne(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const [left, right] = [new Set(ours), new Set(theirs)];
  return [...new Set([...left, ...right])].filter((item) => left.has(item) !== right.has(item));
}

/** Where each blamed line comes from: its commit, its file there and its number there. */
function blamedBy(porcelain: string): readonly string[] {
  return [...porcelain.matchAll(/^([0-9a-f]{40}) (\d+) \d+(?: \d+)?\n[^]*?^filename (.+)\n\t/gmu)].map(
    ([, commit, line, path]) => `${commit} ${path} ${line}`,
  );
}

/** `undefined` where they do not fit. Only a line feed ends a line: a carriage return before it is part of it. */
function applyHunks(old: string, patch: string): string | undefined {
  const lines = old.split(/(?<=\n)/u);
  let made = "";
  let at = 0;
  const hunks = [...patch.matchAll(/(?<![^\n])@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@[^\n]*\n((?:(?!@@ -)[^\n]*\n?)*)/gu)];
  for (const [, first = "", count, body = ""] of hunks) {
    const start = Number(first) - (count === "0" ? 0 : 1);
    made += lines.slice(at, start).join("");
    at = start;
    for (const [, sign = "", line = "", isLast] of body.matchAll(/(?<![^\n])([ +-])([^\n]*)\n?(\\ No newline[^\n]*)?/gu)) {
      const text = isLast === undefined ? `${line}\n` : line;
      if (sign !== "+" && lines[at++] !== text) {
        return undefined;
      }
      made += sign === "-" ? "" : text;
    }
  }
  return made + lines.slice(at).join("");
}
