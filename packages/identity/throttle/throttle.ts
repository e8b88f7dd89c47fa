import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Clock } from "@sightline/foundation/clock";
import type { Queries } from "#schema.ts";
import { forgetTries, giveTryBack, takeTry, type Limit } from "./throttle.store.ts";
import { tooManyTries, type Guest, type WaitingRoom } from "./waiting-room.ts";

/** One counter of a try: what is counted, and for whom. */
export type Counter = {
  readonly name: string;
  readonly subject: string;
  readonly limit: Limit;
  /** Whether a success proves that the failures before it were the owner's. */
  readonly forgottenBySuccess: boolean;
  /** Where the try comes from, if its count decides who gives way when too many wait: those that tried most. */
  readonly site?: string;
};

/** A try that is counted before anything is verified. */
export type Try = {
  /** Call it when the try was right, which then does not count. */
  readonly succeeded: () => Promise<void>;
  /** Call it when the try was never evaluated because of an error of ours; it does not count either. */
  readonly giveBack: () => Promise<void>;
};

type Delay = { readonly counter: Counter; readonly seconds: number };

export type Throttle = ReturnType<typeof createThrottle>;

type Dependencies = { readonly queries: Queries; readonly clock: Clock; readonly waitingRoom: WaitingRoom };

/** Counts in PostgreSQL, so that every replica sees every try. */
export function createThrottle({ queries, clock, waitingRoom }: Dependencies) {
  async function giveBack(counters: readonly Counter[]): Promise<void> {
    for (const counter of counters) {
      await giveTryBack(queries, keyOf(counter), counter.limit);
    }
  }

  async function wait(delays: readonly Delay[], guest: Omit<Guest, "key">, left: AbortSignal | undefined): Promise<void> {
    for (const { counter, seconds } of delays) {
      await waitingRoom.wait({ ...guest, key: keyOf(counter) }, seconds, left);
    }
  }

  return {
    /**
     * Waits where a counter delays instead of refusing, until the client has left.
     *
     * @throws {AppError} 429 with `Retry-After`, having counted nothing.
     */
    take: async (counters: readonly Counter[], left?: AbortSignal): Promise<Try> => {
      const now = clock.now();
      const delays: Delay[] = [];
      let guest = { site: "", tries: 0 };
      for (const [index, counter] of counters.entries()) {
        const taken = await takeTry(queries, keyOf(counter), counter.limit, now);
        if ("blockedUntil" in taken) {
          await giveBack(counters.slice(0, index));
          throw tooManyTries(Math.max(Math.ceil((taken.blockedUntil.getTime() - now.getTime()) / 1000), 1));
        }
        if (counter.site !== undefined) {
          guest = { site: counter.site, tries: taken.tries };
        }
        const seconds = delayAfter(taken.tries, counter.limit);
        if (seconds > 0) {
          delays.push({ counter, seconds });
        }
      }
      await givingBackOnFailure({ giveBack: () => giveBack(counters) }, () => wait(delays, guest, left));
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

/** Gives the try back when `work` throws: a try is spent only when it was evaluated. */
export async function givingBackOnFailure<Result>(taken: Pick<Try, "giveBack">, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await taken.giveBack();
    throw error;
  }
}

/** The subscriber that an address stands for: an IPv6 subscriber has a /64, within which addresses are free. */
export function networkOf(ip: string): string {
  return prefixOf(ip, 4);
}

/** The place that an address stands for: whoever has a /48 of IPv6, as a company does, has 65,536 networks. */
export function siteOf(ip: string): string {
  return prefixOf(ip, 3);
}

function prefixOf(ip: string, groupCount: number): string {
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
  const prefix = [...groups, ...zeros, ...end].slice(0, groupCount).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/${groupCount * 16}`;
}

function keyOf({ name, subject }: Counter): string {
  return createHash("sha256").update(`${name}|${subject}`).digest("base64url");
}

/** The delay doubles with every try over the limit. */
function delayAfter(tries: number, { tries: most, delay }: Limit): number {
  return delay === undefined || tries <= most ? 0 : Math.min(delay.firstSeconds * 2 ** (tries - most - 1), delay.mostSeconds);
}
