import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { Queries } from "#schema.ts";
import { forgetTries, giveTryBack, takeTry, type Limit } from "./throttle.store.ts";

/** One counter of a try: what is counted, and for whom. */
export type Counter = {
  readonly name: string;
  readonly subject: string;
  readonly limit: Limit;
  /** Whether a success shows that the failures before were the owner's. */
  readonly forgottenBySuccess: boolean;
};

/** A try that was taken before anything was verified. */
export type Try = {
  /** It was right: it does not count. */
  readonly succeeded: () => Promise<void>;
  /** It was never evaluated, for a reason of ours: it does not count either. */
  readonly giveBack: () => Promise<void>;
};

export type Throttle = {
  /** @throws {AppError} 429 with `Retry-After`, having counted nothing. */
  readonly take: (counters: readonly Counter[]) => Promise<Try>;
};

/** Counts in PostgreSQL, so that every replica sees every try. */
export function createThrottle({ queries, clock }: { readonly queries: Queries; readonly clock: Clock }): Throttle {
  async function giveBack(counters: readonly Counter[]): Promise<void> {
    for (const counter of counters) {
      await giveTryBack(queries, keyOf(counter), counter.limit);
    }
  }

  return {
    take: async (counters) => {
      const now = clock.now();
      for (const [index, counter] of counters.entries()) {
        const blockedUntil = await takeTry(queries, keyOf(counter), counter.limit, now);
        if (blockedUntil !== undefined) {
          await giveBack(counters.slice(0, index));
          throw tooManyTries(blockedUntil, now);
        }
      }
      return {
        giveBack: () => giveBack(counters),
        succeeded: async () => {
          for (const counter of counters) {
            await (counter.forgottenBySuccess ? forgetTries(queries, keyOf(counter)) : giveTryBack(queries, keyOf(counter), counter.limit));
          }
        },
      };
    },
  };
}

/** A try is only spent when it was evaluated. */
export async function givingBackOnFailure<Result>(taken: Try, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await taken.giveBack();
    throw error;
  }
}

/** Whom an address stands for: an IPv6 subscriber has a /64, within which addresses are free. */
export function networkOf(ip: string): string {
  const embedded = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (embedded !== undefined) {
    return embedded;
  }
  if (!isIPv6(ip)) {
    return ip;
  }
  const [head = "", tail] = (ip.split("%")[0] ?? "").toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const end = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(8 - groups.length - end.length, 0) }, () => "0");
  const prefix = [...groups, ...zeros, ...end].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}

function keyOf({ name, subject }: Counter): string {
  return createHash("sha256").update(`${name}|${subject}`).digest("base64url");
}

function tooManyTries(blockedUntil: Date, now: Date): AppError {
  const seconds = Math.max(Math.ceil((blockedUntil.getTime() - now.getTime()) / 1000), 1);
  return new AppError({
    code: "too_many_tries",
    status: 429,
    message: `Too many tries. Wait ${seconds} seconds, then try again.`,
    headers: { "retry-after": String(seconds) },
  });
}
