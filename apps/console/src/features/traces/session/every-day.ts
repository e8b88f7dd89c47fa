import type { User } from "@sightline/observability/contract";

type Day = User["days"][number];

const DAY_MS = 86_400_000;

const DAYS = 30;

/** The 30 days up to the last one, with those on which nothing was. */
export function everyDay(days: readonly Day[]): readonly Day[] {
  const last = days.at(-1);
  if (last === undefined) {
    return [];
  }
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: DAYS }, (_, place) => {
    const day = new Date(Date.parse(last.day) - (DAYS - 1 - place) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, traces: 0, failures: 0, input_tokens: null, output_tokens: null, cost: null };
  });
}
