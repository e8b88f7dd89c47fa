import type { Database } from "@sightline/foundation/database/database";
import type { IdentityConfig } from "#config.ts";
import { SHOWN_ONCE, splitAnswer } from "./allowed-showings.ts";
import { collectSecrets, type KnownSecret } from "./known-secrets.ts";
import type { Recording } from "./recording.ts";
import { readStoredTexts, type StoredText } from "./stored-texts.ts";

type Scanned = {
  readonly recording: Recording;
  readonly pool: Database<unknown>["pool"];
  readonly configs: readonly IdentityConfig[];
  readonly passwords: readonly string[];
};

/** A place where no secret may stand. */
type ScannedText = { readonly name: string; readonly text: string; readonly column?: string };

const SIX_DIGITS = /^\d{6}$/;

/**
 * Looks for every secret that a test made, sent, was shown or stored in everything it produced: log lines, all columns of
 * all tables, and all answers apart from the fields that exist to show one, once.
 *
 * @throws {Error} naming the kind of each secret found and the place, never the secret.
 */
export async function assertNothingLeaked({ recording, pool, configs, passwords }: Scanned): Promise<void> {
  const { exchanges, lines } = recording;
  const stored = await readStoredTexts(pool);
  const secrets = collectSecrets({ exchanges, stored, configs, passwords });
  const answers = exchanges.map((exchange) => ({ name: `the answer of ${exchange.route}`, text: splitAnswer(exchange).rest }));
  const places: readonly ScannedText[] = [...answers, ...lines.map(loggedPlace), ...stored.map(storedPlace)];
  // Most tests leak nothing: one look through all of it tells.
  const all = places.map(({ text }) => text).join("\n");
  const suspects = secrets.filter(({ value, column }) => column !== undefined || all.includes(value));
  const leaks = places.flatMap((place) => suspects.filter((secret) => stands(secret, place)).map(({ kind }) => `${kind} in ${place.name}`));
  const found = [...new Set([...leaks, ...shownAgain(recording), ...keyMaterial(all)])];
  if (found.length > 0) {
    throw new Error(`Secrets have leaked:\n${found.join("\n")}`);
  }
}

function stands({ value, column }: KnownSecret, place: ScannedText): boolean {
  if (!place.text.includes(value) || (column !== undefined && column === place.column)) {
    return false;
  }
  return !SIX_DIGITS.test(value) || isWord(value, place);
}

/** Six digits stand inside of many numbers; as a word of their own, in a line or a row, they are the code. */
function isWord(code: string, { name, text }: ScannedText): boolean {
  return !name.startsWith("the answer") && new RegExp(`(?<![\\w.:-])${code}(?![\\w.:-])`).test(text);
}

function loggedPlace(line: string): ScannedText {
  const { pid: _pid, time: _time, ...logged }: { pid?: unknown; time?: unknown; msg?: unknown } = JSON.parse(line);
  return { name: `the log line "${String(logged.msg)}"`, text: JSON.stringify(logged) };
}

function storedPlace({ table, column, value }: StoredText): ScannedText {
  return { name: `identity.${table}.${column}`, text: value, column };
}

function shownAgain({ exchanges }: Recording): readonly string[] {
  const before = new Set<string>();
  return exchanges.flatMap((exchange) => {
    const shown = splitAnswer(exchange).shown.filter(({ kind }) => SHOWN_ONCE.has(kind));
    const again = shown.filter(({ value }) => before.has(value));
    shown.forEach(({ value }) => before.add(value));
    return again.map(({ kind }) => `${kind} a second time in the answer of ${exchange.route}`);
  });
}

function keyMaterial(all: string): readonly string[] {
  return /PRIVATE KEY|"d":"[\w-]{300,}/.test(all) ? ["a private key somewhere"] : [];
}
