import { NativeSelect, Text, TextInput } from "@mantine/core";
import { SCORE_ALERT_DEFAULTS, alertFilterSchema, type AlertFilter } from "@sightline/observability/contract";
import { typedInto } from "#ui/kit/typed-into.ts";
import { windowInWords } from "#features/alerts/rule-words.ts";
import classes from "./alerts.module.css";

type ScoreFieldsProps = { readonly filter: AlertFilter; readonly onChange: (filter: AlertFilter) => void };

const SOURCES = [
  { value: "application", label: "the application" },
  { value: "person", label: "people" },
  { value: "judge", label: "judges" },
  { value: "check", label: "checks" },
];
const BASELINES = [60, 1_440, 10_080, 43_200];

/** The score that an alert watches, and whose. */
export function ScoreFields({ filter, onChange }: ScoreFieldsProps) {
  return (
    <>
      <TextInput
        aria-label="Name of the score"
        placeholder="helpful"
        maxLength={200}
        spellCheck={false}
        {...typedInto(filter.score ?? "", (score) => onChange({ ...filter, score }))}
      />
      <Text span>given by</Text>
      <NativeSelect
        aria-label="Given by"
        data={SOURCES}
        value={filter.source ?? SCORE_ALERT_DEFAULTS.source}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, source: alertFilterSchema.shape.source.parse(value) })}
      />
    </>
  );
}

/** How many scores a window has at the least, and with which time before it is compared. */
export function ScoreWindow({ filter, isCompared, onChange }: ScoreFieldsProps & { readonly isCompared: boolean }) {
  const { min_count: least = SCORE_ALERT_DEFAULTS.min_count, baseline_minutes: before = SCORE_ALERT_DEFAULTS.baseline_minutes } = filter;
  return (
    <>
      {isCompared && (
        <>
          <Text span>than in the</Text>
          <NativeSelect
            aria-label="Time before"
            data={[...new Set([...BASELINES, before])].map((minutes) => ({
              value: String(minutes),
              label: `${windowInWords(minutes)} before`,
            }))}
            value={String(before)}
            onChange={({ currentTarget: { value } }) => onChange({ ...filter, baseline_minutes: Number(value) })}
          />
        </>
      )}
      <Text span>of at least</Text>
      <TextInput
        className={classes.number}
        aria-label="Least number of scores"
        inputMode="numeric"
        autoComplete="off"
        {...typedInto(Number.isNaN(least) ? "" : String(least), (text) => onChange({ ...filter, min_count: Number.parseInt(text, 10) }))}
      />
      <Text span>scores</Text>
    </>
  );
}
