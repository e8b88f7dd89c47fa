import { Text } from "@mantine/core";
import type { ComparedScore, ExperimentComparison } from "@sightline/observability/contract";
import { VERDICT_TONES, barScale, formatDifference, formatValue, verdictInWords } from "#features/experiments/verdict-words.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Status } from "#ui/words/status.tsx";
import { formatExactCount, formatShare, plural } from "#ui/words/format.ts";
import { DifferenceBar } from "./difference-bar.tsx";
import classes from "./experiments.module.css";

/** Each score of the candidate beside the baseline's, and whether that is a difference. */
export function ScoreTable({ comparison: { scores, baseline } }: { readonly comparison: ExperimentComparison }) {
  const isCompared = baseline.length > 0;
  return (
    <DataTable
      label="Scores"
      minWidth={isCompared ? 820 : 480}
      verticalSpacing="xs"
      rows={scores}
      rowKey={({ name, source }) => `${source} ${name}`}
      columns={[
        {
          header: "Score",
          isRowHeading: true,
          render: ({ name, source, higher_is_better: isHigherBetter, is_calibrated: isCalibrated }) => (
            <>
              <SafeText text={name} />
              <div className={classes.small}>
                {SOURCES[source]}
                {isCalibrated === false && "; not calibrated"}
                {isHigherBetter || source === "run" ? "" : ", lower is better"}
              </div>
            </>
          ),
        },
        isCompared && { header: "Verdict", render: (score) => <VerdictText score={score} /> },
        isCompared && {
          header: "Baseline",
          align: "right",
          className: classes.figure,
          render: (score) => <Mean score={score} of={score.baseline} />,
        },
        { header: "Candidate", align: "right", className: classes.figure, render: (score) => <Mean score={score} of={score.candidate} /> },
        isCompared && {
          header: "Difference",
          align: "right",
          className: classes.figure,
          render: ({ difference, ...score }) =>
            difference === null ? (
              "–"
            ) : (
              <>
                {formatDifference(score, difference.value)}
                <div className={classes.small}>
                  {formatDifference(score, difference.low)} to {formatDifference(score, difference.high)}
                </div>
              </>
            ),
        },
        isCompared && {
          header: "95% interval",
          render: (score) =>
            score.difference !== null && <DifferenceBar score={score} difference={score.difference} scale={barScale(score, scores)} />,
        },
      ]}
    />
  );
}

const SOURCES: Readonly<Record<ComparedScore["source"], string>> = {
  check: "check",
  application: "evaluator",
  judge: "judge; decides no gate unless named",
  run: "measured; decides no gate",
};

type MeanProps = { readonly score: ComparedScore; readonly of: ComparedScore["candidate"] | null };

function Mean({ score, of }: MeanProps) {
  if (of === null || of.mean === null) {
    return "–";
  }
  return (
    <>
      {formatValue(score, of.mean)}
      <div className={classes.small}>
        {of.low !== null && of.high !== null && `${formatValue(score, of.low)} to ${formatValue(score, of.high)}`}
        {of.corrected !== null && (
          <div>{`corrected ${formatValue(score, of.corrected.value)}, ${formatValue(score, of.corrected.low)} to ${formatValue(score, of.corrected.high)}`}</div>
        )}
        {of.repeated !== null && (
          <div>
            {formatShare(of.repeated.any_passes)} pass once, {formatShare(of.repeated.all_pass)} always
            {of.repeated.seen_flaky > 0 && `, ${formatExactCount(of.repeated.seen_flaky)} flaky`}
          </div>
        )}
        {of.missing > 0 && <Text inherit c="var(--sl-warn)">{`${formatExactCount(of.missing)} missing`}</Text>}
      </div>
    </>
  );
}

function VerdictText({ score }: { readonly score: ComparedScore }) {
  const { difference } = score;
  return (
    <>
      <Status tone={difference === null ? "idle" : VERDICT_TONES[difference.verdict]}>
        <Text inherit span fw={550}>
          {verdictInWords(score)}
        </Text>
      </Status>
      {difference !== null && (
        <div className={classes.small} title={`Procedure: ${difference.procedure}`}>
          {formatExactCount(difference.improved)} better, {formatExactCount(difference.worsened)} worse of{" "}
          {plural(difference.items, "item", "items")}
          {difference.detectable !== null && difference.verdict !== "better" && difference.verdict !== "worse"
            ? `; from ±${formatValue(score, difference.detectable)} on it would likely be found`
            : ""}
          {!difference.stands_out && ["better", "worse"].includes(difference.verdict) && "; of so many scores it may be chance"}
        </div>
      )}
    </>
  );
}
