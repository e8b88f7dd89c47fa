import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Clock } from "@sightline/foundation/clock";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { FullSession } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries, Transaction } from "#schema.ts";
import { SSO } from "./authentication-methods.ts";
import { ACCESS_TOKEN_SECONDS } from "@sightline/foundation/http/token-lifetime";
import type { AccessTokens, TokenSubject } from "./access-token.ts";
import { isReused, type RefreshTokens } from "./refresh-token.ts";
import { findSession, insertSession, revokeSession, rotateSession, type Session } from "./session.store.ts";

/** The tokens for a client: the body of the answer, and the refresh token for its cookie. */
export type Grant = { readonly answer: FullSession; readonly refreshToken: string; readonly refreshMaxAgeSeconds: number };

export type Sessions = ReturnType<typeof createSessions>;

type Opening = Pick<TokenSubject, "userId" | "amr" | "authenticatedAt"> & { readonly client: Client };

const IDLE_MS = 12 * 3600 * 1000;
const ABSOLUTE_MS = 30 * 24 * 3600 * 1000;
/** A provider's word counts for a day: whoever left the company is out by then. */
const SSO_ABSOLUTE_MS = 24 * 3600 * 1000;
const SALT_BYTES = 32;

type Dependencies = {
  readonly queries: Queries;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly clock: Clock;
};

export function createSessions({ queries, accessTokens, refreshTokens, clock }: Dependencies) {
  async function issueTokens(session: Session): Promise<Grant> {
    return {
      answer: { token_type: "bearer", access_token: await accessTokens.issue(session), expires_in: ACCESS_TOKEN_SECONDS },
      refreshToken: refreshTokens.of(session, session.generation),
      refreshMaxAgeSeconds: Math.max(Math.floor((session.idleExpiresAt.getTime() - clock.now().getTime()) / 1000), 0),
    };
  }

  async function findPresented(refreshToken: string | undefined) {
    const presented = refreshToken === undefined ? undefined : refreshTokens.read(refreshToken);
    const session = presented === undefined ? undefined : await findSession(queries, presented.sessionId);
    return presented !== undefined && session !== undefined && refreshTokens.isGenuine(presented, session)
      ? { presented, session }
      : undefined;
  }

  async function revoke(session: Session, reason: string, client: Client): Promise<void> {
    const now = clock.now();
    await queries.transaction().execute(async (transaction) => {
      if (await revokeSession(transaction, { id: session.id, userId: session.userId, reason, now })) {
        const { userId, tenantId, id: sessionId } = session;
        await appendAudit(transaction, { event: "session_revoked", at: now, userId, tenantId, sessionId, client, details: { reason } });
      }
    });
  }

  return {
    /** Makes the session's row; `grant` turns it into tokens once the transaction has committed. */
    open: async (transaction: Transaction, { userId, amr, authenticatedAt, client }: Opening): Promise<string> => {
      const now = clock.now();
      const session = {
        id: uuidv7(),
        user_id: userId,
        refresh_salt: randomBytes(SALT_BYTES),
        amr: [...amr],
        authenticated_at: authenticatedAt,
        idle_expires_at: new Date(now.getTime() + IDLE_MS),
        expires_at: new Date(now.getTime() + (amr.includes(SSO) ? SSO_ABSOLUTE_MS : ABSOLUTE_MS)),
        ip: client.ip,
        user_agent: client.userAgent ?? null,
      };
      await insertSession(transaction, session, now);
      return session.id;
    },

    grant: async (sessionId: string): Promise<Grant> => {
      const session = await findSession(queries, sessionId);
      if (session === undefined || !isLive(session, clock.now())) {
        throw refusal("session_ended");
      }
      return issueTokens(session);
    },

    /** @throws {AppError} 401 `session_ended`. */
    refresh: async (refreshToken: string | undefined, client: Client): Promise<Grant> => {
      const found = await findPresented(refreshToken);
      const now = clock.now();
      if (found === undefined || !isLive(found.session, now)) {
        throw refusal("session_ended");
      }
      const { presented, session } = found;
      const idleExpiresAt = new Date(Math.min(now.getTime() + IDLE_MS, session.expiresAt.getTime()));
      if (presented.generation === session.generation && (await rotateSession(queries, session, now, idleExpiresAt))) {
        return issueTokens({ ...session, generation: session.generation + 1, idleExpiresAt });
      }
      const current = await findSession(queries, session.id);
      if (current === undefined || !isLive(current, now)) {
        throw refusal("session_ended");
      }
      if (isReused(presented, current, now)) {
        await revoke(current, "refresh_token_reused", client);
        throw refusal("session_ended");
      }
      return issueTokens(current);
    },

    /** Ends the session that the token belongs to, if it is one of ours. */
    end: async (refreshToken: string | undefined, client: Client): Promise<void> => {
      const found = await findPresented(refreshToken);
      if (found !== undefined) {
        await revoke(found.session, "logout", client);
      }
    },
  };
}

export function isLive(session: Session, now: Date): boolean {
  return session.revokedAt === null && session.disabledAt === null && session.idleExpiresAt > now && session.expiresAt > now;
}
