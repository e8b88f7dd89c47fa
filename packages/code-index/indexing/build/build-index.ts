import { setTimeout as delay } from "node:timers/promises";
import type { JobProgress } from "#schema.ts";
import type { Mirror } from "#git/mirror.ts";
import type { Splitter } from "#splitting/splitter.ts";
import { attachFiles, insertSkippedFiles, type NewFile } from "#store/index/builds.store.ts";
import { sweepTenant } from "#store/index/sweep.store.ts";
import type { BuildPlan } from "./plan-build.ts";
import { readFiles } from "./read-file.ts";
import { createBuildWriter, type WriterOptions } from "./write-build.ts";

type IndexBuild = WriterOptions & {
  readonly plan: BuildPlan;
  readonly mirror: Mirror;
  readonly splitter: Splitter;
  readonly report: (progress: JobProgress) => void;
};

/** Rows of files that a statement adds. */
const FILES = 2_000;
/** Between two looks at contents that another build is writing. */
const WAIT_MS = 250;

/** Writes the files of a plan into a build. Contents that the tenant holds already are neither read nor split again. */
export async function buildIndex(input: IndexBuild): Promise<void> {
  const { database, build, plan, report, signal } = input;
  for (const batch of inSlices(plan.skipped, FILES)) {
    await insertSkippedFiles(database, build, batch);
  }
  let missing = plan.files;
  for (;;) {
    const { free, busy } = await attachKnown(input, missing);
    const total = plan.files.length + plan.skipped.length;
    report({ phase: "files", done: total - free.length - busy.length, total });
    if (free.length > 0) {
      missing = [...busy, ...(await writeFiles(input, free))];
    } else if (busy.length > 0) {
      missing = busy;
    } else {
      return;
    }
    if (missing.length > 0) {
      // Another build writes them. It completes them, or it dies, and then what it left is swept.
      await delay(WAIT_MS, undefined, { signal });
      await sweepTenant(database, build);
    }
  }
}

type Sorted = { readonly free: readonly NewFile[]; readonly busy: readonly NewFile[] };

async function attachKnown({ database, build }: IndexBuild, files: readonly NewFile[]): Promise<Sorted> {
  const free: NewFile[] = [];
  const busy: NewFile[] = [];
  for (const batch of inSlices(files, FILES)) {
    const attached = await attachFiles(database, build, batch);
    for (const file of batch) {
      if (!attached.known.has(file.path)) {
        (attached.busy.has(file.path) ? busy : free).push(file);
      }
    }
  }
  return { free, busy };
}

/** Returns those that another build was faster with. */
async function writeFiles(input: IndexBuild, files: readonly NewFile[]): Promise<readonly NewFile[]> {
  const { plan, report } = input;
  const writer = createBuildWriter(input);
  const total = plan.files.length + plan.skipped.length;
  let done = total - files.length;
  try {
    for await (const document of readFiles(files, input)) {
      await writer.add(document);
      report({ phase: "files", done: ++done, total });
    }
    report({ phase: "postings", done, total });
    const left = new Set(await writer.finish());
    return files.filter(({ path }) => left.has(path));
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

function* inSlices<Item>(items: readonly Item[], size: number): Generator<readonly Item[], void, undefined> {
  for (let start = 0; start < items.length; start += size) {
    yield items.slice(start, start + size);
  }
}
