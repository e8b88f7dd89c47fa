import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import type { Routes } from "@sightline/foundation/http/http-server";
import { registrationRoutes } from "./accounts/accounts.routes.ts";
import { createPasswordHasher, type PasswordHasher } from "./accounts/password-hash.ts";
import type { IdentityConfig } from "./config.ts";
import { createSealer } from "./keys/sealed-values.ts";
import { createNotices } from "./notices/notices.ts";
import type { IdentitySchema } from "./schema.ts";
import { createThrottle } from "./throttle/throttle.ts";
import { createWaitingRoom, realSleep, type Sleep } from "./throttle/waiting-room.ts";

type RegistrationDependencies = {
  readonly config: Pick<IdentityConfig, "ENCRYPTION_KEYS" | "REGISTRATION" | "SMTP_URL">;
  readonly database: Database<IdentitySchema>;
  readonly clock: Clock;
  /** How requests wait while their account is being guessed at; for tests. */
  readonly sleep?: Sleep;
  /** For tests. */
  readonly hasher?: PasswordHasher;
};

/** `POST /api/v1/auth/register`, for observability's port, without the rest of identity. */
export function createRegistration({
  config,
  database,
  clock,
  sleep = realSleep,
  hasher = createPasswordHasher(),
}: RegistrationDependencies): Routes {
  const queries = database.query;
  const notices = createNotices({ sealer: createSealer(config.ENCRYPTION_KEYS), mailed: config.SMTP_URL !== undefined });
  return registrationRoutes({
    queries,
    clock,
    hasher,
    throttle: createThrottle({ queries, clock, waitingRoom: createWaitingRoom(sleep) }),
    registration: config.REGISTRATION,
    tellOwner: (transaction, userId, at) => notices.append(transaction, { userId, kind: "registration_repeated", at }),
  });
}
