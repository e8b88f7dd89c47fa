import type { NumberUnit } from "@sightline/observability/contract";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Made once: a list that made them for each of its cells would spend a tenth of its time on that.
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const EXACT = new Intl.NumberFormat("en");
const DOLLARS = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });

/** `0.4 ms`, `87 ms`, `1.42 s`, `6.40 s`, `3 min 5 s`, `2 h 10 min`: digits after the point are all there or none, so that columns are even. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) {
    return `${trimmed(milliseconds, 1)} ms`;
  }
  // Rounded before the unit is chosen, so that nothing takes 60 s or 60 min.
  if (Math.round(milliseconds) < SECOND) {
    return `${Math.round(milliseconds)} ms`;
  }
  if (Math.round(milliseconds / 10) * 10 < MINUTE) {
    return `${even(milliseconds / SECOND, 0, 2)} s`;
  }
  if (Math.round(milliseconds / SECOND) * SECOND < HOUR) {
    return twoUnits(milliseconds, MINUTE, "min", SECOND, "s");
  }
  return twoUnits(milliseconds, HOUR, "h", MINUTE, "min");
}

/** A duration on an axis, where its digits need not be even: `3.5 s` beside `7 s`. */
export function asTick(duration: string): string {
  return duration.replace(/(\.\d*?)0+(?= )/u, "$1");
}

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`, then the date. */
export function formatAge(at: Date, now: Date): string {
  const age = now.getTime() - at.getTime();
  if (age < 10 * SECOND) {
    return "just now";
  }
  if (age < MINUTE) {
    return `${Math.floor(age / SECOND)} s ago`;
  }
  if (age < HOUR) {
    return `${Math.floor(age / MINUTE)} min ago`;
  }
  if (age < DAY) {
    return `${Math.floor(age / HOUR)} h ago`;
  }
  if (age < 7 * DAY) {
    return Math.floor(age / DAY) === 1 ? "yesterday" : `${Math.floor(age / DAY)} days ago`;
  }
  return formatDate(at);
}

/** `21 Nov 2026`, as where the reader is. */
export function formatDate(at: Date): string {
  return at.toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** The date and the time to the second. */
export function formatTime(at: Date): string {
  return at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** A time with the name of its time zone, for where UTC stands beside it. */
export function formatTimeAndZone(at: Date): string {
  return at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
}

/** Day and minute, where there is little room. */
export function formatShortTime(at: Date): string {
  return at.toLocaleString(undefined, SHORT_TIME);
}

/** A time at the end of a part of a scale, with seconds where the parts are shorter than a minute. */
export function formatScaleTime(at: Date, partMs: number): string {
  return partMs < 60_000 ? at.toLocaleString(undefined, { ...SHORT_TIME, second: "2-digit" }) : formatShortTime(at);
}

const SHORT_TIME = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;

/** `950`, `12.3K`, `4.1M`. */
export function formatCount(count: number): string {
  return (count < 10_000 ? WHOLE : COMPACT).format(count);
}

/** Every digit of it, where `12.3K` would say too little: `12,345`. */
export function formatExactCount(count: number): string {
  return EXACT.format(count);
}

/** A share of 1: `0%`, `0.4%`, `12%`, `1,004%`. */
export function formatShare(share: number): string {
  const percent = 100 * share;
  return `${percent < 10 ? trimmed(percent, 1) : formatExactCount(Math.round(percent))}%`;
}

/** US dollars: `$0.0007`, `$0.0250`, `$0.46`, `$1,204.50`. */
export function formatCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.0001) {
    return "< $0.0001";
  }
  return dollars < 1 ? `$${even(dollars, 2, 4)}` : DOLLARS.format(dollars);
}

/** A number as its unit is written. */
export function formatNumber(value: number, unit: NumberUnit): string {
  return { duration: formatDuration, money: formatCost, count: formatCount }[unit](value);
}

/** `512 B`, `1.4 kB`, `23 MB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  const unit = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** unit;
  return `${trimmed(value, value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** Begins the text with a capital, unless it begins with the name of a field: `v is "2"`, `body.id: …`. */
export function asSentence(text: string): string {
  return /^[a-z]{2,} /.test(text) ? capitalized(text) : text;
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function plural(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function twoUnits(milliseconds: number, big: number, bigName: string, small: number, smallName: string): string {
  const smallUnits = Math.round(milliseconds / small);
  const perBig = big / small;
  const rest = smallUnits % perBig;
  const whole = `${Math.floor(smallUnits / perBig)} ${bigName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

/** Writes `max` digits after the point, or `min` where the others would be zeros. */
function even(value: number, min: number, max: number): string {
  const short = value.toFixed(min);
  return Number(short) === Number(value.toFixed(max)) ? short : value.toFixed(max);
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
