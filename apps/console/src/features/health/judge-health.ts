import type { Alert } from "@sightline/observability/contract";
import { plural } from "#ui/words/format.ts";
import type { Tone } from "#ui/words/status.tsx";
import type { Reading, Seen } from "./reading.ts";

export type PartId = "identity" | "code-index" | "observability";

type ComponentHealth = {
  readonly id: string;
  readonly name: string;
  readonly tone: Tone;
  readonly label: string;
  /** What is wrong, and what to do about it. */
  readonly notes: readonly string[];
  /** When it was first seen so; only where something is wrong. */
  readonly since?: string;
};

export type Health = { readonly tone: Tone; readonly label: string; readonly components: readonly ComponentHealth[] };

type Words = { readonly name: string; readonly remedy: string };

/** A due job that nobody takes for so long: no indexer seems to run. */
const FORGOTTEN_SECONDS = 60;

export function judgeHealth(part: PartId, reading: Reading, alerts: readonly Alert[] = []): Health {
  const components = reading.map((seen) => componentHealth(part, withAlerts(seen, alerts)));
  const api = reading.find(({ id }) => id === "api");
  if (api?.state === "down") {
    return { tone: "bad", label: "Not answering", components };
  }
  if (components.some(({ tone }) => tone === "bad")) {
    return { tone: "bad", label: "Degraded", components };
  }
  return components.some(({ notes }) => notes.length > 0)
    ? { tone: "warn", label: "Needs attention", components }
    : { tone: "ok", label: "Healthy", components };
}

/** One sentence for whoever doesn't see the cards. */
export function healthInWords(parts: readonly { readonly name: string; readonly health: Health }[]): string {
  const troubled = parts.filter(({ health }) => health.tone !== "ok");
  return troubled.length === 0
    ? "Every part is healthy."
    : troubled.map(({ name, health }) => `${name}: ${health.label.toLowerCase()}.`).join(" ");
}

function componentHealth(part: PartId, seen: Seen): ComponentHealth {
  const { id, error, warnings = [] } = seen;
  const { name, remedy } = WORDS[part][id] ?? { name: id, remedy: "Its log says why." };
  if (id === "queue") {
    return { id, name, ...indexerHealth(seen, remedy) };
  }
  if (seen.state === "down") {
    return { id, name, tone: "bad", label: "Down", since: seen.since, notes: [...(error === undefined ? [] : [error]), remedy] };
  }
  if (seen.state === "unknown") {
    return { id, name, tone: "idle", label: "Unknown", notes: [] };
  }
  return { id, name, tone: warnings.length > 0 ? "warn" : "ok", label: "Up", notes: warnings };
}

/** What fires is told of the component that it is about; the others are components or warnings of their own. */
function withAlerts(seen: Seen, alerts: readonly Alert[]): Seen {
  const firing = alerts.filter(({ name, state }) => state === "firing" && ALERTS[name] === seen.id);
  const warnings = WARNED_OF_ELSEWHERE.has(seen.id) ? [] : (seen.warnings ?? []);
  return { ...seen, warnings: [...warnings, ...firing.map(({ summary }) => summary)] };
}

/** An indexer is known by its work alone: whether one runs while there is nothing to do, nobody can tell. */
function indexerHealth({ state, since, figures }: Seen, remedy: string): Omit<ComponentHealth, "id" | "name"> {
  if (figures === undefined) {
    return { tone: "idle", label: "Unknown", notes: [] };
  }
  const { running = 0, queued = 0, oldest_queued_seconds: waited = 0 } = figures;
  if (running > 0) {
    return { tone: "busy", label: `${plural(running, "job", "jobs")} running`, notes: [] };
  }
  const label = queued > 0 ? `${plural(queued, "job", "jobs")} waiting` : "Idle";
  if (state === "down" || (queued > 0 && waited > FORGOTTEN_SECONDS)) {
    return { tone: "bad", label, since, notes: [remedy] };
  }
  return { tone: queued > 0 ? "busy" : "ok", label, notes: [] };
}

/** Lost events and dead letters are told by project, and only of those that whoever looks may see. */
const WARNED_OF_ELSEWHERE: ReadonlySet<string> = new Set(["consumer"]);

const ALERTS: Readonly<Record<string, string>> = {
  ConsumerLag: "consumer",
  DatabaseConnections: "database",
  BackendCpu: "api",
  BackendMemory: "api",
};

const startRole = (role: string) => `npm run sightline -- start ${role}`;

const apiOf = (role: string): Words => ({
  name: "API",
  remedy: `Its supervisor restarts it; if it stays down, its log says why. To start it by hand: ${startRole(role)}`,
});

const WORDS: Readonly<Record<PartId, Readonly<Record<string, Words>>>> = {
  identity: {
    api: apiOf("identity"),
    database: { name: "PostgreSQL", remedy: "Nobody can log in meanwhile. Check that it runs and that DATABASE_URL leads to it." },
    "signing-key": { name: "Signing key", remedy: "No session can be made or renewed. npm run sightline -- doctor says what to do." },
    audit: {
      name: "Audit",
      remedy:
        "Logins go on, but the audit is not signed. Keep a copy of the database and see: npm run sightline -- audit verify. If you restored a backup yourself: npm run sightline -- audit accept-restore",
    },
  },
  "code-index": {
    api: apiOf("code-index"),
    database: {
      name: "PostgreSQL",
      remedy: "Nothing can be searched meanwhile. Check that it runs and that CODEINDEX_DATABASE_URL leads to it.",
    },
    queue: { name: "Indexer", remedy: `Jobs wait and no indexer takes them. Start one: ${startRole("indexer")}` },
    watchdog: { name: "Watchdog", remedy: `Stuck jobs stay stuck meanwhile. Restart the API: ${startRole("code-index")}` },
  },
  observability: {
    api: apiOf("observability"),
    database: { name: "PostgreSQL", remedy: "Events wait on the stream meanwhile. Check that it runs and that DATABASE_URL leads to it." },
    redis: {
      name: "Redis",
      remedy: "Agents go on, but their events don't arrive. Check that it runs and that OBSERVABILITY_REDIS_URL leads to it.",
    },
    consumer: { name: "Consumer", remedy: `Events wait on the stream until one runs. Start one: ${startRole("consumer")}` },
  },
};
