import { SegmentedControl } from "@mantine/core";
import type { User } from "@sightline/observability/contract";
import { useState } from "react";
import { formatCost, formatExactCount } from "#ui/words/format.ts";
import { everyDay } from "./every-day.ts";
import classes from "./day-bars.module.css";

const MEASURES = {
  traces: { label: "Traces", format: formatExactCount },
  failures: { label: "Failed", format: formatExactCount },
  cost: { label: "Cost", format: formatCost },
} as const;
type Measure = keyof typeof MEASURES;

/** The days of a user as bars, one for each, also where there was nothing. */
export function DayBars({ days }: { readonly days: User["days"] }) {
  const [measure, setMeasure] = useState<Measure>("traces");
  const { label, format } = MEASURES[measure];
  const all = everyDay(days);
  const max = Math.max(...all.map((day) => day[measure] ?? 0));
  const [first, last] = [all[0], all.at(-1)];
  return (
    <>
      <SegmentedControl
        aria-label="What the bars show"
        value={measure}
        onChange={(value) => setMeasure(value as Measure)}
        data={Object.entries(MEASURES).map(([value, words]) => ({ value, label: words.label }))}
      />
      <ol className={classes.bars} aria-label={`${label} by day`}>
        {all.map((day) => {
          const value = day[measure] ?? 0;
          const words = `${dayInWords(day.day)}: ${format(value)}`;
          return (
            <li key={day.day} className={classes.slot} title={words} aria-label={words}>
              {value > 0 && (
                <span className={classes.bar} data-measure={measure} style={{ height: `max(3px, ${(value / max) * 100}%)` }}>
                  {measure === "traces" && day.failures > 0 && (
                    <span className={classes.failed} style={{ height: `${(day.failures / day.traces) * 100}%` }} />
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      <div className={classes.ends} aria-hidden="true">
        <span>{first === undefined ? "" : dayInWords(first.day)}</span>
        <span>Highest: {format(max)}</span>
        <span>{last === undefined ? "" : dayInWords(last.day)}</span>
      </div>
    </>
  );
}

/** A day of UTC is the same day wherever it is read. */
function dayInWords(day: string): string {
  return new Date(day).toLocaleDateString(undefined, { dateStyle: "medium", timeZone: "UTC" });
}
