import { type ComparedScore, type GateOutcome, type Verdict } from "@sightline/observability/contract";
import { formatCost, formatCount, formatDuration, formatExactCount } from "#ui/words/format.ts";
import type { Tone } from "#ui/words/status.tsx";

const MINUS = "−";

/** `0.82`, `−3.5`, `1,204`: as many digits as tell something. */
export function formatScore(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1_000 ? formatCount(Math.round(size)) : Number.isInteger(size) ? String(size) : size.toFixed(size < 10 ? 2 : 1);
  return value < 0 && Number(text) !== 0 ? `${MINUS}${text}` : text;
}

/** A value in the unit of its score: what runs took is in dollars, seconds and tokens. */
export function formatValue({ source, name }: Pick<ComparedScore, "source" | "name">, value: number): string {
  if (source !== "run" || name === "tokens") {
    return formatScore(value);
  }
  const text = name === "cost" ? formatCost(Math.abs(value)) : formatDuration(Math.abs(value) * 1_000);
  return value < 0 ? `${MINUS}${text}` : text;
}

/** A difference: never without its sign. */
export function formatDifference(score: Pick<ComparedScore, "source" | "name">, value: number): string {
  const text = formatValue(score, value);
  return text.startsWith(MINUS) || value === 0 || Number(text) === 0 ? text : `+${text}`;
}

export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = { better: "ok", worse: "bad", same: "ok", unclear: "idle", too_few: "idle" };

/** What is known of the difference, as a sentence begins. */
export function verdictInWords(score: ComparedScore): string {
  const { difference, baseline } = score;
  if (difference === null) {
    return baseline === null ? "Nothing to compare with" : "No item has it in both";
  }
  const { margin } = difference;
  return saidOf(difference, score.source !== "run" && margin < 0.01 ? String(margin) : formatValue(score, margin));
}

type Told = Pick<NonNullable<ComparedScore["difference"]>, "verdict" | "items_needed">;

export function saidOf({ verdict, items_needed: needed }: Told, margin: string): string {
  switch (verdict) {
    case "better":
      return "Better";
    case "worse":
      return "Worse";
    case "same":
      return `The same within ±${margin}`;
    case "unclear":
      return needed === null ? "Unclear" : `Unclear: about ${formatExactCount(needed)} items would tell`;
    case "too_few":
      return "Too few differ to tell";
    default:
      return verdict satisfies never;
  }
}

export const GATE: Readonly<Record<GateOutcome, { readonly tone: Tone; readonly label: string }>> = {
  passed: { tone: "ok", label: "The gate passes" },
  worse: { tone: "bad", label: "The gate fails: it got worse" },
  inconclusive: { tone: "warn", label: "The gate passes with a warning: inconclusive" },
  broken: { tone: "bad", label: "The gate fails: the experiment is broken" },
};

/** How far a bar of a difference reaches to each side. Scores up to 1 share a scale; others, and what runs took, have their own. */
export function barScale(score: ComparedScore, scores: readonly ComparedScore[]): number {
  const own = reach(score);
  const isShared = (each: ComparedScore) => each.source !== "run" && reach(each) <= 1;
  return isShared(score) ? Math.max(...scores.filter(isShared).map(reach)) : own;
}

function reach({ difference }: ComparedScore): number {
  return Math.max(difference?.margin ?? 0, Math.abs(difference?.low ?? 0), Math.abs(difference?.high ?? 0));
}
