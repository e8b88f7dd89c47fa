import { countDropped } from "../settings/metrics.ts";
import { classifyFailure } from "../publish/publish-failure.ts";
import { type Publisher, startPublisher } from "../publish/publisher.ts";
import { sdkState } from "./sdk-state.ts";
import { loggerOf, type PublisherOptions, readSettings, type Settings } from "../settings/settings.ts";
import { createWarnings } from "../settings/warnings.ts";
import type { StreamState } from "../publish/stream-connection.ts";

const FLUSH_DEADLINE = 2000;
/** That of a supervisor, and that of Ctrl-C. */
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Sends what is left when the process runs out of work or is asked to end. The application's own handling of SIGTERM and SIGINT stays as it was:
 * with other listeners they decide; without one the process ends by the signal, a flush later.
 */
function installExitHooks(publisher: Publisher, closeNow: () => Promise<void>): void {
  sdkState.removeExitHooks?.();
  const onBeforeExit = () => void closeNow();
  const onTerminate = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) {
      void publisher.flush(FLUSH_DEADLINE);
      return;
    }
    // It takes the listeners off at once, so that whoever asks twice is not kept waiting.
    void closeNow().finally(() => process.kill(process.pid, signal));
  };
  const onExit = () => publisher.abandon();
  process.once("beforeExit", onBeforeExit);
  process.once("exit", onExit);
  SIGNALS.forEach((signal) => process.on(signal, onTerminate));
  sdkState.removeExitHooks = () => {
    process.off("beforeExit", onBeforeExit);
    process.off("exit", onExit);
    SIGNALS.forEach((signal) => process.off(signal, onTerminate));
    sdkState.removeExitHooks = undefined;
  };
}

export type Verification = {
  /** Redis takes events and, when asked to look, a consumer is not known to be down and the project not known to be missing. */
  readonly ok: boolean;
  /** Whether events are recorded at all. True with Redis down: they wait in a bounded buffer. */
  readonly enabled: boolean;
  readonly redis: "up" | "down" | "unchecked";
  readonly consumer: "up" | "down" | "unknown" | "unchecked";
  /** What is not as it should be. */
  readonly reason?: string;
};

const VERIFICATION_DEADLINE = 2000;
const CLOSE_DEADLINE = 2000;

/**
 * Starts publishing and looks whether Redis is there. Never throws and answers within about two seconds; an application may ignore
 * the answer. Without options everything comes from the `OBS_*` variables.
 *
 * @example
 * const verification = await initializeRedisPublisher({ redisUrl: "redis://127.0.0.1:6380", projectId });
 */
export async function initializeRedisPublisher(options: PublisherOptions = {}): Promise<Verification> {
  try {
    const read = readSettings(options);
    // Without one before, recording begins at once: zero-code set-up is followed by the application in the same turn.
    if (sdkState.publisher !== undefined || sdkState.closing !== undefined) {
      await closeRedisPublisher();
    }
    if (read.kind === "disabled") {
      return { ok: false, enabled: false, redis: "unchecked", consumer: "unchecked", reason: "switched off" };
    }
    if (read.kind === "invalid") {
      createWarnings(loggerOf(options)).say("settings", `observability is off: ${read.reason}`);
      return { ok: false, enabled: false, redis: "unchecked", consumer: "unchecked", reason: read.reason };
    }
    return await startPublishing(read.settings, options.verifyConsumer ?? false);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, enabled: sdkState.publisher !== undefined, redis: "unchecked", consumer: "unchecked", reason };
  }
}

/** Sends what is left for at most two seconds and lets go. Never throws; calling it again, or before any start, does nothing. */
export async function closeRedisPublisher(): Promise<void> {
  const { publisher } = sdkState;
  if (publisher !== undefined) {
    sdkState.publisher = undefined;
    sdkState.removeExitHooks?.();
    sdkState.closing = closePublisher(publisher).finally(() => {
      sdkState.closing = undefined;
    });
  }
  await sdkState.closing;
}

async function startPublishing(settings: Settings, verifyConsumer: boolean): Promise<Verification> {
  const publisher = startPublisher(settings, sdkState.metrics, createWarnings(settings.logger));
  sdkState.publisher = publisher;
  installExitHooks(publisher, closeRedisPublisher);
  try {
    return verificationOf(await publisher.probe(VERIFICATION_DEADLINE), settings, verifyConsumer);
  } catch (error) {
    const { reason, message } = classifyFailure(error);
    const redis = reason === "wrong_type" ? "up" : "down";
    return { ok: false, enabled: true, redis, consumer: verifyConsumer ? "unknown" : "unchecked", reason: message };
  }
}

function verificationOf(state: StreamState, { projectId }: Settings, verifyConsumer: boolean): Verification {
  if (!verifyConsumer) {
    return { ok: true, enabled: true, redis: "up", consumer: "unchecked" };
  }
  if (state.consumerAlive === undefined) {
    return { ok: true, enabled: true, redis: "up", consumer: "unknown" };
  }
  if (!state.consumerAlive) {
    return { ok: false, enabled: true, redis: "up", consumer: "down", reason: "no consumer is alive; events wait in the stream" };
  }
  return state.isProjectMissing
    ? { ok: false, enabled: true, redis: "up", consumer: "up", reason: `there is no project ${projectId}; its events are set aside` }
    : { ok: true, enabled: true, redis: "up", consumer: "up" };
}

async function closePublisher(publisher: Publisher): Promise<void> {
  try {
    await publisher.close(CLOSE_DEADLINE);
  } catch {
    countDropped(sdkState.metrics, "closed", 1);
  }
}
