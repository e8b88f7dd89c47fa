import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { createGuardedFetch } from "@sightline/foundation/outbound/guarded-fetch";
import { SealError } from "@sightline/foundation/secrets/sealing";
import type { ObservabilityConfig } from "#config.ts";
import type { ModelProvider } from "#contract.ts";
import { createRingSealer, modelKeyContext } from "#store/ring-sealer.ts";
import type { ConnectionRow } from "./connections.store.ts";
import { hideKey } from "./hide-key.ts";

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Of one call, whatever becomes of it. */
const CALL_LIMIT_MS = 60_000;

/** All that it takes to ask a model; it holds the key. */
export type OpenModel = {
  readonly provider: ModelProvider;
  readonly baseURL: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly fetch: ReturnType<typeof createGuardedFetch>;
};

export type ModelAccess = {
  /** @throws {SealError} where there are no keys to seal with. */
  readonly seal: (id: string, key: string) => string;
  /** The model of a connection, to be asked. @throws {SealError} when its key does not open. */
  readonly open: (connection: Pick<ConnectionRow, "id" | "provider" | "base_url" | "sealed_key">, model: string) => OpenModel;
};

/** Opens the models of connections: their keys are sealed, and their addresses are looked up and checked for every call. */
export function createModelAccess(config: Pick<ObservabilityConfig, "ENCRYPTION_KEYS" | "OBSERVABILITY_ALLOW_MODEL_HOSTS">): ModelAccess {
  const allowed: AllowedHosts = config.OBSERVABILITY_ALLOW_MODEL_HOSTS;
  const sealer = config.ENCRYPTION_KEYS === undefined ? undefined : createRingSealer(config.ENCRYPTION_KEYS);
  const demand = () => {
    if (sealer === undefined) {
      throw new SealError("ENCRYPTION_KEYS is not set for the role observability, so keys of models can be neither kept nor read. Set it.");
    }
    return sealer;
  };
  const fetch = createGuardedFetch({
    allowed,
    variable: "OBSERVABILITY_ALLOW_MODEL_HOSTS",
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs: CALL_LIMIT_MS,
  });
  return {
    seal: (id, key) => demand().seal(Buffer.from(key), modelKeyContext(id)),
    open: ({ id, provider, base_url: baseURL, sealed_key: sealed }, model) => {
      const key = sealed === null ? undefined : demand().open(sealed, modelKeyContext(id)).toString();
      return { provider, baseURL, key, model, fetch: key === undefined ? fetch : async (...call) => hideKey(await fetch(...call), key) };
    },
  };
}
