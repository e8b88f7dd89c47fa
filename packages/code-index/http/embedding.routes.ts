import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { embeddingSchema, type Embedding } from "#contract.ts";
import type { EmbedderIdentity } from "#embedding/embedder.ts";
import { countTexts, embeddedBranches, type EmbeddedBranch } from "./read-embedding.store.ts";
import { storedEmbedders, type StoredEmbedder } from "#store/index/vectors.store.ts";
import { readAs, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { getTenant } from "#http/kit/request-tenant.ts";

type EmbeddingDependencies = {
  readonly database: CodeIndexDatabase;
  /** The one that is configured; `undefined` for none. */
  readonly embedder: EmbedderIdentity | undefined;
};

export function embeddingRoutes({ database, embedder }: EmbeddingDependencies): Routes {
  return (server) => {
    server.get(
      "/api/v1/embedding",
      route("admin", "What makes the vectors, and how many chunks have one", { response: { 200: embeddingSchema } }),
      async (request) => (embedder === undefined ? OFF : describe(database, getTenant(request), embedder)),
    );
  };
}

/** What tells one embedder's vectors from another's. */
function spaceOf({ provider, model, dimensions }: EmbedderIdentity | StoredEmbedder) {
  return { provider, model, dimensions };
}

const NOTHING = { chunks: 0, embedded: 0, pending: 0, refused: 0 } as const;

const OFF: Embedding = {
  provider: "none",
  model: null,
  dimensions: null,
  state: "off",
  reason: "no embedder is configured (CODEINDEX_EMBEDDER=none)",
  ...NOTHING,
  next: null,
  branches: [],
};

const READ_MS = 10_000;
const BRANCHES = 1_000;

function byNeed(one: EmbeddedBranch, other: EmbeddedBranch): number {
  return other.pending + other.refused - (one.pending + one.refused);
}

async function describe(database: CodeIndexDatabase, tenant: Tenant, configured: EmbedderIdentity): Promise<Embedding> {
  return readAs(database, tenant, READ_MS, async (transaction) => {
    const stored = await storedEmbedders(transaction, tenant);
    const [used] = stored;
    if (used === undefined) {
      return { ...spaceOf(configured), state: "ready", reason: null, ...NOTHING, next: null, branches: [] };
    }
    const branches = await embeddedBranches(transaction, tenant, used.embedder_id);
    const next = stored.find(({ identity, embedder_id: id }) => identity === configured.key && id !== used.embedder_id);
    return {
      ...spaceOf(used),
      ...stateOf(used, branches),
      ...countsOf(branches),
      next:
        next === undefined
          ? null
          : { ...spaceOf(next), reason: next.last_error, ...(await countTexts(transaction, tenant, next.embedder_id)) },
      branches: branches.toSorted(byNeed).slice(0, BRANCHES).map(presentBranch),
    };
  });
}

function stateOf({ last_error: error }: StoredEmbedder, branches: readonly EmbeddedBranch[]): Pick<Embedding, "state" | "reason"> {
  if (error !== null) {
    return { state: "degraded", reason: error };
  }
  return { state: branches.some(({ pending }) => pending > 0) ? "pending" : "ready", reason: null };
}

function countsOf(branches: readonly EmbeddedBranch[]) {
  const sum = (of: (branch: EmbeddedBranch) => number) => branches.reduce((total, branch) => total + of(branch), 0);
  const [chunks, pending, refused] = [sum((branch) => branch.chunks), sum((branch) => branch.pending), sum((branch) => branch.refused)];
  return { chunks, embedded: Math.max(0, chunks - pending - refused), pending, refused };
}

function presentBranch(branch: EmbeddedBranch): Embedding["branches"][number] {
  const { repo_id, full_name, ref, error: reason } = branch;
  return { repo_id, full_name, ref, reason, ...countsOf([branch]) };
}
