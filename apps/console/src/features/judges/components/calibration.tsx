import { Anchor, Stack, Text, Title } from "@mantine/core";
import type { Calibration, JudgeDetail } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { calibrationQuery } from "#features/judges/api/judges.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { Section } from "#ui/kit/panel.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount, formatShare, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Status } from "#ui/words/status.tsx";

type Interval = NonNullable<Calibration["rates"]>["people"];

const MEASURES = { kappa: "Cohen’s κ", weighted_kappa: "Weighted κ", icc: "ICC(2,1)" } as const;

export function CalibrationStatus({ isCalibrated }: { readonly isCalibrated: boolean }) {
  return <Status tone={isCalibrated ? "ok" : "warn"}>{isCalibrated ? "Calibrated" : "Not calibrated"}</Status>;
}

/** How far a judge agrees with people, and where it does not. */
export function CalibrationPanel({ projectId, judge }: { readonly projectId: string; readonly judge: JudgeDetail }) {
  const calibration = useQuery(calibrationQuery(projectId, judge.id));
  return (
    <Section title="Agreement with people">
      {calibration.data === undefined ? (
        <Unanswered query={calibration} failed="How far it agrees with people could not be loaded" />
      ) : (
        <Agreement projectId={projectId} name={judge.name} found={calibration.data} />
      )}
    </Section>
  );
}

function Agreement({ projectId, name, found }: { readonly projectId: string; readonly name: string; readonly found: Calibration }) {
  const { labels, left_out: leftOut, differing } = found;
  return (
    <Stack gap="md">
      <CalibrationStatus isCalibrated={found.is_calibrated} />
      {found.missing.map((sentence) => (
        <Text key={sentence}>
          <SafeText text={sentence} />
        </Text>
      ))}
      <Dimmed>
        People gave a score “<SafeText text={name} />” to {plural(labels.open + labels.held_back, "trace", "traces")} that version{" "}
        {found.version} judged. The figures are of the {formatExactCount(labels.held_back)} that are held back from whoever edits the
        rubric. Until it is calibrated, it fails no gate.
        {leftOut.other_type > 0 && ` ${plural(leftOut.other_type, "label is", "labels are")} of another type than the judge’s.`}
        {leftOut.tied > 0 && ` On ${plural(leftOut.tied, "trace", "traces")} people disagree evenly.`}
      </Dimmed>
      {labels.held_back > 0 && (
        <DataTable
          label="Agreement"
          minWidth={480}
          rows={listFigures(found)}
          rowKey={([what]) => what}
          columns={[
            { header: "Figure", isRowHeading: true, render: ([what]) => <SafeText text={what} /> },
            { header: "Value, 95% interval", align: "right", render: ([, value]) => value },
          ]}
        />
      )}
      {differing.length > 0 && <Title order={3}>Where they differ</Title>}
      {differing.map(({ trace_id: traceId, people, judge }) => (
        <Text key={traceId}>
          <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }} underline="always">
            trace …{traceId.slice(-8)}
          </Anchor>
          : people say <SafeText text={people} />, the judge says <SafeText text={judge} />
        </Text>
      ))}
    </Stack>
  );
}

function listFigures({ classes, agreement, confusion, rates }: Calibration): readonly (readonly [what: string, value: string])[] {
  return [
    ...classes.map(
      ({ value, labels, recall }) => [`People say “${value}” (${labels} labels), so does the judge`, inShares(recall)] as const,
    ),
    ...confusion
      .filter(({ items }) => items > 0)
      .map(({ people, judge, items }) => [`People say “${people}”, the judge “${judge}”`, plural(items, "trace", "traces")] as const),
    ...agreement.map((each) => [MEASURES[each.measure], inWords(each, (value) => value.toFixed(2))] as const),
    ...(rates === null
      ? []
      : ([
          ["True, say people of the labelled", inShares(rates.people)],
          ["True, says the judge of all that it judged", inShares(rates.judge)],
          ["The same, corrected by its errors", inShares(rates.corrected)],
        ] as const)),
  ];
}

const inWords = ({ value, low, high }: Interval, format: (value: number) => string) =>
  `${format(value)} (${format(low)} to ${format(high)})`;
const inShares = (share: Interval | null) => (share === null ? "–" : inWords(share, formatShare));
