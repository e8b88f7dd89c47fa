import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { orRefuse } from "@sightline/foundation/errors";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner } from "@sightline/foundation/http/principal";
import { getCaller, type Caller } from "#audit/client.ts";
import {
  accountSchema,
  accountsQuerySchema,
  accountsSchema,
  changeAccountRequestSchema,
  createAccountAnswerSchema,
  createAccountRequestSchema,
  resetPasswordAnswerSchema,
  resetPasswordRequestSchema,
  resetSecondFactorRequestSchema,
  type AccountItem,
  type Accounts,
} from "#contract.ts";
import { refusal } from "#refusals.ts";
import { acceptNoBody } from "#factors/kit/optional-json.ts";
import { findListedAccount, listAccounts, type ListedAccount } from "./account-list.store.ts";
import { type AccountAddress, actOnAccount, type AdministrationDependencies } from "./act-on-account.ts";
import { refuseLosingAdmin } from "./last-admin.ts";
import { addAccount } from "./add-account.ts";
import { changeAccount } from "./change-account.ts";
import { resetPassword } from "./reset-password.ts";
import { refuseTakingFactor, resetSecondFactor } from "./reset-second-factor.ts";
import { decideByTwo, takeBack } from "./second-admin.ts";
import { unlockSecondFactor } from "./unlock-second-factor.ts";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { deleteAccountRow } from "./managed-account.store.ts";

const positionSchema = z.tuple([z.string().max(320)]);

/** The store is asked for one row more than the page holds; when it comes, there is a next page. */
function toPage(rows: readonly ListedAccount[], limit: number): Accounts {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { users: shown.map(toItem), next_cursor: rows.length <= limit || last === undefined ? null : toCursor([last.position]) };
}

function toItem({
  waitingAction: action,
  askedBy,
  askedByEmail: email,
  waitingReason: reason,
  waitingUntil: until,
  ...account
}: ListedAccount): AccountItem {
  const waits = action !== null && askedBy !== null && email !== null && reason !== null && until !== null;
  return {
    ...account,
    waiting: waits ? { action, asked_by: { id: askedBy, email }, reason, expires_at: until.toISOString() } : null,
    created_at: account.created_at.toISOString(),
    disabled_at: account.disabled_at?.toISOString() ?? null,
    last_login_at: account.last_login_at?.toISOString() ?? null,
  };
}

/** @throws {AppError} 400 `invalid_cursor`. */
function positionOf(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : fromCursor(cursor, positionSchema)[0];
}

const BODY_BYTES = 16 * 1024;
const withoutBody = routesTagged("users");
const withBody = routesTagged("users", BODY_BYTES);

/** Lower case, as the actor's own id is, so that nobody evades the check for acting on themself by writing their id differently. */
const params = z.object({ id: z.uuid().toLowerCase() });

/** Serves the accounts of the admin's own tenant. An account of another tenant is answered as unknown. */
export function administrationRoutes(dependencies: AdministrationDependencies) {
  const { queries, mailed, clock } = dependencies;
  return (server: HttpServer): void => {
    acceptNoBody(server);
    server.get(
      "/admin/users",
      withoutBody("admin", "Accounts by e-mail address", { querystring: accountsQuerySchema, response: { 200: accountsSchema } }),
      async (request) => {
        const { limit, cursor, search, role } = request.query;
        const { tenantId } = getOwner(request);
        const rows = await listAccounts(queries, { tenantId, search, role, after: positionOf(cursor), limit: limit + 1, now: clock.now() });
        return toPage(rows, limit);
      },
    );

    server.get("/admin/users/:id", withoutBody("admin", "One account", { params, response: { 200: accountSchema } }), (request) =>
      describe(dependencies, addressOf(request, request.params.id)),
    );

    server.post(
      "/admin/users",
      withBody("admin-step-up", "Make an account, with a one-time password or an invitation by mail", {
        body: createAccountRequestSchema,
        response: { 201: createAccountAnswerSchema },
      }),
      async (request, reply) => {
        const { id, oneTimePassword } = await addAccount(dependencies, getCaller(request), request.body);
        const user = await describe(dependencies, addressOf(request, id));
        return reply.status(201).send({ user, one_time_password: oneTimePassword ?? null });
      },
    );

    server.patch(
      "/admin/users/:id",
      withBody(
        "admin-step-up",
        "Change name or role, disable, enable, or demand a new password; 202 where the policy has it wait for one more admin",
        { params, body: changeAccountRequestSchema, response: { 200: accountSchema, 202: accountSchema } },
      ),
      async (request, reply) => {
        const address = addressOf(request, request.params.id);
        const waits = await changeAccount(dependencies, getCaller(request), address, request.body);
        return reply.status(waits ? 202 : 200).send(await describe(dependencies, address));
      },
    );

    server.delete(
      "/admin/users/:id",
      withoutBody("admin-step-up", "Delete an account; 202 where the policy has it wait for one more admin", {
        params,
        response: { 202: accountSchema, 204: z.null() },
      }),
      async (request, reply) => {
        const address = addressOf(request, request.params.id);
        const waits = await deleteAccount(dependencies, getCaller(request), address);
        return waits ? reply.status(202).send(await describe(dependencies, address)) : reply.status(204).send(null);
      },
    );

    server.post(
      "/admin/users/:id/password-reset",
      withBody("admin-step-up", "Replace the password by a one-time password or a mailed link; the second factor stays", {
        params,
        body: resetPasswordRequestSchema,
        response: { 200: resetPasswordAnswerSchema },
      }),
      async (request) => {
        const byMail = request.body?.mail ?? mailed;
        const oneTimePassword = await resetPassword(dependencies, getCaller(request), addressOf(request, request.params.id), { byMail });
        return { one_time_password: oneTimePassword ?? null };
      },
    );

    server.post(
      "/admin/users/:id/2fa/unlock",
      withoutBody("admin-step-up", "Have the codes of an account looked at again that were tried too often; the second factor stays", {
        params,
        response: { 200: accountSchema },
      }),
      async (request) => {
        const address = addressOf(request, request.params.id);
        await unlockSecondFactor(dependencies, getCaller(request), address);
        return describe(dependencies, address);
      },
    );

    server.post(
      "/admin/users/:id/2fa/reset",
      withBody(
        "admin-step-up",
        "Take the second factor from another admin who lost it; 202 where the policy has it wait for one more admin",
        {
          params,
          body: resetSecondFactorRequestSchema,
          response: { 200: accountSchema, 202: accountSchema },
        },
      ),
      async (request, reply) => {
        const address = addressOf(request, request.params.id);
        const waits = await resetSecondFactor(dependencies, getCaller(request), address, request.body.reason);
        return reply.status(waits ? 202 : 200).send(await describe(dependencies, address));
      },
    );

    server.delete(
      "/admin/users/:id/waiting",
      withoutBody("admin-step-up", "Take back what waits for another admin", { params, response: { 200: accountSchema } }),
      async (request) => {
        const address = addressOf(request, request.params.id);
        await takeBack(dependencies, getCaller(request), address);
        return describe(dependencies, address);
      },
    );
  };
}

/** The tenant is always the admin's own, whatever the id. */
function addressOf(request: FastifyRequest, id: string): AccountAddress {
  return { id, tenantId: getOwner(request).tenantId };
}

async function describe({ queries, clock }: AdministrationDependencies, address: AccountAddress): Promise<AccountItem> {
  return toItem(orRefuse(await findListedAccount(queries, address, clock.now()), () => refusal("unknown_user")));
}

/**
 * Deletes the account with its sessions, tickets and notices. The audit keeps who it was; its address is free again.
 *
 * @returns whether it waits for another admin.
 * @throws {AppError} 403 `own_account`, `second_factor_needed` or `admin_too_new`, 404 `unknown_user`, 409 `last_admin` or `reset_needed_first`.
 */
async function deleteAccount(dependencies: AdministrationDependencies, actor: Caller, address: AccountAddress): Promise<boolean> {
  return actOnAccount(dependencies, actor, address, async (action) => {
    const { transaction, account, record } = action;
    await refuseLosingAdmin(action, actor);
    await refuseTakingFactor(action, actor);
    if (account.role === "admin" && (await decideByTwo(dependencies, action, actor, { action: "delete", reason: "" })) === "waits") {
      return true;
    }
    record("user_deleted", { email: account.email, role: account.role });
    await deleteAccountRow(transaction, account.id);
    return false;
  });
}
