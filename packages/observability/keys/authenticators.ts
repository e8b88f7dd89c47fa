import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { Authenticator } from "@sightline/foundation/http/http-server";
import { setPrincipal } from "@sightline/foundation/http/principal";
import type { UsableKey } from "#query/access/authenticators.ts";
import type { ApiKeyScope } from "#contract.ts";
import { hashIfApiKey } from "./api-key.ts";

type KeyAuthenticators = {
  /** An API key that may send to its project, as `Authorization: Bearer` or `X-API-Key`, or as the password of `Authorization: Basic`. */
  readonly ingest: Authenticator;
  /** Anyone with an access token of a tenant; or, below `/projects/:project_id`, an API key that may read that project. */
  readonly "user-or-key": Authenticator;
  /** The same, with an API key that may read and write datasets and experiments. */
  readonly "user-or-evaluate": Authenticator;
  /** The same, with an API key that may give the project's traces scores. */
  readonly "user-or-scoring-key": Authenticator;
  /** The same, with an API key that may read prompts. */
  readonly "user-or-prompts": Authenticator;
};

type Options = {
  readonly findKey: (hash: string) => Promise<UsableKey | undefined>;
  /** Lets a person in, or tells what a job's token opens. */
  readonly admitOrJob: (request: Request) => Promise<UsableKey | undefined>;
};
type Request = Parameters<Authenticator>[0];

const BEARER = /^Bearer +(\S{1,200})$/i;
const BASIC = /^Basic +([\w+/]{1,1000}={0,2})$/i;

export function createKeyAuthenticators({ findKey, admitOrJob }: Options): KeyAuthenticators {
  const keyOf = async (hash: string): Promise<UsableKey> =>
    orRefuse(await findKey(hash), () =>
      authFailed("There is no such API key, or it was revoked. Make one with POST /api/v1/projects/:project_id/keys."),
    );

  function useKey(request: Request, key: UsableKey, ...scopes: readonly [ApiKeyScope, ...ApiKeyScope[]]): void {
    if (!scopes.some((scope) => key.scopes.includes(scope))) {
      throw refusal(403, "scope_missing", `This API key, or the rule of this job, lacks the scope ${scopes[0]}; make one that has it.`);
    }
    setPrincipal(request, {
      kind: "project-key",
      keyId: key.id,
      projectId: key.projectId,
      tenantId: key.tenantId,
      canChange: scopes.includes("evaluate"),
      canRelease: key.scopes.includes("production"),
      canReadTraces: key.isJob !== true || key.scopes.includes("read"),
      branch: key.branch,
    });
  }

  function userOr(...scopes: readonly [ApiKeyScope, ...ApiKeyScope[]]): Authenticator {
    return async (request) => {
      const hash = hashOf(request);
      const key = hash === undefined ? await admitOrJob(request) : await keyOf(hash);
      if (key === undefined) {
        return;
      }
      useKey(request, key, ...scopes);
      if (!isProject(request.params, key.projectId)) {
        throw refusal(404, "project_not_found", "There is no project of that id for this API key.");
      }
    };
  }

  return {
    ingest: async (request) => {
      const hash = orRefuse(hashOf(request), () =>
        authFailed("Send a project's API key as X-API-Key: studio_… or Authorization: Bearer studio_…."),
      );
      useKey(request, await keyOf(hash), "ingest");
    },
    "user-or-key": userOr("read"),
    "user-or-evaluate": userOr("evaluate"),
    "user-or-scoring-key": userOr("scores"),
    "user-or-prompts": userOr("prompts", "evaluate"),
  };
}

function hashOf({ headers }: Request): string | undefined {
  const given = headers["x-api-key"] ?? BEARER.exec(headers.authorization ?? "")?.[1] ?? passwordOf(headers.authorization);
  return typeof given === "string" ? hashIfApiKey(given) : undefined;
}

/** Langfuse's SDKs send a public key as the name, which says nothing here, and the secret one as the password. */
function passwordOf(authorization = ""): string | undefined {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString().split(":").slice(1).join(":");
}

function isProject(parameters: unknown, projectId: string): boolean {
  const named: unknown = typeof parameters === "object" && parameters !== null ? Reflect.get(parameters, "project_id") : undefined;
  return typeof named === "string" && named.toLowerCase() === projectId;
}

const authFailed = (message: string) => refusal(401, "auth_failed", message, { headers: { "www-authenticate": "Bearer" } });
