import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { errorMessage } from "@sightline/foundation/errors";
import { z } from "zod";
import { findCheckout } from "#demo/checkout.ts";
import { UsageError } from "#settings/failure.ts";
import { createSender, type Sender } from "./code/client.ts";

export type UploadOptions = { readonly repo?: string; readonly commit?: string; readonly url?: string; readonly wait: string };

const UPLOAD_MS = 600_000;
const AGAIN_MS = 3_000;

/** `sightline upload-scip`: waits for a commit that is being indexed. */
export async function uploadScip(file: string, options: UploadOptions): Promise<void> {
  const wait = Number(options.wait);
  if (!Number.isInteger(wait) || wait < 0 || wait > 3_600) {
    throw new UsageError("--wait takes whole seconds, 3600 at the most.");
  }
  const send = await createSender(options.url);
  const checkout = await findCheckout(process.cwd());
  const repo =
    options.repo ??
    firstSet(REPOSITORY) ??
    checkout?.fullName ??
    missing(`${process.cwd()} is no git checkout: name the repository with --repo.`);
  const commit =
    options.commit ??
    checkout?.commit ??
    firstSet(COMMIT) ??
    missing(`${process.cwd()} is no git checkout: name the commit with --commit.`);
  const body = await promisify(gzip)(await readIndex(file));
  const path = `/api/v1/repos/${await findId(send, repo)}/scip?commit=${encodeURIComponent(commit)}`;
  const headers = { "content-type": "application/octet-stream", "content-encoding": "gzip" };
  const until = Date.now() + wait * 1_000;
  for (;;) {
    const answer = await send(path, { method: "POST", headers, body: new Uint8Array(body), signal: AbortSignal.timeout(UPLOAD_MS) });
    if (answer.ok) {
      show(uploadedSchema.parse(answer.body));
      return;
    }
    const mayCome = answer.error === "commit_not_found" || answer.status === 503;
    if (!mayCome || Date.now() + AGAIN_MS > until) {
      throw new Error(`The index was not taken (${answer.status} ${answer.error}): ${answer.message}`);
    }
    await pause(AGAIN_MS);
  }
}

/** How GitHub, GitLab and Bitbucket name the repository and the commit; GitLab's has all groups, which an address may hide. */
const REPOSITORY = ["GITHUB_REPOSITORY", "CI_PROJECT_PATH", "BITBUCKET_REPO_FULL_NAME"];
const COMMIT = ["GITHUB_SHA", "CI_COMMIT_SHA", "BITBUCKET_COMMIT"];

function firstSet(names: readonly string[]): string | undefined {
  return names.map((name) => process.env[name]).find((value) => value !== undefined && value !== "");
}

function missing(what: string): never {
  throw new UsageError(what);
}

async function readIndex(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${errorMessage(error)}`);
  }
}

const repositoriesSchema = z.object({
  items: z.array(z.object({ id: z.string(), full_name: z.string() })),
  next_cursor: z.string().nullable(),
});

/** The id of a repository by its name. @throws {Error} where the token sees none of that name. */
async function findId(send: Sender, repo: string): Promise<string> {
  if (z.uuid().safeParse(repo).success) {
    return repo;
  }
  for (let cursor: string | null = ""; cursor !== null;) {
    const answer = await send(`/api/v1/repos?limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
    if (!answer.ok) {
      throw new Error(`The repositories can't be listed (${answer.status} ${answer.error}): ${answer.message}`);
    }
    const { items, next_cursor: next } = repositoriesSchema.parse(answer.body);
    const found = items.find(({ full_name: name }) => name.toLowerCase() === repo.toLowerCase());
    if (found !== undefined) {
      return found.id;
    }
    cursor = next;
  }
  throw new Error(`The token sees no repository ${repo}; name it as Sightline has it with --repo.`);
}

const uploadedSchema = z.object({
  tool: z.string(),
  version: z.string(),
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  root: z.string(),
  documents: z.int(),
  symbols: z.int(),
  occurrences: z.int(),
  skipped: z.array(z.object({ reason: z.string(), files: z.int(), examples: z.array(z.string()) })),
});

function show({ tool, version, repo, ref, commit, root, documents, symbols, occurrences, skipped }: z.infer<typeof uploadedSchema>): void {
  const of = root === "" ? repo : `${root} in ${repo}`;
  console.log(`Uploaded the index of ${tool} ${version} for ${of} at ${commit.slice(0, 12)} (${ref}).`);
  console.log(`${documents} files, ${symbols} symbols, ${occurrences} occurrences.`);
  for (const { reason, files, examples } of skipped) {
    console.log(`Left out, ${reason}: ${files}, such as ${examples.join(", ")}`);
  }
}
