import { homedir } from "node:os";
import { join } from "node:path";
import type { MaskFunction } from "../mask/masking.ts";
import { isRedisUrl } from "./redis-addresses.ts";
import { kindOf, numberOf, textOf } from "./text-of.ts";

/** Where warnings go. The SDK says each reason at most once a minute. */
export type Logger = { warn(message: string): void };

export type PublisherOptions = {
  /** Default `OBS_ENABLED`, else true. */
  readonly enabled?: boolean;
  /** `redis://` or `rediss://`; of a Redis Cluster any node, or several separated by commas. Default `OBS_REDIS_URL`. */
  readonly redisUrl?: string;
  /** The project's UUID, as the console shows it. Default `OBS_PROJECT_ID`. */
  readonly projectId?: string;
  /** Default `OBS_STREAM_NAME`, else `observability:events`. */
  readonly streamName?: string;
  /** Entries the stream keeps; Redis trims older ones. Default 100000. */
  readonly maxStreamLength?: number;
  /** Also look whether a consumer is alive. Default false. */
  readonly verifyConsumer?: boolean;
  /** Default `OBS_CAPTURE_REASONING`, else true. */
  readonly captureReasoning?: boolean;
  /** Unicode code points. Default `OBS_REASONING_MAX_LENGTH`, else 50000. */
  readonly reasoningMaxLength?: number;
  /** Address of the console, by which a process in a terminal says where its first trace is. Default `OBS_CONSOLE_URL`. */
  readonly consoleUrl?: string;
  /** Runs on a bounded copy of every payload before it leaves the process. */
  readonly mask?: MaskFunction;
  /** Default `console.warn`. */
  readonly logger?: Logger;
  /** Bytes of events held while Redis is away; then the oldest are dropped and counted. Default 32 MiB. */
  readonly maxBufferBytes?: number;
  /** Events held while Redis is away. Default 50000. */
  readonly maxBufferEvents?: number;
};

export type Settings = Required<Omit<PublisherOptions, "enabled" | "verifyConsumer" | "mask">> & {
  readonly mask: MaskFunction | undefined;
};

export type ReadSettings =
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "disabled" }
  | { readonly kind: "invalid"; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRUE = new Set(["true", "1", "yes", "on"]);
const FALSE = new Set(["false", "0", "no", "off"]);

// oxlint-disable-next-line node/no-process-env -- The SDK runs in other people's processes and is set up by their environment.
export const processEnvironment: Environment = process.env;

// oxlint-disable-next-line no-console -- The application's console is the only place an SDK can speak by default.
const consoleLogger: Logger = { warn: (message) => console.warn(message) };

/** Options win over the `OBS_*` variables, those over the defaults. All that is wrong is named at once. */
export function readSettings(options: PublisherOptions, environment: Environment = processEnvironment): ReadSettings {
  const problems: string[] = [];
  const enabled = givenFlag("enabled", options.enabled, problems) ?? readFlag(environment, "OBS_ENABLED", true, problems);
  if (!enabled) {
    return { kind: "disabled" };
  }
  const redisUrl = givenText("redisUrl", options.redisUrl, problems) ?? environment["OBS_REDIS_URL"] ?? "";
  const projectId = givenText("projectId", options.projectId, problems) ?? environment["OBS_PROJECT_ID"] ?? "";
  if (!isRedisUrl(redisUrl)) {
    problems.push(`${redisUrl === "" ? "no" : "malformed"} Redis URL (redisUrl or OBS_REDIS_URL; redis:// or rediss://)`);
  }
  if (!UUID.test(projectId)) {
    problems.push(`${projectId === "" ? "no" : "malformed"} project id (projectId or OBS_PROJECT_ID; a UUID)`);
  }
  const settings: Settings = {
    redisUrl,
    projectId: projectId.toLowerCase(),
    streamName: givenText("streamName", options.streamName, problems) ?? (environment["OBS_STREAM_NAME"] || "observability:events"),
    maxStreamLength: checkCount("maxStreamLength", options.maxStreamLength ?? 100_000, problems),
    captureReasoning:
      givenFlag("captureReasoning", options.captureReasoning, problems) ?? readFlag(environment, "OBS_CAPTURE_REASONING", true, problems),
    reasoningMaxLength: checkCount(
      "reasoningMaxLength (OBS_REASONING_MAX_LENGTH)",
      options.reasoningMaxLength ?? (environment["OBS_REASONING_MAX_LENGTH"] || 50_000),
      problems,
    ),
    consoleUrl: givenText("consoleUrl", options.consoleUrl, problems) ?? environment["OBS_CONSOLE_URL"] ?? "",
    mask: options.mask ?? undefined,
    logger: options.logger ?? consoleLogger,
    maxBufferBytes: checkCount("maxBufferBytes", options.maxBufferBytes ?? 32 * 1024 * 1024, problems),
    maxBufferEvents: checkCount("maxBufferEvents", options.maxBufferEvents ?? 50_000, problems),
  };
  return problems.length > 0 ? { kind: "invalid", reason: problems.join("; ") } : { kind: "settings", settings };
}

/** Whether the environment switches the SDK off, which then does not even attach to graphs. */
export function isSwitchedOff(): boolean {
  return FALSE.has((processEnvironment["OBS_ENABLED"] ?? "").toLowerCase());
}

/** What `OBS_ENVIRONMENT` and `OBS_RELEASE` say about where the application runs. */
export function deploymentOfProcess(): { readonly environment: string | undefined; readonly release: string | undefined } {
  return { environment: processEnvironment["OBS_ENVIRONMENT"] || undefined, release: processEnvironment["OBS_RELEASE"] || undefined };
}

/** Whether somebody watches this process as it runs: neither a CI nor a test, and its errors go to a terminal. */
export function isWatched(): boolean {
  return process.stderr.isTTY && !processEnvironment["CI"] && processEnvironment["NODE_ENV"] !== "test";
}

/** Where this user's processes keep what a later one is to know. */
export function cacheFolder(): string {
  return join(processEnvironment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "sightline-sdk");
}

/** What `OBS_REPO` and `OBS_COMMIT` say about the application's code. */
export function readCodeOrigin(): { readonly repo: string | undefined; readonly commit: string | undefined } {
  return { repo: processEnvironment["OBS_REPO"] || undefined, commit: processEnvironment["OBS_COMMIT"] || undefined };
}

/** What a process of the SDK's own needs to reach Redis: none of the options by which the application has other code loaded first. */
export function environmentOfHelper(): Environment {
  const { SystemRoot: system, NODE_EXTRA_CA_CERTS: certificates } = processEnvironment;
  return {
    ...(system === undefined ? {} : { SystemRoot: system }),
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

export function loggerOf(options: PublisherOptions): Logger {
  return options.logger ?? consoleLogger;
}

function readFlag(environment: Environment, name: string, fallback: boolean, problems: string[]): boolean {
  return flagOf(name, environment[name] ?? "", problems) ?? fallback;
}

/** An option may come from a file or a variable as a text, of which `"false"` means what it says. */
function givenFlag(name: string, given: unknown, problems: string[]): boolean | undefined {
  return flagOf(name, givenText(name, given, problems) ?? "", problems);
}

function flagOf(name: string, given: string, problems: string[]): boolean | undefined {
  const text = given.trim().toLowerCase();
  if (text === "" || TRUE.has(text)) {
    return text === "" ? undefined : true;
  }
  if (!FALSE.has(text)) {
    problems.push(`${name} must be true or false`);
    return undefined;
  }
  return false;
}

function givenText(name: string, given: unknown, problems: string[]): string | undefined {
  const text = textOf(given);
  if (text === undefined && given !== undefined && given !== null) {
    problems.push(`${name} must be a text, not ${kindOf(given)}`);
  }
  return text;
}

function checkCount(name: string, given: unknown, problems: string[]): number {
  const count = numberOf(given) ?? 0;
  if (!Number.isInteger(count) || count < 1) {
    problems.push(`${name} must be a whole number above 0`);
  }
  return count;
}
