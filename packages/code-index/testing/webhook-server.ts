import { createHmac, randomUUID } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import { createHttpServer, type HttpServer } from "@sightline/foundation/http/http-server";
import { createMetrics, type Metrics } from "@sightline/foundation/http/metrics";
import type { Logger } from "@sightline/foundation/log";
import { createSealer } from "@sightline/foundation/secrets/sealing";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { deliveryRoutes } from "#http/deliveries.routes.ts";
import { setCaller } from "#http/kit/request-tenant.ts";
import { createWebhook } from "#http/webhook.routes.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { IntakeLimits } from "#webhooks/receive-body.ts";
import { sealWebhookSecret } from "#credentials/sealer.ts";

export const SERVER_SECRET = "the-secret-of-the-server";

const sealer = createSealer([{ id: "k1", secret: "0123456789".repeat(4) }], { label: "test", variable: "KEYS" });

export type WebhookServer = HttpServer & { readonly metrics: Metrics };

type ServerOptions = {
  readonly secret?: string | null;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly limits?: Partial<IntakeLimits>;
};

/** The webhook and the ledger's routes; who calls the latter says with `x-tenant` whose admin it is. */
export async function createWebhookServer(
  database: CodeIndexDatabase,
  { secret = SERVER_SECRET, clock, log = silentLog, limits }: ServerOptions,
): Promise<WebhookServer> {
  const metrics = createMetrics("test");
  const webhook = createWebhook({ secret: secret ?? undefined, sealer, database, log, clock, metrics, limits });
  const admin: Parameters<typeof createHttpServer>[0]["authenticators"][string] = async (request) => {
    const tenant = await findTenant(database, String(request.headers["x-tenant"]));
    if (tenant !== undefined) {
      setCaller(request, { tenant });
    }
  };
  const server = await createHttpServer({
    name: "code-index",
    title: "Code index",
    version: "1.2.3",
    log,
    metrics,
    authenticators: { webhook: webhook.authenticator, user: admin, admin },
    routes: [webhook.routes, deliveryRoutes({ database, clock })],
  });
  return Object.assign(server, { metrics });
}

type Registering = {
  readonly tenantId?: string;
  readonly fullName?: string;
  readonly cloneUrl?: string;
  /** Of its own webhook. */
  readonly secret?: string;
  readonly branches?: readonly string[];
  readonly defaultBranch?: string | null;
};

/** A repository whose default branch `main` has been indexed and that no job waits for. */
export async function addRepository(database: CodeIndexDatabase, registering: Registering = {}): Promise<string> {
  const { tenantId = "one", fullName = "acme/shop", secret, branches = [], defaultBranch = "main" } = registering;
  const cloneUrl = registering.cloneUrl ?? `https://example.org/${fullName}.git`;
  const { id } = await registerRepository(database, { tenantId, fullName, cloneUrl });
  await database.query
    .updateTable("codeindex.repositories")
    .set({
      index_status: "ready",
      default_branch: defaultBranch,
      branches,
      ...(secret === undefined ? {} : { sealed_webhook_secret: sealWebhookSecret(sealer, { repoId: id, secret }) }),
    })
    .where("id", "=", id)
    .execute();
  await database.query
    .insertInto("codeindex.refs")
    .values({ ref_id: randomUUID(), repo_id: id, tenant_id: tenantId, name: "main", is_default: true, indexed_commit: commitOf("0") })
    .execute();
  return id;
}

/** 40 times the same digit. */
export function commitOf(digit: string): string {
  return digit.repeat(40);
}

export function hmac(body: string | Buffer, secret = SERVER_SECRET): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
