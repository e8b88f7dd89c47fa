import { DEMO } from "@sightline/foundation/demo-names";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Checkout } from "./checkout.ts";
import type { HttpClient } from "./http-client.ts";

const repositorySchema = z.object({
  id: z.string(),
  full_name: z.string(),
  index_status: z.string(),
  indexed_commit: z.string().nullable(),
  files: z.number(),
  chunks: z.number(),
  last_error: z.string().nullable(),
});
export type IndexedRepository = z.infer<typeof repositorySchema>;

const pageSchema = z.object({ items: z.array(repositorySchema), next_cursor: z.string().nullable() });

const INDEX_MS = 180_000;
const POLL_MS = 250;

/** Registers the checkout unless it is registered, and waits until its commit is searchable. @throws {Error} when indexing fails. */
export async function indexCheckout(codeIndex: HttpClient, checkout: Checkout): Promise<IndexedRepository> {
  const known = await findRepository(codeIndex, checkout.fullName);
  if (known?.indexed_commit === checkout.commit) {
    return known;
  }
  const { id } =
    known ?? (await codeIndex.post("/api/v1/repos", { full_name: checkout.fullName, clone_url: checkout.cloneUrl }, repositorySchema));
  await codeIndex.post(`/api/v1/repos/${id}/index`, { mode: "incremental" }, z.unknown());
  const deadline = Date.now() + INDEX_MS;
  for (;;) {
    const repository = await codeIndex.get(`/api/v1/repos/${id}`, repositorySchema);
    if (repository.index_status === "ready" && repository.indexed_commit !== null) {
      return repository;
    }
    if (repository.index_status === "failed" || Date.now() > deadline) {
      throw new Error(`${checkout.fullName} could not be indexed: ${repository.last_error ?? "it takes too long"}`);
    }
    await delay(POLL_MS);
  }
}

async function findRepository(codeIndex: HttpClient, fullName: string): Promise<IndexedRepository | undefined> {
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const page: z.infer<typeof pageSchema> = await codeIndex.get(`/api/v1/repos${query}`, pageSchema);
    const found = page.items.find((repository) => repository.full_name === fullName);
    if (found !== undefined) {
      return found;
    }
    cursor = page.next_cursor;
  }
  return undefined;
}

const projectSchema = z.object({ id: z.string(), name: z.string() });
const projectsSchema = z.object({ items: z.array(projectSchema) });

/** The id of the project that shows the demo's runs, made for everybody of the tenant when there is none. */
export async function ensureDemoProject(observability: HttpClient): Promise<string> {
  const { items } = await observability.get("/api/v1/projects", projectsSchema);
  const known = items.find(({ name }) => name === DEMO.project);
  return (known ?? (await observability.post("/api/v1/projects", { name: DEMO.project, access: "tenant" }, projectSchema))).id;
}
