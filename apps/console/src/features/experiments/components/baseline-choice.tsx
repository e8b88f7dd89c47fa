import { Button, Select } from "@mantine/core";
import type { ExperimentComparison } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { experimentsQuery } from "#features/experiments/api/experiments.ts";
import { findEarlier, suggestBaseline } from "#features/experiments/suggest-baseline.ts";
import { formatShortTime } from "#ui/words/format.ts";

type BaselineChoiceProps = {
  readonly projectId: string;
  readonly comparison: ExperimentComparison;
  /** As the address has it. */
  readonly baseline: string | undefined;
  readonly onChoose: (baseline: string) => void;
};

/** What the candidate is compared with: a branch, whose last three experiments count together, or one experiment of the same dataset. */
export function BaselineChoice({ projectId, comparison: { candidate, baseline: compared }, baseline, onChoose }: BaselineChoiceProps) {
  const list = useInfiniteQuery(experimentsQuery(projectId, { dataset_id: candidate.dataset_id }));
  const loaded = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const others = [...loaded, ...compared].filter(
    ({ id }, index, all) => id !== candidate.id && all.findIndex((each) => each.id === id) === index,
  );
  const suggested = suggestBaseline(candidate, loaded);
  const branches = new Set([
    ...findEarlier(candidate, others).flatMap(({ branch }) => branch ?? []),
    ...(baseline === undefined || isId(baseline) ? [] : [baseline]),
  ]);
  const experiments = others.map(({ id, name, created_at: at }) => ({ value: id, label: `${name}, ${formatShortTime(new Date(at))}` }));
  const unlisted = baseline !== undefined && isId(baseline) && !others.some(({ id }) => id === baseline);
  return (
    <>
      <Select
        label="Baseline"
        placeholder="Choose one"
        searchable
        allowDeselect={false}
        nothingFoundMessage="No other experiment of this dataset"
        value={baseline ?? null}
        onChange={(value) => value !== null && onChoose(value)}
        data={[
          { group: "Branches: the last three finished experiments", items: [...branches].map((name) => ({ value: name, label: name })) },
          { group: "Experiments", items: [...experiments, ...(unlisted ? [{ value: baseline, label: baseline }] : [])] },
        ].filter(({ items }) => items.length > 0)}
      />
      {baseline === undefined && suggested !== undefined && (
        <Button mt="xs" size="compact-sm" variant="light" onClick={() => onChoose(suggested)}>
          Compare with {others.find(({ id }) => id === suggested)?.name ?? suggested}
        </Button>
      )}
    </>
  );
}

const isId = (text: string) => /^[\da-f]{8}-[\da-f-]{27}$/i.test(text);
