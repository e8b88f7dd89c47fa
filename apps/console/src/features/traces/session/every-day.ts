import type { User } from "@sightline/observability/contract";

type Day = User["days"][number];

const DAY_MS = 86_400_000;

/** From the first day to the last, with those on which nothing was. */
export function everyDay(days: readonly Day[]): readonly Day[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) {
    return [];
  }
  const known = new Map(days.map((day) => [day.day, day]));
  const count = Math.round((Date.parse(last.day) - Date.parse(first.day)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, place) => {
    const day = new Date(Date.parse(first.day) + place * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, traces: 0, failures: 0, input_tokens: null, output_tokens: null, cost: null };
  });
}
