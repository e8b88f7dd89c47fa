import type { ObservationKind, TracePurpose } from "../event/event.ts";
import { safeText } from "../mask/safe-text.ts";
import { kindOf, textOf, TEXTS } from "../settings/text-of.ts";

const MAX_NAME_LENGTH = 500;
const MAX_TAGS = 50;
const KINDS: ReadonlySet<unknown> = new Set<ObservationKind>(["graph", "node", "tool", "llm", "retriever", "span"]);

const PURPOSES: readonly TracePurpose[] = ["live", "experiment", "replay", "playground", "judge"];

type LeftOut = { readonly field: string; readonly got: string; readonly text: string };

/**
 * The fields that describe what one event is about, read one by one: what is not as the schema has it becomes a text or is left out,
 * and the rest stays.
 */
export class GivenFields {
  /** About as many bytes as they hold. */
  size = 0;
  /** What was not kept; undefined when all was. */
  leftOut: LeftOut[] | undefined;
  /** How the application calls what the event is about. */
  title: string | undefined;

  name(value: unknown, otherwise: string): string {
    const given = this.label("name", value) ?? "";
    if (value === undefined || value === null) {
      this.leaveOut("name", value, TEXTS);
    }
    this.title = given === "" ? otherwise : given;
    return this.title;
  }

  /** A text that may be missing. */
  label(field: string, value: unknown, maximum = MAX_NAME_LENGTH): string | undefined {
    if (value === undefined || value === null) {
      return undefined;
    }
    const text = typeof value === "string" ? value : textOf(value);
    if (text === undefined) {
      this.leaveOut(field, value, TEXTS);
      return undefined;
    }
    const safe = safeText(text, maximum);
    this.size += safe.length;
    return safe;
  }

  tags(value: unknown): readonly string[] | undefined {
    if (value === undefined || value === null) {
      return undefined;
    }
    const items = itemsOf(value, MAX_TAGS + 1);
    if (items === undefined || items.length > MAX_TAGS) {
      this.leaveOut("tags", value, `at most ${MAX_TAGS}, each ${TEXTS}`, items === undefined ? "is left out" : "is cut");
    }
    const tags = items?.slice(0, MAX_TAGS).flatMap((item) => this.label("tags", item) ?? []);
    return tags === undefined || tags.length === 0 ? undefined : tags;
  }

  kind(value: unknown): ObservationKind {
    if (isKind(value)) {
      return value;
    }
    if (value !== undefined && value !== null) {
      this.leaveOut("kind", value, `one of ${[...KINDS].join(", ")}`);
    }
    return "span";
  }

  purpose(value: unknown): TracePurpose | undefined {
    const purpose = PURPOSES.find((known) => known === value);
    if (purpose === undefined && value !== undefined && value !== null) {
      this.leaveOut("purpose", value, `one of ${PURPOSES.join(", ")}`);
    }
    return purpose;
  }

  /** What nothing can be recorded without. */
  needed<Fitting>(field: string, value: unknown, fitting: Fitting | undefined, takes: string): Fitting | undefined {
    if (fitting === undefined) {
      this.leaveOut(field, value, takes, "is needed, so nothing is recorded");
    }
    return fitting;
  }

  leaveOut(field: string, value: unknown, takes: string, fate = "is left out"): void {
    const got = kindOf(value);
    (this.leftOut ??= []).push({ field, got, text: `${field} ${fate}: it takes ${takes}, and was given ${got}` });
  }
}

/** The first items of a list, a set or whatever else gives one after the other; a single text is a list of one. */
function itemsOf(value: unknown, maximum: number): readonly unknown[] | undefined {
  if (textOf(value) !== undefined) {
    return [value];
  }
  try {
    return typeof value === "object" && !ArrayBuffer.isView(value) ? firstOf(value as Iterable<unknown>, maximum) : undefined;
  } catch {
    return undefined;
  }
}

function firstOf(items: Iterable<unknown>, maximum: number): readonly unknown[] {
  const first: unknown[] = [];
  for (const item of items) {
    if (first.push(item) >= maximum) {
      break;
    }
  }
  return first;
}

function isKind(value: unknown): value is ObservationKind {
  return KINDS.has(value);
}
