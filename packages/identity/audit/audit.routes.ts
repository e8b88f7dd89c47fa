import { Readable } from "node:stream";
import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import { getOwner, type Owner } from "@sightline/foundation/http/principal";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import type { z } from "zod";
import { auditExportQuerySchema, auditPageSchema, auditQuerySchema, auditVerificationSchema } from "#contract.ts";
import type { Queries } from "#schema.ts";
import type { AuditFilter } from "./audit-entries.store.ts";
import { exportEntries } from "./export-audit.ts";
import { listAudit } from "./list-audit.ts";
import type { OutsideAnchor } from "./outside-anchor.ts";
import { verifyAudit, type AuditVerdict } from "./verify-audit.ts";

const route = routesTagged("audit");

type Dependencies = { readonly queries: Queries; readonly sealer: Sealer; readonly outside: OutsideAnchor; readonly clock: Clock };

/** Serves the audit to admins: the rows of their own tenant. */
export function auditRoutes(dependencies: Dependencies) {
  const { queries, clock } = dependencies;
  const verify = oneAtATime(() => verifyAudit(dependencies));
  return (server: HttpServer): void => {
    server.get(
      "/admin/audit",
      route("admin", "What happened, newest first", { querystring: auditQuerySchema, response: { 200: auditPageSchema } }),
      (request) => listAudit(queries, readAuditFilter(getOwner(request), request.query), request.query),
    );

    server.get(
      "/admin/audit/export",
      route("admin", "The same as JSON, one entry a line, oldest first", {
        querystring: auditExportQuerySchema,
        response: { 200: streamedAnswer("application/jsonl", "An entry of `GET /admin/audit` a line.") },
      }),
      (request, reply) => {
        const name = `sightline-audit-${clock.now().toISOString().slice(0, 10)}.jsonl`;
        return reply
          .type("application/jsonl; charset=utf-8")
          .header("content-disposition", `attachment; filename="${name}"`)
          .send(
            Readable.from(exportEntries(queries, readAuditFilter(getOwner(request), request.query)), {
              objectMode: true,
              highWaterMark: 16,
            }),
          );
      },
    );

    server.get(
      "/admin/audit/verification",
      route("admin", "Recomputes the audit's chain of hashes", { response: { 200: auditVerificationSchema } }),
      async () => {
        const { intact, rows, head, firstBrokenId, problem, signed } = await verify();
        return {
          intact,
          rows,
          head,
          first_broken_id: firstBrokenId,
          problem: problem ?? null,
          signed_at: signed.until?.toISOString() ?? null,
        };
      },
    );
  };
}

function readAuditFilter({ tenantId }: Owner, query: z.output<typeof auditExportQuerySchema>): AuditFilter {
  return {
    tenantId,
    events: query.event?.split(",").map((event) => event.trim()),
    userId: query.user_id,
    ip: query.ip,
    from: query.from === undefined ? undefined : new Date(query.from),
    to: query.to === undefined ? undefined : new Date(query.to),
  };
}

/** A verification reads the whole table, so callers that come while one runs get its result. */
function oneAtATime(verify: () => Promise<AuditVerdict>): () => Promise<AuditVerdict> {
  let running: Promise<AuditVerdict> | undefined;
  return () =>
    (running ??= verify().finally(() => {
      running = undefined;
    }));
}
