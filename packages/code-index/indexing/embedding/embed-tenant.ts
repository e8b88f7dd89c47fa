import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { embeddedText } from "#embedding/embedded-text.ts";
import { EmbedderError, type Embedded, type Embedder } from "#embedding/embedder.ts";
import { completeEmbedder, dropReplacedEmbedders, embedderState, noteProviderError } from "./embedders.store.ts";
import { refreshWaiting } from "./embedding-progress.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { ensureEmbedder } from "#store/index/vectors.store.ts";
import {
  awaitAllVectors,
  claimTexts,
  keepTexts,
  saveOutcomes,
  type TextOutcome,
  type Vectors,
  type WaitingText,
} from "./waiting-vectors.store.ts";

export type Filling = {
  readonly database: CodeIndexDatabase;
  readonly embedder: Embedder;
  readonly log: Logger;
  readonly clock: Clock;
  /** How long a batch is nobody else's, unless it is said again. */
  readonly leaseMs: number;
  readonly signal: AbortSignal;
};

export type TenantBackfill = {
  /**
   * Embeds one batch of what waits.
   *
   * @returns `worked`, or `idle` when there was nothing to do for this process.
   * @throws {EmbedderError} when the provider can't be asked; the batch waits on.
   */
  readonly step: () => Promise<"worked" | "idle">;
  /** Nothing waits any more, as far as this process knows. */
  readonly settled: () => boolean;
};

/** Texts in hand at once: what is embedded twice, at the most, when the process is killed. */
const BATCH = 256;
/** For a text that the provider breaks down over. */
const ATTEMPTS = 4;
const UNSURE_MS = 30_000;
/** Between two counts of what waits, while there is more; and how many times as long as a count takes. */
const COUNT_MS = 2_000;
const COUNT_SHARE = 20;
/** Between two tries to delete what was replaced. */
const TIDY_MS = 20_000;

export function createTenantBackfill(filling: Filling, tenant: Tenant): TenantBackfill {
  const { database, embedder, log, clock, signal } = filling;
  let state: State | undefined;
  /** Making the vectors again would only have the other process do the same, without end. */
  let replaced = false;

  async function prepare(): Promise<State> {
    const embedderId = await ensureEmbedder(database, tenant, embedder.identity);
    const vectors = { schema: tenant.schema, role: tenant.role, embedderId };
    await awaitAllVectors(database, vectors);
    const found = await embedderState(database, tenant, embedderId);
    return {
      vectors,
      complete: found?.complete === true,
      failing: (found?.lastError ?? null) !== null,
      settled: false,
      countAt: 0,
      tidyAt: 0,
    };
  }

  async function embedBatch(at: State): Promise<boolean> {
    const { vectors } = at;
    const claimed = await claimTexts(database, vectors, { limit: BATCH, now: clock.now(), until: leaseEnd() });
    if (claimed.length === 0) {
      return false;
    }
    const hashes = claimed.map(({ textHash }) => textHash);
    const renewal = setInterval(() => {
      keepTexts(database, vectors, { hashes, until: leaseEnd() }).catch((error: unknown) =>
        log.warn({ err: error }, "a batch of vectors may be made twice"),
      );
    }, filling.leaseMs / 3);
    try {
      const outcomes = await embedder.embed(claimed.map(embeddedText), { purpose: "document", signal });
      await save(vectors, claimed, outcomes);
      await noteSuccess(at);
    } catch (error) {
      await save(vectors, claimed, error instanceof EmbedderError ? error.partial : []);
      if (error instanceof EmbedderError && !signal.aborted) {
        await noteFailure(at, error);
      }
      throw error;
    } finally {
      clearInterval(renewal);
    }
    return true;
  }

  async function save(vectors: Vectors, claimed: readonly WaitingText[], outcomes: readonly (Embedded | undefined)[]): Promise<void> {
    await saveOutcomes(
      database,
      vectors,
      claimed.map(({ textHash, attempts }, index) => ({ textHash, ...outcomeOf(outcomes[index], attempts) })),
    );
  }

  /** A provider that broke down over a text may do better another time. */
  function outcomeOf(outcome: Embedded | undefined, attempts: number): Omit<TextOutcome, "textHash"> {
    if (outcome === undefined || "vector" in outcome || outcome.unsure !== true || attempts >= ATTEMPTS) {
      return outcome ?? {};
    }
    return { notBefore: new Date(clock.now().getTime() + attempts * UNSURE_MS) };
  }

  async function noteSuccess(at: State): Promise<void> {
    if (at.failing) {
      at.failing = false;
      log.info({ tenant: tenant.name }, "the embedder's provider answers again");
      await noteProviderError(database, tenant, { embedderId: at.vectors.embedderId, error: null, now: clock.now() });
    }
  }

  async function noteFailure(at: State, { message }: EmbedderError): Promise<void> {
    at.failing = true;
    await noteProviderError(database, tenant, { embedderId: at.vectors.embedderId, error: message, now: clock.now() });
    await refreshWaiting(database, tenant);
  }

  /** Nothing is left for this process; somebody else may still have some in hand. */
  async function settle(at: State): Promise<void> {
    const { embedderId } = at.vectors;
    if (!at.complete) {
      at.complete = await completeEmbedder(database, tenant, { embedderId, now: clock.now() });
      if (!at.complete) {
        await awaitAllVectors(database, at.vectors);
        at.complete = (await embedderState(database, tenant, embedderId))?.complete === true;
        return;
      }
      log.debug({ tenant: tenant.name, embedder: embedder.identity.key }, "searches use the vectors of this embedder");
    }
    at.settled = (await refreshWaiting(database, tenant)) === 0;
  }

  async function tidy(at: State): Promise<void> {
    const { embedderId } = at.vectors;
    if (at.complete && at.tidyAt <= clock.now().getTime()) {
      const left = await dropReplacedEmbedders(database, tenant, { embedderId, now: clock.now() });
      at.tidyAt = left === 0 ? Infinity : clock.now().getTime() + TIDY_MS;
    }
  }

  function leaseEnd(): Date {
    return new Date(clock.now().getTime() + filling.leaseMs);
  }

  async function step(at: State): Promise<"worked" | "idle"> {
    if (await embedBatch(at)) {
      at.settled = false;
      if (clock.now().getTime() >= at.countAt) {
        const began = performance.now();
        await refreshWaiting(database, tenant);
        at.countAt = clock.now().getTime() + Math.max(COUNT_MS, (performance.now() - began) * COUNT_SHARE);
      }
      return "worked";
    }
    await settle(at);
    await tidy(at);
    return "idle";
  }

  return {
    settled: () => replaced || (state?.settled === true && state.tidyAt === Infinity),
    step: async () => {
      if (replaced) {
        return "idle";
      }
      state ??= await prepare();
      try {
        return await step(state);
      } catch (error) {
        replaced = (await embedderState(database, tenant, state.vectors.embedderId)) === undefined;
        if (!replaced) {
          throw error;
        }
        log.error(
          { tenant: tenant.name, embedder: embedder.identity.key },
          "another process has replaced this embedder by another one; give all processes the same CODEINDEX_EMBEDDER variables and start them again",
        );
        return "idle";
      }
    },
  };
}

type State = {
  readonly vectors: Vectors;
  /** Whether searches use the vectors. */
  complete: boolean;
  /** Whether an error of the provider stands in the database. */
  failing: boolean;
  settled: boolean;
  countAt: number;
  tidyAt: number;
};
