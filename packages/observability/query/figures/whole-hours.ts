import { refusal } from "@sightline/foundation/errors";

const HOUR_MS = 3_600_000;
/** The range of years that ISO 8601 writes with four digits. */
const [FIRST_TIME, LAST_TIME] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59Z")];
export const STEPS = { hour: { hours: 1, daysMax: 31 }, day: { hours: 24, daysMax: 732 } } as const;

type HoursQuery = { readonly from?: string | undefined; readonly to?: string | undefined; readonly step: keyof typeof STEPS };

/**
 * The whole hours of a time, the last 24 hours unless told otherwise.
 *
 * @throws {AppError} 400 `invalid_request`.
 */
export function toWholeHours(query: HoursQuery, now: Date): { readonly from: Date; readonly to: Date } {
  const { daysMax } = STEPS[query.step];
  const end = query.to === undefined ? now : new Date(query.to);
  const to = new Date(Math.ceil(end.getTime() / HOUR_MS) * HOUR_MS);
  const start = query.from === undefined ? to.getTime() - 24 * HOUR_MS : Date.parse(query.from);
  const from = new Date(Math.floor(start / HOUR_MS) * HOUR_MS);
  const days = (to.getTime() - from.getTime()) / (24 * HOUR_MS);
  if (!(days > 0 && days <= daysMax) || from.getTime() < FIRST_TIME || to.getTime() > LAST_TIME) {
    throw refusal(400, "invalid_request", `from must be before to, by ${daysMax} days at the most for this step.`, {
      details: [{ path: "from", message: `is not within ${daysMax} days before to` }],
    });
  }
  return { from, to };
}
