import { refusal } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer, Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { getPrincipal } from "@sightline/foundation/http/principal";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import { z } from "zod";
import {
  createCredentialRequestSchema,
  credentialSchema,
  toPageSchema,
  replaceSecretRequestSchema,
  testCredentialRequestSchema,
  testedCredentialSchema,
} from "#contract.ts";
import type { SourceAccess } from "#credentials/source-access.ts";
import { addCredential, replaceCredentialSecret } from "#credentials/stored-credentials.ts";
import { listBranches } from "#git/branches.ts";
import { SourceError } from "#git/source-error.ts";
import { deleteCredential, getCredential, listCredentials, type CredentialRow } from "#credentials/credentials.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "#http/kit/page.ts";
import { presentRow } from "#http/kit/presenters.ts";
import { getTenant, type IncomingRequest } from "#http/kit/request-tenant.ts";
import { found, parseId } from "#http/kit/found.ts";

type CredentialDependencies = {
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly sealer: Sealer | undefined;
  readonly sources: SourceAccess;
};

const paramsSchema = z.object({ id: z.string() });

/** How long the user of a browser waits for an answer. */
const TEST_MS = 20_000;

/** Concurrent tests of a tenant in one process; each runs a git that talks to a host. */
const TESTS = 3;

/** Credentials of sources; their secrets go in and never out. */
export function credentialRoutes(dependencies: CredentialDependencies): Routes {
  return (server) => {
    keeping(server, dependencies);
    changing(server, dependencies);
  };
}

function keeping(server: HttpServer, { database, clock, sealer }: CredentialDependencies): void {
  server.post(
    "/api/v1/credentials",
    route("admin", "Seal a secret that opens private repositories of a host", {
      body: createCredentialRequestSchema,
      response: { 201: credentialSchema },
    }),
    async (request, reply) => {
      const principal = getPrincipal(request);
      const row = await addCredential(
        { database, sealer },
        {
          tenantId: getTenant(request).tenantId,
          given: request.body,
          createdBy: principal.kind === "user" ? principal.userId : principal.kind,
          now: clock.now(),
        },
      );
      return reply.status(201).send(presentRow(credentialSchema, row));
    },
  );

  server.get(
    "/api/v1/credentials",
    route("admin", "Credentials, with when each was last used and what went wrong then; never their secrets", {
      querystring: pageQuerySchema,
      response: { 200: toPageSchema(credentialSchema) },
    }),
    async (request) => {
      const { limit, cursor } = request.query;
      const after = keyOfCursor(cursor, z.uuid());
      const rows = await listCredentials(database, { tenantId: getTenant(request).tenantId, after, limit: limit + 1 });
      return pageOfRows(rows, limit, { present: (row) => presentRow(credentialSchema, row), keyOf: (row) => row.id });
    },
  );
}

function changing(server: HttpServer, { database, sealer, sources }: CredentialDependencies): void {
  server.put(
    "/api/v1/credentials/:id",
    route("admin", "Put another secret in place of the one it holds", {
      params: paramsSchema,
      body: replaceSecretRequestSchema,
      response: { 200: credentialSchema },
    }),
    async (request) => {
      const row = await replaceCredentialSecret({ database, sealer }, { ...oneOf(request), secret: request.body.secret });
      return presentRow(credentialSchema, found("credential", row));
    },
  );

  server.delete(
    "/api/v1/credentials/:id",
    route("admin", "Forget it; repositories that chose it fall back to their host's", {
      params: paramsSchema,
      response: { 200: credentialSchema },
    }),
    async (request) => presentRow(credentialSchema, found("credential", await deleteCredential(database, oneOf(request)))),
  );

  const testing = new Map<string, number>();
  server.post(
    "/api/v1/credentials/:id/test",
    route("admin", "Ask the host of an address for its branches with it", {
      params: paramsSchema,
      body: testCredentialRequestSchema,
      response: { 200: testedCredentialSchema },
    }),
    async (request) => {
      const { tenantId, id } = oneOf(request);
      const row = found("credential", await getCredential(database, { tenantId, id }));
      const running = testing.get(tenantId) ?? 0;
      if (running >= TESTS) {
        throw refusal(429, "too_many_tests", `${TESTS} credentials are being tested already; wait for an answer, then try again.`, {
          headers: { "retry-after": "5" },
        });
      }
      testing.set(tenantId, running + 1);
      try {
        return await tryOut(sources, row, request.body.clone_url);
      } finally {
        countDown(testing, tenantId);
      }
    },
  );
}

async function tryOut(sources: SourceAccess, row: CredentialRow, cloneUrl: string): Promise<z.output<typeof testedCredentialSchema>> {
  const signal = AbortSignal.timeout(TEST_MS);
  try {
    const { branches, defaultBranch } = await sources.reachWith(row, cloneUrl, signal, (remote) => listBranches(remote, { signal }));
    const count = `${branches.length} ${branches.length === 1 ? "branch" : "branches"}`;
    return { ok: true, message: `The repository answers and has ${count}.`, default_branch: defaultBranch };
  } catch (error) {
    if (signal.aborted) {
      return { ok: false, message: `The host gave no answer within ${TEST_MS / 1_000} s.`, default_branch: null };
    }
    if (error instanceof SourceError) {
      return { ok: false, message: error.message, default_branch: null };
    }
    throw error;
  }
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left > 0) {
    counts.set(key, left);
  } else {
    counts.delete(key);
  }
}

function oneOf(request: IncomingRequest & { readonly params: { readonly id: string } }) {
  return { tenantId: getTenant(request).tenantId, id: parseId("credential", request.params.id) };
}
