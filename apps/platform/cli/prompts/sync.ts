import {
  type Prompt,
  promptPageSchema,
  type PromptVersion,
  promptVersionSchema,
  writtenPromptSchema,
} from "@sightline/observability/contract";
import { createEvaluationClient, type EvaluationClient, RefusedError } from "#cli/eval/client.ts";
import { renderTable } from "#cli/output/render-table.ts";
import { readPromptFiles, writePromptFile } from "./prompt-file.ts";

type Options = { readonly url?: string };
export type PushOptions = Options & { readonly label?: string; readonly reason?: string; readonly dryRun?: true };
export type PullOptions = Options & { readonly label: string };

/** `sightline prompts push`: the files are the truth; what they say already is not made again. */
export async function pushPrompts(folder: string, { url, label = "", reason = "", dryRun }: PushOptions): Promise<void> {
  const client = await createEvaluationClient(url);
  const labels = label.split(",").flatMap((each) => each.trim() || []);
  for (const { name, template, config } of await readPromptFiles(folder)) {
    if (dryRun === true) {
      const newest = await findVersion(client, name, "latest");
      const isSame = newest !== undefined && isEqual(newest.template, template) && isEqual(newest.config, config);
      const next = newest === undefined ? 1 : newest.version + 1;
      console.log(`${name}: ${isSame ? `version ${newest.version}, unchanged` : `would be version ${next}`}`);
    } else {
      const { version, is_new: isNew } = writtenPromptSchema.parse(
        await client.post("/prompts", { name, template, config, reason, labels }),
      );
      console.log(`${name}: version ${version}${isNew ? ", new" : ", unchanged"}${labels.length > 0 ? `, ${labels.join(", ")}` : ""}`);
    }
  }
}

/** `sightline prompts pull`: the platform is the truth. */
export async function pullPrompts(folder: string, { url, label }: PullOptions): Promise<void> {
  const client = await createEvaluationClient(url);
  for (const { name } of await listPrompts(client)) {
    const found = await findVersion(client, name, label);
    console.log(
      found === undefined
        ? `${name}: no version is labelled ${label}`
        : `${await writePromptFile(folder, found)}: version ${found.version}`,
    );
  }
}

/** `sightline prompts list` */
export async function showPrompts({ url }: Options): Promise<void> {
  const prompts = await listPrompts(await createEvaluationClient(url));
  const rows = prompts.map(({ name, version, labels }) => [
    name,
    String(version),
    Object.entries(labels)
      .map(([label, meant]) => `${label}=${meant}`)
      .join(" "),
  ]);
  console.log(renderTable(["Prompt", "Newest", "Labels"], rows));
}

async function listPrompts(client: EvaluationClient): Promise<readonly Prompt[]> {
  const found: Prompt[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const given: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = promptPageSchema.parse(await client.get(`/prompts?limit=200${given}`));
    found.push(...page.items);
    cursor = page.next_cursor;
  }
  return found;
}

/** Undefined where there is no such prompt, or nothing has the label. */
async function findVersion(client: EvaluationClient, name: string, label: string): Promise<PromptVersion | undefined> {
  try {
    return promptVersionSchema.parse(await client.get(`/prompts/resolve?${new URLSearchParams({ name, label }).toString()}`));
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
