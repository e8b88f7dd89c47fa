import { errorMessage } from "@sightline/foundation/errors";
import { EmbedderError, type Embedded, type Embedder, type EmbedderIdentity, type EmbedOptions, type EmbedPurpose } from "./embedder.ts";
import { inBatches, measure, type MeasuredText } from "./measure-texts.ts";
import { BadInputError, OverloadedError, postJson, type ProviderCall, NoAnswerError } from "./post-json.ts";
import { setTimeout as delay } from "node:timers/promises";

type Retrying = { readonly baseMs: number; readonly signal: AbortSignal };

const TRIES = 3;
/** Who is asked to wait longer lets its caller decide. */
const MAX_WAIT_MS = 20_000;

/** Tries again what may go better, after a growing pause with jitter, or after the one that the provider asked for. */
async function withRetries<Result>(work: () => Promise<Result>, { baseMs, signal }: Retrying): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EmbedderError) || error instanceof NoAnswerError || !error.transient || tried === TRIES) {
        throw error;
      }
      const pauseMs = Math.max(error.retryAfterMs ?? 0, baseMs * 4 ** (tried - 1)) * (1 + Math.random() / 2);
      if (pauseMs > MAX_WAIT_MS) {
        throw error;
      }
      await delay(pauseMs, undefined, { signal });
    }
  }
}

/** How a provider is spoken to; the rest is the same for all of them. */
export type ProviderProtocol = {
  readonly identity: EmbedderIdentity;
  readonly limits: ProviderLimits;
  readonly secrets: readonly string[];
  readonly call: (texts: readonly string[], purpose: EmbedPurpose, signal: AbortSignal) => Promise<ProviderCall>;
  /** The numbers of each text, in the order of the call; `undefined` when the answer has another shape. */
  readonly read: (answer: unknown, texts: number) => readonly (readonly unknown[])[] | undefined;
};

type ProviderLimits = {
  /** Texts, and their tokens, that one call may hold. */
  readonly inputs: number;
  readonly tokens: number;
  /** Longer texts are cut. */
  readonly tokensOfOne: number;
};

/** For tests, which can't wait as long. */
export type RemoteTiming = { readonly timeoutMs?: number; readonly retryBaseMs?: number };

const TIMEOUT_MS = 30_000;
const RETRY_BASE_MS = 500;
/** Calls at once. */
const MAX_CALLS = 4;

/** A text that no provider refuses: when this fails too, it is not the input's fault. */
const PROBE = "function add(a, b) { return a + b }";

/**
 * Embeds over the network. A call that fails for its content is divided until the bad text stands alone; a text that is
 * too long is cut. What is not the texts' fault is thrown, after three tries where a wait may help.
 */
export function createRemoteEmbedder(protocol: ProviderProtocol, timing: RemoteTiming = {}): Embedder {
  const { identity, limits, secrets } = protocol;
  const { timeoutMs = TIMEOUT_MS, retryBaseMs = RETRY_BASE_MS } = timing;
  /** Shrinks when the provider turns out to take fewer at once. */
  let inputs = limits.inputs;

  async function requestVectors(texts: readonly string[], { purpose, signal }: EmbedOptions): Promise<readonly Embedded[]> {
    const once = async () => {
      const call = await protocol.call(texts, purpose, signal);
      const answer = await postJson({ call, timeoutMs, signal, secrets });
      const rows = protocol.read(answer, texts.length);
      if (rows === undefined) {
        throw new OverloadedError(`${new URL(call.url).host} answered something other than ${texts.length} vectors`, { transient: true });
      }
      return rows.map((row) => toVector(row, identity));
    };
    // Who waits for a query's vector does not wait for a second try.
    return purpose === "query" ? once() : withRetries(once, { baseMs: retryBaseMs, signal });
  }

  async function embedBatch(batch: readonly MeasuredText[], run: Run): Promise<readonly Embedded[]> {
    try {
      const outcomes = await requestVectors(
        batch.map(({ text }) => text),
        run,
      );
      if (outcomes.some((outcome) => "refused" in outcome)) {
        await run.demandGoodProvider();
      }
      return outcomes;
    } catch (error) {
      const divisible = error instanceof BadInputError || (error instanceof OverloadedError && run.purpose === "document");
      if (!divisible) {
        throw error;
      }
      await run.demandGoodProvider(error);
      const [first] = batch;
      if (first !== undefined && batch.length === 1) {
        return [await embedAlone(first, run, error)];
      }
      return divide(batch, run);
    }
  }

  async function divide(batch: readonly MeasuredText[], run: Run): Promise<readonly Embedded[]> {
    const half = Math.ceil(batch.length / 2);
    const outcomes = [...(await embedBatch(batch.slice(0, half), run)), ...(await embedBatch(batch.slice(half), run))];
    if (outcomes.every((outcome) => "vector" in outcome)) {
      // No text was bad, so there were too many.
      inputs = Math.min(inputs, half);
    }
    return outcomes;
  }

  /** Too long for this provider is the likeliest reason, and half a chunk is found better than none. */
  async function embedAlone({ text, tokens }: MeasuredText, run: Run, reason: EmbedderError, cuts = 3): Promise<Embedded> {
    const shorter = measure(text, Math.floor(tokens / 2));
    const refusal = { refused: reason.message, unsure: reason instanceof OverloadedError };
    if (cuts === 0 || shorter.tokens < MIN_CUT_TOKENS) {
      return refusal;
    }
    try {
      const [outcome] = await requestVectors([shorter.text], run);
      return outcome ?? refusal;
    } catch (error) {
      if (error instanceof BadInputError) {
        return embedAlone(shorter, run, error, cuts - 1);
      }
      if (error instanceof OverloadedError) {
        return refusal;
      }
      throw error;
    }
  }

  function createRun(options: EmbedOptions): Run {
    let probing: Promise<readonly Embedded[]> | undefined;
    return {
      ...options,
      demandGoodProvider: async (cause) => {
        // Once: what led here was tried often enough.
        probing ??= requestVectors([PROBE], { ...options, purpose: "query" });
        let probed: Embedded | undefined;
        try {
          [probed] = await probing;
        } catch (error) {
          throw cause ?? error;
        }
        if (probed === undefined || "refused" in probed) {
          throw new EmbedderError(`${identity.provider} answers ${identity.model} with vectors that hold something other than numbers`, {
            transient: false,
          });
        }
      },
    };
  }

  async function embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Embedded[]> {
    const run = createRun(options);
    const outcomes = Array.from<Embedded | undefined>({ length: texts.length });
    const measured = texts.map((text) => measure(text, limits.tokensOfOne, options.purpose));
    const waiting = inBatches(measured, { inputs, tokens: limits.tokens });
    let failure: unknown;
    const work = async () => {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
        const { from, texts: given } = batch;
        try {
          for (const [index, outcome] of (await embedBatch(given, run)).entries()) {
            outcomes[from + index] = outcome;
          }
        } catch (error) {
          waiting.length = 0;
          failure ??= options.signal.aborted ? broken(options.signal) : error;
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_CALLS }, work));
    if (failure instanceof EmbedderError) {
      const { transient, retryAfterMs } = failure;
      throw new EmbedderError(failure.message, { transient, retryAfterMs, partial: outcomes, cause: failure });
    }
    if (failure !== undefined) {
      throw new Error(errorMessage(failure), { cause: failure });
    }
    return outcomes.map((outcome) => outcome ?? { refused: "the text is blank" });
  }

  return { identity, local: false, embed };
}

type Run = EmbedOptions & {
  /** @throws {EmbedderError} when the provider fails at a text that can't be bad. */
  readonly demandGoodProvider: (cause?: EmbedderError) => Promise<void>;
};

/** What was made until then is handed over like before any other failure. */
function broken(signal: AbortSignal): EmbedderError {
  return new EmbedderError(errorMessage(signal.reason), { transient: true, cause: signal.reason });
}

const MIN_CUT_TOKENS = 16;

function toVector(numbers: readonly unknown[], { provider, model, dimensions }: EmbedderIdentity): Embedded {
  if (numbers.length !== dimensions) {
    throw new EmbedderError(
      `${provider} answered a vector of ${numbers.length} numbers for ${model}, and CODEINDEX_EMBEDDING_DIMENSIONS is ${dimensions}. ` +
        `Set it to ${numbers.length}, or, where the model can make shorter ones, set CODEINDEX_EMBEDDING_SHORTEN=true.`,
      { transient: false },
    );
  }
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (const [index, value] of numbers.entries()) {
    if (typeof value !== "number" || !Number.isFinite(value)) {
      return { refused: "the provider answered a vector that holds something other than numbers" };
    }
    vector[index] = value;
    squares += value * value;
  }
  return squares === 0 || !Number.isFinite(squares)
    ? { refused: "the provider answered a vector without a direction" }
    : { vector: vector.map((value) => value / Math.sqrt(squares)) };
}
