import { type Price, type PutPriceRequest, putPriceRequestSchema } from "@sightline/observability/contract";
import { toLocalField } from "#ui/time/time-range.ts";

/** What a price is edited as. */
export type PriceText = {
  readonly model: string;
  readonly input: string;
  readonly output: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
  /** Local time as a browser's field has it; empty for this hour. */
  readonly from: string;
};

export const NO_PRICE: PriceText = { model: "", input: "", output: "", cacheRead: "", cacheWrite: "", from: "" };

/** A default counts for all time; a version of one's own begins now. */
export function toPriceText(price: Price): PriceText {
  return {
    model: price.model,
    input: String(price.input),
    output: String(price.output),
    cacheRead: price.cache_read === null ? "" : String(price.cache_read),
    cacheWrite: price.cache_write === null ? "" : String(price.cache_write),
    from: price.source === null ? toLocalField(price.valid_from) : "",
  };
}

export type PriceProblems = Partial<Record<keyof PriceText, string>>;

export function readPrice(text: PriceText): { readonly request: PutPriceRequest; readonly problems: PriceProblems } {
  const from = text.from === "" ? undefined : new Date(text.from);
  const request: PutPriceRequest = {
    model: text.model.trim(),
    input: amountOf(text.input) ?? Number.NaN,
    output: amountOf(text.output) ?? Number.NaN,
    cache_read: amountOf(text.cacheRead),
    cache_write: amountOf(text.cacheWrite),
    ...(from === undefined || Number.isNaN(from.getTime()) ? {} : { valid_from: from.toISOString() }),
  };
  const wrong = new Set(putPriceRequestSchema.safeParse(request).error?.issues.map(({ path }) => path[0]));
  const amount = "Dollars, like 2.50";
  return {
    request,
    problems: {
      ...(wrong.has("model") ? { model: "Name the model as its provider does" } : {}),
      ...(wrong.has("input") ? { input: amount } : {}),
      ...(wrong.has("output") ? { output: amount } : {}),
      ...(wrong.has("cache_read") ? { cacheRead: `${amount}, or nothing` } : {}),
      ...(wrong.has("cache_write") ? { cacheWrite: `${amount}, or nothing` } : {}),
      ...(from !== undefined && Number.isNaN(from.getTime()) ? { from: "A date and time, or nothing for this hour" } : {}),
    },
  };
}

/** A decimal comma is one too. */
function amountOf(text: string): number | null {
  const trimmed = text.trim().replace(",", ".");
  return trimmed === "" ? null : Number(trimmed);
}

/** The project's own of a model hide the default one; of each model the version that counts now is marked. */
export function priceRows(
  prices: readonly Price[],
  { search, ownOnly, now }: { readonly search: string; readonly ownOnly: boolean; readonly now: Date },
): readonly (Price & { readonly counts: boolean })[] {
  const wanted = search.trim().toLowerCase();
  const counting = new Map<string, Price>();
  for (const price of prices) {
    const current = counting.get(price.model);
    if (new Date(price.valid_from) <= now && (current === undefined || isBefore(current, price))) {
      counting.set(price.model, price);
    }
  }
  return prices
    .filter((price) => price.model.includes(wanted) && (!ownOnly || price.source === null))
    .map((price) => ({ ...price, counts: counting.get(price.model) === price }));
}

/** Whether `other` goes before `price`: one's own before a default, then the newer. */
function isBefore(price: Price, other: Price): boolean {
  if ((price.source === null) !== (other.source === null)) {
    return other.source === null;
  }
  return price.valid_from < other.valid_from;
}
