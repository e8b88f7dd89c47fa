import { Stack, Title } from "@mantine/core";
import { type Comparison, truncatedValueSchema } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { type Compared, comparedTraceQuery } from "#features/compare/api/compare.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { Differences } from "./differences.tsx";
import { ValueDiff } from "./value-diff.tsx";

/** What two runs as a whole took in and gave back. */
export function InputAndOutput({
  compared,
  comparison,
}: {
  readonly compared: Compared;
  readonly comparison: Pick<Comparison, "input" | "output">;
}) {
  const { projectId } = compared;
  const a = useQuery(comparedTraceQuery(projectId, compared.a));
  const b = useQuery(comparedTraceQuery(projectId, compared.b));
  if (a.data === undefined || b.data === undefined) {
    const both = { error: a.error ?? b.error, refetch: () => Promise.all([a.refetch(), b.refetch()]) };
    return <Unanswered query={both} failed="Input and output could not be loaded" loading={<LoadingRows rows={3} height={32} />} />;
  }
  return (
    <Stack gap="md">
      {(["input", "output"] as const).map((side) => {
        const label = side === "input" ? "Input" : "Output";
        const [ofA, ofB] = [a.data[side], b.data[side]];
        if (ofA === null && ofB === null) {
          return <Dimmed key={side}>{label}: neither trace has one.</Dimmed>;
        }
        return comparison[side].outcome !== "changed" || isTruncated(ofA) || isTruncated(ofB) ? (
          <Differences key={side} value={comparison[side]} label={label} />
        ) : (
          <section key={side}>
            <Title order={3} fz="sm" mb={6}>
              {label}
            </Title>
            <ValueDiff label={label} a={ofA} b={ofB} side={side} isModelCall={false} />
          </section>
        );
      })}
    </Stack>
  );
}

function isTruncated(value: unknown): boolean {
  return truncatedValueSchema.safeParse(value).success;
}
