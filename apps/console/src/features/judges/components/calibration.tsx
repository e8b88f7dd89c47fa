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
        <Stack gap="md">
          <Agreement name={judge.name} found={calibration.data} />
          <Differing projectId={projectId} found={calibration.data} />
        </Stack>
      )}
    </Section>
  );
}

function Agreement({ name, found }: { readonly name: string; readonly found: Calibration }) {
  const { open, held_back: heldBack } = found.labels;
  const { other_type: otherType, tied } = found.left_out;
  const rows = [
    ...found.classes.map(({ value, labels, recall }) => ({
      what: `Of what people call “${value}”, the judge says the same`,
      said: recall === null ? "–" : inShares(recall),
      from: plural(labels, "label", "labels"),
    })),
    ...found.agreement.map((each) => ({ what: MEASURES[each.measure], said: inNumbers(each), from: "" })),
    ...(found.rates === null ? [] : listRates(found.rates)),
  ];
  return (
    <>
      <CalibrationStatus isCalibrated={found.is_calibrated} />
      {found.missing.map((sentence) => (
        <Text key={sentence}>
          <SafeText text={sentence} />
        </Text>
      ))}
      <Dimmed>
        {plural(open + heldBack, "trace", "traces")} that version {found.version} judged {open + heldBack === 1 ? "has" : "have"} a score “
        <SafeText text={name} />” of people. {formatExactCount(heldBack)} of them are held back from whoever edits the rubric; the figures
        are of those. While it is not calibrated, it fails no gate.
        {otherType > 0 && ` ${plural(otherType, "label is", "labels are")} of another type than the judge’s.`}
        {tied > 0 && ` On ${plural(tied, "trace", "traces")} as many people say one thing as another.`}
      </Dimmed>
      {heldBack > 0 && (
        <DataTable
          label="Agreement"
          minWidth={480}
          rows={rows}
          rowKey={({ what }) => what}
          columns={[
            { header: "Figure", isRowHeading: true, render: ({ what }) => <SafeText text={what} /> },
            { header: "Value, 95% interval", align: "right", render: ({ said }) => said },
            { header: "From", align: "right", render: ({ from }) => from },
          ]}
        />
      )}
      {found.confusion.some(({ items }) => items > 0) && (
        <DataTable
          label="Confusion"
          minWidth={320}
          rows={found.confusion.filter(({ items }) => items > 0)}
          rowKey={({ people, judge }) => JSON.stringify([people, judge])}
          columns={[
            { header: "People say", render: ({ people }) => <SafeText text={people} /> },
            { header: "The judge says", render: ({ judge }) => <SafeText text={judge} /> },
            { header: "Traces", align: "right", render: ({ items }) => formatExactCount(items) },
          ]}
        />
      )}
    </>
  );
}

function Differing({ projectId, found: { differing } }: { readonly projectId: string; readonly found: Calibration }) {
  if (differing.length === 0) {
    return null;
  }
  return (
    <>
      <Title order={3}>Where they differ</Title>
      <DataTable
        label="Where they differ"
        minWidth={420}
        rows={differing}
        rowKey={({ trace_id: id }) => id}
        columns={[
          {
            header: "Trace",
            render: ({ trace_id: traceId }) => (
              <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }} underline="always">
                trace …{traceId.slice(-8)}
              </Anchor>
            ),
          },
          { header: "People say", render: ({ people }) => <SafeText text={people} /> },
          { header: "The judge says", render: ({ judge }) => <SafeText text={judge} /> },
        ]}
      />
    </>
  );
}

function listRates({ people, judge, corrected }: NonNullable<Calibration["rates"]>) {
  return [
    { what: "True, say people of the labelled", said: inShares(people), from: "" },
    { what: "True, says the judge of all that it judged", said: inShares(judge), from: "" },
    { what: "The same, corrected by its errors", said: corrected === null ? "–" : inShares(corrected), from: "" },
  ];
}

const inShares = ({ value, low, high }: Interval) => `${formatShare(value)} (${formatShare(low)} to ${formatShare(high)})`;
const inNumbers = ({ value, low, high }: Interval) => `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
