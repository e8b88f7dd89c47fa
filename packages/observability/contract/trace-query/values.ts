import type { TraceFieldType } from "./fields.ts";

/** From `min` to `max`; what is missing has no bound. */
export type NumberRange = {
  readonly min?: number;
  readonly max?: number;
  /** Whether the bounds themselves are meant, too. */
  readonly withMin: boolean;
  readonly withMax: boolean;
};

/** A range of moments as they are written: a day, a minute or a second (UTC), or so long ago. */
export type TimeRange = {
  readonly min?: string;
  readonly max?: string;
  readonly withMin: boolean;
  readonly withMax: boolean;
};

export type Read<Value> = { readonly value: Value } | { readonly message: string };

type Bounds = { readonly min?: string; readonly max?: string; readonly withMin: boolean; readonly withMax: boolean };

const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  duration: { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 },
  count: { k: 1_000, m: 1_000_000 },
  money: {},
};
const NUMBER = /^(-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)([a-z]*)$/i;
const MAX_VALUE = 1e15;
const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?Z?)?$/;
const AGO = /^-(\d{1,6})(m|min|h|d|w)$/;
/** The year 1: no trace is older, and databases know no time before all others. */
const FIRST_MS = -62_135_596_800_000;
const AGO_MS: Readonly<Record<string, number>> = { m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `>5s`, `5s..1m`, `5s..`, `5`; in milliseconds, dollars or pieces. */
export function readNumberRange(text: string, type: TraceFieldType): Read<NumberRange> {
  const { min, max, ...rest } = boundsOf(text);
  const [low, high] = [min === undefined ? undefined : readNumber(min, type), max === undefined ? undefined : readNumber(max, type)];
  if ((low === undefined && high === undefined) || Number.isNaN(low) || Number.isNaN(high)) {
    return { message: NUMBER_HINTS[type] ?? "Write a number." };
  }
  if (low !== undefined && high !== undefined && low > high) {
    return { message: "The range is empty: write the lower bound first." };
  }
  return { value: { ...(low === undefined ? {} : { min: low }), ...(high === undefined ? {} : { max: high }), ...rest } };
}

const NUMBER_HINTS: Partial<Record<TraceFieldType, string>> = {
  duration: "Write a duration with its unit: >500ms, <5s, 1m..2h.",
  money: "Write an amount in US dollars: >0.10, 0.5..2.",
  count: "Write a number: >100, 10k, 5..20.",
};

/** `>2026-11-21`, `2026-11-21T10:00..2026-11-21T11:00`, `>-24h`, `2026-11-21`. */
export function readTimeRange(text: string): Read<TimeRange> {
  const bounds = boundsOf(text);
  const points = [bounds.min, bounds.max].filter((point) => point !== undefined);
  if (points.length === 0 || !points.every(isMoment)) {
    return { message: "Write a day (2026-11-21), a time in UTC (2026-11-21T10:00), or so long ago: >-24h, -7d..-1d." };
  }
  return { value: bounds };
}

/** The moments a range reaches from and to, the end itself not meant; in milliseconds since 1970. */
export function toMoments(range: TimeRange, now: number): { readonly from?: number; readonly to?: number } {
  const [min, max] = [range.min, range.max].map((point) => (point === undefined ? undefined : spanOf(point, now)));
  return {
    ...(min === undefined ? {} : { from: range.withMin ? min.from : min.to }),
    ...(max === undefined ? {} : { to: range.withMax ? max.to : max.from }),
  };
}

export function formatNumberRange(range: NumberRange, type: TraceFieldType): string {
  const unit = type === "duration" ? "ms" : "";
  const of = (value: number | undefined) => (value === undefined ? undefined : `${value}${unit}`);
  return formatBounds({ ...range, min: of(range.min), max: of(range.max) });
}

export function formatTimeRange(range: TimeRange): string {
  return formatBounds(range);
}

function boundsOf(text: string): Bounds {
  const [, sign, rest = ""] = /^(>=|<=|>|<)(.*)$/.exec(text) ?? [];
  if (sign !== undefined) {
    const isWith = sign.length === 2;
    return sign.startsWith(">") ? { min: rest, withMin: isWith, withMax: false } : { max: rest, withMin: false, withMax: isWith };
  }
  const middle = text.indexOf("..");
  if (middle === -1) {
    return { min: text, max: text, withMin: true, withMax: true };
  }
  const [min, max] = [text.slice(0, middle), text.slice(middle + 2)];
  return { ...(min === "" ? {} : { min }), ...(max === "" ? {} : { max }), withMin: min !== "", withMax: max !== "" };
}

function formatBounds({ min, max, withMin, withMax }: { readonly [Key in keyof Bounds]: Bounds[Key] | undefined }): string {
  if (min === undefined) {
    return `${withMax === true ? "<=" : "<"}${max ?? ""}`;
  }
  if (max === undefined) {
    return `${withMin === true ? ">=" : ">"}${min}`;
  }
  return min === max ? min : `${min}..${max}`;
}

function readNumber(text: string, type: TraceFieldType): number {
  const [, digits, unit = ""] = NUMBER.exec(type === "money" ? text.replace("$", "") : text) ?? [];
  if (digits === undefined) {
    return Number.NaN;
  }
  const isBare = unit === "" && (type !== "duration" || Number(digits) === 0);
  const factor = isBare ? 1 : (UNITS[type]?.[unit.toLowerCase()] ?? Number.NaN);
  // Rounded, since 1.1 thousands are not 1100.0000000000002; and without a zero below zero.
  const value = Number((Number(digits) * factor).toPrecision(15)) + 0;
  return Math.abs(value) <= MAX_VALUE ? value : Number.NaN;
}

function isMoment(text: string): boolean {
  return AGO.test(text) || (MOMENT.test(text) && !Number.isNaN(spanOf(text, 0).from));
}

/** The span that a moment covers: a day, a minute, a second. */
function spanOf(text: string, now: number): { readonly from: number; readonly to: number } {
  const [, count, unit = ""] = AGO.exec(text) ?? [];
  if (count !== undefined) {
    const at = Math.max(now - Number(count) * (AGO_MS[unit] ?? 0), FIRST_MS);
    return { from: at, to: at };
  }
  const [, day = "", minute, second] = MOMENT.exec(text) ?? [];
  const from = Date.parse(`${day}T${minute ?? "00:00"}${second ?? ":00"}Z`);
  return { from, to: from + lengthOf(minute, second) };
}

function lengthOf(minute: string | undefined, second: string | undefined): number {
  if (minute === undefined) {
    return 86_400_000;
  }
  if (second === undefined) {
    return 60_000;
  }
  return second.includes(".") ? 1 : 1_000;
}
