import { errors, type Adapter, type AdapterPayload } from "oidc-provider";
import type { Clock } from "@sightline/foundation/clock";
import { parseJson } from "@sightline/foundation/parse-json";
import type { Sealer } from "#keys/sealed-values.ts";
import type { Queries } from "#schema.ts";
import { toSeconds } from "#session/access-token.ts";
import { SCOPE } from "./addresses.ts";
import { findClient } from "./client.store.ts";
import { findLiveGrant } from "./grant.store.ts";
import { isClientId } from "./register-client.ts";
import { consumeState, deleteState, findState, grantOfState, hashStateId, putState } from "./state.store.ts";

type Dependencies = {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly resource: string;
  /** Ends the grant because of the request in hand: its app asked for it, or showed a code or token that had been used. */
  readonly endGrant: (grantId: string) => Promise<void>;
};

const nothing = async (): Promise<undefined> => undefined;

/** Models of the library that this product has no use of: sessions of its own, say, since the console has some. */
const KEPT_NOWHERE: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

const KEPT_AS_STATES = new Set(["Interaction", "AuthorizationCode", "RefreshToken"]);

/** Keeps what the library needs in PostgreSQL, so that any replica goes on with what another began. */
export function createAdapter(dependencies: Dependencies): (kind: string) => Adapter {
  return (kind) => {
    if (kind === "Client") {
      return { ...KEPT_NOWHERE, find: async (id) => findRegisteredClient(dependencies, id) };
    }
    if (kind === "Grant") {
      return {
        ...KEPT_NOWHERE,
        find: (id) => findGrantPayload(dependencies, id),
        destroy: dependencies.endGrant,
      };
    }
    return KEPT_AS_STATES.has(kind) ? stateAdapter(dependencies, kind) : KEPT_NOWHERE;
  };
}

/** Ids of another form are not looked up: PostgreSQL takes no zero byte, which anybody may send. */
async function findRegisteredClient({ queries, clock }: Dependencies, id: string): Promise<AdapterPayload | undefined> {
  return isClientId(id) ? findClient(queries, id, clock.now()) : undefined;
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

async function findGrantPayload({ queries, clock, resource }: Dependencies, id: string): Promise<AdapterPayload | undefined> {
  const grant = UUID.test(id) ? await findLiveGrant(queries, id, clock.now()) : undefined;
  return grant === undefined
    ? undefined
    : {
        kind: "Grant",
        jti: grant.id,
        accountId: grant.userId,
        clientId: grant.clientId,
        exp: toSeconds(grant.expiresAt),
        resources: { [resource]: SCOPE },
      };
}

/**
 * The id of a state is what the app or the browser holds, so it is stored as a hash, and taken out of the payload. That is sealed:
 * it holds what else may not be read, such as where a question is answered.
 */
function stateAdapter({ queries, sealer, clock, endGrant }: Dependencies, kind: string): Adapter {
  const stateSealContext = (subject: string) => ({ purpose: "oauth_states.payload", subject });
  return {
    ...KEPT_NOWHERE,
    upsert: async (id, { jti: _jti, ...payload }, expiresIn = 0) => {
      const hash = hashStateId(kind, id);
      const sealed = sealer.seal(Buffer.from(JSON.stringify(payload)), stateSealContext(hash));
      const expiresAt = new Date(clock.now().getTime() + expiresIn * 1000);
      await putState(queries, { id: hash, kind, grantId: payload.grantId, payload: sealed }, expiresAt);
    },
    find: async (id) => {
      const hash = hashStateId(kind, id);
      const state = await findState(queries, hash, clock.now());
      if (state === undefined) {
        return undefined;
      }
      const payload = parseJson(sealer.open(state.payload, stateSealContext(hash)).toString()) as AdapterPayload;
      return { ...payload, jti: id, ...(state.consumedAt === null ? {} : { consumed: toSeconds(state.consumedAt) }) };
    },
    consume: async (id) => {
      const hash = hashStateId(kind, id);
      if (!(await consumeState(queries, hash, clock.now()))) {
        const grantId = await grantOfState(queries, hash);
        if (grantId !== undefined) {
          await endGrant(grantId);
        }
        throw new errors.InvalidGrant("it was used already");
      }
    },
    destroy: (id) => deleteState(queries, hashStateId(kind, id)),
  };
}
