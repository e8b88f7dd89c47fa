import type { PublisherMetrics } from "../settings/metrics.ts";
import type { Connector } from "./connector.ts";
import { classifyFailure } from "./publish-failure.ts";
import type { StreamState } from "./stream-connection.ts";

/** What the metrics say of the stream: read when somebody asked for it and the connection has nothing better to do. */
export type Inspection = ReturnType<typeof createInspection>;

const CALL_TIMEOUT = 2000;

export function createInspection(connector: Connector, metrics: PublisherMetrics) {
  let isDue = false;

  /** Takes a state of the stream over into the metrics. */
  const note = (state: StreamState): StreamState => {
    metrics.streamLength = state.length;
    metrics.consumerAlive = state.consumerAlive;
    metrics.consumerLagSeconds = state.lagSeconds;
    return state;
  };

  return {
    request() {
      isDue = true;
    },
    /** Inspects the stream if that was requested. Never throws. */
    async runIfDue() {
      if (!isDue) {
        return;
      }
      isDue = false;
      try {
        const connection = await connector.connect(CALL_TIMEOUT);
        note(await connection.inspect(CALL_TIMEOUT));
      } catch (error) {
        connector.disconnect();
        connector.failed(classifyFailure(error));
      }
    },
    note,
    get isDue() {
      return isDue;
    },
  };
}
