import { warn } from "../client/sdk-state.ts";
import { askPlatform, findKept, keepKnown, keyOfPrompt, readTemplate, type WantedPrompt, wantedPrompt } from "./known-prompt.ts";
import { createPrompt, type KnownPrompt, type Prompt, type PromptTemplate } from "./prompt.ts";

export type PromptOptions<Template extends PromptTemplate = string> = {
  /** Default `production`; `latest` is the newest version. */
  readonly label?: string | undefined;
  /** In place of a label. */
  readonly version?: number | undefined;
  readonly fallback?: Template | undefined;
  /** Seconds; default 2. */
  readonly timeout?: number | undefined;
  /** Seconds; default 60. */
  readonly maxAge?: number | undefined;
};

/** Milliseconds for which a failure is remembered. */
const RETRY_AFTER = 10_000;
/** Prompts in memory. */
const MAX_KEPT = 1_000;

/** What is known of one prompt in this process. */
type Entry = {
  known: KnownPrompt | undefined;
  /** The last known one, read from disk. */
  kept: KnownPrompt | undefined;
  source: "cache" | "disk";
  /** When the platform said it. */
  saidAt: number;
  /** Not asked again before. */
  nextAt: number;
  isAsking: boolean;
  /** Ends with the first try, or when nobody waits for it any more; and never fails. */
  answered: Promise<void> | undefined;
};

const entries = new Map<string, Entry>();

/**
 * The version of a prompt that a label means, or the one that is asked for. Never throws, and waits for the platform `timeout` seconds at the
 * most, the first time only: from then on the answer comes from memory, and is refreshed in the background once it is older than `maxAge`
 * seconds. While the platform is away it is what was last known in this process or on this machine, else `fallback`; `source` and
 * `isStale` say which. A prompt of messages: `getPrompt<PromptMessage[]>("chat")`.
 *
 * @example
 * (await getPrompt("support/greeting")).compile({ name: "Ada" });
 */
export async function getPrompt<Template extends PromptTemplate = string>(
  name: string,
  options: PromptOptions<Template> = {},
): Promise<Prompt<Template>> {
  try {
    const { label = "production", version, timeout = 2, maxAge = 60 } = options;
    const wanted = wantedPrompt(name, label, version);
    const entry = await readEntry(wanted, Math.max(0, timeout * 1_000 || 0), maxAge * 1_000);
    if (entry.known !== undefined) {
      // A version never changes; of what is on disk nobody knows when it was said.
      const isStale = version === undefined && performance.now() - entry.saidAt > maxAge * 1_000;
      const meant = version === undefined ? label : undefined;
      return createPrompt({ name, label: meant, source: entry.source, isStale, ...entry.known });
    }
  } catch {
    warn("prompt", "getPrompt() was given what it can't read");
  }
  return withoutPlatform(name, options);
}

function withoutPlatform<Template extends PromptTemplate>(name: unknown, options: unknown): Prompt<Template> {
  const { label = "production", version, fallback }: { label?: unknown; version?: unknown; fallback?: unknown } = Object(options);
  const template = readTemplate(fallback);
  const meant = version === undefined ? String(label) : undefined;
  const facts = { name: String(name), version: undefined, label: meant, isStale: true };
  return createPrompt({ ...facts, source: template === undefined ? "none" : "fallback", ...(template === undefined ? {} : { template }) });
}

async function readEntry(wanted: WantedPrompt, timeout: number, maxAge: number): Promise<Entry> {
  const key = keyOfPrompt(wanted);
  const entry = entries.get(key) ?? createEntry(key);
  if (performance.now() >= entry.nextAt && !entry.isAsking) {
    entry.isAsking = true;
    const asking = ask(entry, wanted, maxAge);
    entry.answered ??= asking;
  }
  if (entry.answered !== undefined && entry.known === undefined) {
    await within(timeout, entry.answered);
    // Nobody else waits for what has taken so long.
    entry.answered = Promise.resolve();
    entry.known ??= entry.kept;
  }
  return entry;
}

function createEntry(key: string): Entry {
  const [oldest] = entries.size < MAX_KEPT ? [] : entries.keys();
  entries.delete(oldest ?? "");
  const times = { saidAt: -Infinity, nextAt: -Infinity };
  const entry: Entry = { known: undefined, kept: undefined, source: "disk", ...times, isAsking: false, answered: undefined };
  entries.set(key, entry);
  return entry;
}

async function ask(entry: Entry, wanted: WantedPrompt, maxAge: number): Promise<void> {
  // Read meanwhile, as a disk may be slow, too.
  const lookingUp = entry.known === undefined ? findKept(wanted).then((kept) => (entry.kept = kept)) : undefined;
  try {
    const known = await askPlatform(wanted);
    const saidAt = performance.now();
    // A version never changes.
    Object.assign(entry, { known, source: "cache", saidAt, nextAt: wanted.version === undefined ? saidAt + maxAge : Infinity });
    keepKnown(wanted, known).catch((error: unknown) => tell(wanted, "kept on disk", error));
  } catch (error) {
    entry.nextAt = performance.now() + RETRY_AFTER;
    entry.known ??= await lookingUp;
    tell(wanted, "fetched", error);
  } finally {
    entry.isAsking = false;
  }
}

function tell({ name }: WantedPrompt, what: string, error: unknown): void {
  const reason = error instanceof Error ? error.message.slice(0, 300) : "it failed";
  warn(`prompt ${name}`, `the prompt "${name}" could not be ${what}: ${reason}`);
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
