import type { Attributes, Reasoning, StackTrace, ToolEntry, Usage } from "../event/event.ts";
import { GivenFields } from "./given-fields.ts";
import { type PayloadField, WITHHELD } from "../mask/masking.ts";
import { whenAnswered } from "./later-answer.ts";
import { quietly } from "./loose-values.ts";
import { boundReasoning } from "./reasoning.ts";
import type { Settings } from "../settings/settings.ts";
import { safeText } from "../mask/safe-text.ts";
import { isToldBelow, readStack } from "./stack-trace.ts";
import { type Limits, measureSnapshot, PAYLOAD_LIMITS } from "./snapshot.ts";

const MAX_ERROR_LENGTH = 8192;
/** Of an error behind the one that was thrown. */
const MAX_MESSAGE_LENGTH = 500;
const MARKED: ReadonlySet<PayloadField> = new Set(["input", "output", "error"]);
const SMALL: Limits = { ...PAYLOAD_LIMITS, depth: 8, text: 8192, size: 32_768 };

/** The copies one event is made of, bounded and masked, and how much they hold together. */
export class PayloadCopies extends GivenFields {
  readonly #settings: Settings;
  /** What the application's mask changed, as attributes say it: a replay can't answer by that. */
  readonly #marks: Record<string, true> = {};

  constructor(settings: Settings) {
    super();
    this.#settings = settings;
  }

  payload(value: unknown, field: PayloadField, limits: Limits = PAYLOAD_LIMITS): unknown {
    const bounded = this.#copy(value, limits);
    if (value === undefined || this.#settings.mask === undefined) {
      return bounded;
    }
    // The mask may change the very copy that it gets.
    const before = JSON.stringify(bounded);
    const masked = this.#mask(bounded, field, limits);
    if (JSON.stringify(masked) !== before && MARKED.has(field)) {
      this.#marks[`masked_${field}`] = true;
    }
    return masked;
  }

  /** Attributes, and metadata as one of them. */
  attributes(values: unknown, metadata?: unknown): Attributes | undefined {
    const own = this.#entries(values, SMALL);
    const noted = this.#entries(metadata, SMALL);
    const entries = noted === undefined ? own : { ...own, metadata: noted };
    const bounded = entries === undefined ? undefined : this.#masked(entries, "attributes", SMALL);
    const marked = { ...(isRecord(bounded) ? bounded : {}), ...this.#marks };
    return Object.keys(marked).length > 0 ? marked : undefined;
  }

  errorText(error: unknown): string | undefined {
    return error === undefined ? undefined : this.text(errorMessage(error), MAX_ERROR_LENGTH, "error");
  }

  /** From where a failure of a step came; undefined where that can't be read, and where a step right below tells it. */
  stack(error: unknown, step: string, around: string): StackTrace | undefined {
    if (isToldBelow(error, step, around)) {
      return undefined;
    }
    const read = quietly(() => readStack(error, (behind) => this.text(messageAlone(behind), MAX_MESSAGE_LENGTH, "error")));
    this.size += read?.length ?? 0;
    return read?.stack;
  }

  text(text: string, maximum: number, field: PayloadField): string {
    const bounded = this.payload(safeText(text, maximum), field, SMALL);
    return typeof bounded === "string" ? bounded : WITHHELD;
  }

  usage(measured: Usage | undefined): Usage | undefined {
    if (measured === undefined) {
      return undefined;
    }
    const { raw, ...counts } = measured;
    const boundedRaw = this.payload(raw, "usage", SMALL);
    return { ...counts, ...(isRecord(boundedRaw) ? { raw: boundedRaw } : {}) };
  }

  reasoning(text: string | undefined): Reasoning | undefined {
    const { captureReasoning, mask, reasoningMaxLength } = this.#settings;
    if (text === undefined || !captureReasoning) {
      return undefined;
    }
    const masked =
      mask === undefined ? text : this.#mask(text, "reasoning", { ...PAYLOAD_LIMITS, text: text.length, size: text.length + 8 });
    const bounded = boundReasoning(typeof masked === "string" ? masked : WITHHELD, reasoningMaxLength);
    this.size += bounded.text.length;
    return bounded;
  }

  toolEntry(tool: ToolEntry | undefined): ToolEntry | undefined {
    if (tool === undefined) {
      return undefined;
    }
    const parameters = this.#masked(this.#entries(tool.parameters, PAYLOAD_LIMITS) ?? {}, "parameters", PAYLOAD_LIMITS);
    return {
      tool_name: this.name(tool.tool_name, "tool"),
      parameters: isRecord(parameters) ? parameters : { withheld: parameters },
      result: this.payload(tool.result, "result") ?? null,
      timestamp: tool.timestamp,
      status: tool.status,
    };
  }

  /** A list or a single value stands under `value`, so that it is found by a key like any other. */
  #entries(value: unknown, limits: Limits): Record<string, unknown> | undefined {
    if (value === undefined || value === null) {
      return undefined;
    }
    const copied = this.#copy(value, limits);
    return isRecord(copied) ? copied : { value: copied };
  }

  #masked(bounded: unknown, field: PayloadField, limits: Limits): unknown {
    return this.#settings.mask === undefined ? bounded : this.#mask(bounded, field, limits);
  }

  /** Fails closed: what the application's function could not mask does not leave. */
  #mask(bounded: unknown, field: PayloadField, limits: Limits): unknown {
    try {
      const masked: unknown = this.#settings.mask?.(bounded, field);
      if (whenAnswered(masked, ignore, ignore)) {
        return WITHHELD;
      }
      return this.#copy(masked, limits) ?? null;
    } catch {
      return WITHHELD;
    }
  }

  #copy(value: unknown, limits: Limits): unknown {
    const { captureReasoning, reasoningMaxLength } = this.#settings;
    const copied = measureSnapshot(value, { capture: captureReasoning, maximum: reasoningMaxLength }, limits);
    this.size += copied.size;
    return copied.value;
  }
}

function ignore(): void {
  // A mask that answers later is of no use, and its failure must not end the process.
}

/** Whatever is thrown may throw when it is read; that it failed must be recorded all the same. */
function errorMessage(error: unknown): string {
  try {
    return error instanceof Error ? `${shortText(error.name)}: ${shortText(error.message)}` : messageAlone(error);
  } catch {
    return "[unreadable]";
  }
}

function messageAlone(error: unknown): string {
  return shortText(typeof error === "object" && error !== null && "message" in error ? error.message : error);
}

/** Writing a list out takes as long as it is long, so that only its beginning is. */
function shortText(value: unknown): string {
  const isLong = typeof value === "bigint" || (typeof value === "object" && value !== null && Symbol.iterator in value);
  const text = isLong ? JSON.stringify(measureSnapshot(value, { capture: false, maximum: 0 }, SMALL).value) : String(value);
  return text.slice(0, MAX_ERROR_LENGTH);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
