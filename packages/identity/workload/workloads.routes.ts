import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { getOwner } from "@sightline/foundation/http/principal";
import { routesTagged } from "@sightline/foundation/http/route";
import type { AdministrationDependencies } from "#administration/act-on-account.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { getCaller, ownAction, type Caller } from "#audit/client.ts";
import { workloadRequestSchema, workloadSchema, workloadsSchema, type Workload } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import { beginChange, tellOthers } from "#sso/change-settings.ts";
import { workloadAudience } from "./exchange.ts";
import { deleteWorkload, insertWorkload, listWorkloads, type StoredWorkload } from "./workload.store.ts";

const MAX_WORKLOADS = 200;
const route = routesTagged("workloads", 32 * 1024);

/** Serves the rules by which an admin's organization trusts jobs. */
export function workloadRoutes(dependencies: AdministrationDependencies) {
  const { queries, clock, publicUrl } = dependencies;

  function present({ tenant_id: _tenant, created_by: _maker, ...rule }: StoredWorkload): Workload {
    const [created_at, last_used_at] = [rule.created_at.toISOString(), rule.last_used_at?.toISOString() ?? null];
    return { ...rule, created_at, last_used_at, audience: workloadAudience(publicUrl, rule.id) };
  }

  async function change(
    caller: Caller,
    event: "workload_added" | "workload_removed",
    make: (
      transaction: Transaction,
    ) => Promise<Pick<StoredWorkload, "id" | "issuer" | "subject" | "branches" | "scopes" | "repository_id" | "project_id">>,
  ): Promise<void> {
    await queries.transaction().execute(async (transaction) => {
      await beginChange(transaction, caller);
      const { id, issuer, subject, scopes, ...of } = await make(transaction);
      const bounds = { branches: of.branches ?? "", repository: of.repository_id ?? "", project: of.project_id ?? "" };
      const details = { workload: id, issuer, subject, scopes: scopes.join(" "), ...bounds };
      await tellOthers(dependencies, transaction, caller, `${subject}: ${details.scopes}`, event.replace("_", " "));
      await appendAudit(transaction, { ...ownAction(caller, clock.now()), event, details });
    });
  }

  return (server: HttpServer): void => {
    server.get(
      "/admin/workloads",
      route("admin", "CI jobs and pods that your organization trusts without a stored secret", { response: { 200: workloadsSchema } }),
      async (request) => ({ workloads: (await listWorkloads(queries, getOwner(request).tenantId)).map(present) }),
    );
    const added = { body: workloadRequestSchema, response: { 201: workloadSchema } };
    server.post(
      "/admin/workloads",
      route("admin-step-up", "Trust jobs, by what their host says of them", added),
      async (request, reply) => {
        const caller = getCaller(request);
        const { userId: created_by, tenantId: tenant_id } = caller;
        const made = { ...request.body, id: uuidv7(), tenant_id, created_by, created_at: clock.now() };
        await change(caller, "workload_added", async (transaction) => {
          if ((await listWorkloads(transaction, tenant_id)).length >= MAX_WORKLOADS) {
            throw refusal("too_many_workloads");
          }
          await insertWorkload(transaction, made);
          return made;
        });
        return reply.status(201).send(present({ ...made, active: true, last_used_at: null }));
      },
    );
    const removed = { params: z.object({ id: z.uuid() }), response: { 204: z.null() } };
    server.delete(
      "/admin/workloads/:id",
      route("admin-step-up", "Trust them no more; their tokens end", removed),
      async (request, reply) => {
        const caller = getCaller(request);
        await change(caller, "workload_removed", async (transaction) =>
          orRefuse(await deleteWorkload(transaction, caller.tenantId, request.params.id), () => refusal("unknown_workload")),
        );
        return reply.status(204).send(null);
      },
    );
  };
}
