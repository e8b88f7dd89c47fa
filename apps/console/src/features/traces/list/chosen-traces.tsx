import { Button, Group, Text } from "@mantine/core";
import { MAX_BULK_TRACES, type ProjectRole } from "@sightline/observability/contract";
import { IconDatabasePlus, IconStar, IconTag, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { type Choice, MAX_MATCHING } from "#features/traces/api/bulk.ts";
import { DeleteDialog, inWords, ScoreDialog, TagDialog } from "#features/traces/changes/change-dialogs.tsx";
import { useApi } from "#http/api-context.ts";
import { encoded } from "#http/calls.ts";
import { ExportButton } from "#ui/kit/export-button.tsx";
import { formatExactCount } from "#ui/words/format.ts";

type ChosenTracesProps = {
  readonly projectId: string;
  /** The reader's role; undefined while it is not known. */
  readonly role: ProjectRole | undefined;
  readonly chosen: Choice;
  /** How many the query of the list finds; undefined while it is not known. */
  readonly matching: number | undefined;
  readonly onChooseAll: (count: number) => void;
  readonly onCompare: (first: string, second: string) => void;
  readonly onAddToDataset: (chosen: Choice) => void;
  readonly onClear: () => void;
};

/** The most that become items at once. */
const MAX_ADDED = 100;

/** What can be done to the traces that are chosen in the list. */
export function ChosenTraces({ projectId, role, chosen, matching, onChooseAll, onCompare, onAddToDataset, onClear }: ChosenTracesProps) {
  const api = useApi();
  const [dialog, setDialog] = useState<"tag" | "score" | "delete">();
  const ids = "ids" in chosen ? chosen.ids : [];
  const [first = "", second = ""] = ids;
  const mayEdit = role === "editor" || role === "owner";
  const many = { projectId, choice: chosen, onClose: () => setDialog(undefined) };
  return (
    <Group gap="xs" ml="auto" role="group" aria-label="Chosen traces">
      <Text size="sm">
        {"q" in chosen && (chosen.count === MAX_MATCHING ? "The newest " : "All ")}
        {inWords(chosen)} chosen{ids.length === MAX_BULK_TRACES && ", the most that can be ticked"}
      </Text>
      {"ids" in chosen && matching !== undefined && matching > chosen.count && (
        <Button size="compact-sm" variant="light" onClick={() => onChooseAll(Math.min(matching, MAX_MATCHING))}>
          Choose {matching > MAX_MATCHING ? `the newest ${formatExactCount(MAX_MATCHING)}` : `all ${formatExactCount(matching)}`}
        </Button>
      )}
      <Button size="compact-sm" disabled={ids.length !== 2} title="Choose two traces" onClick={() => onCompare(first, second)}>
        Compare
      </Button>
      {mayEdit && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDatabasePlus size={14} />}
            disabled={ids.length > MAX_ADDED}
            title={`Tick at most ${MAX_ADDED} traces, or choose all that match and draw a sample`}
            onClick={() => onAddToDataset(chosen)}
          >
            Add to dataset…
          </Button>
          <Button size="compact-sm" variant="default" leftSection={<IconTag size={14} />} onClick={() => setDialog("tag")}>
            Tag…
          </Button>
          <Button size="compact-sm" variant="default" leftSection={<IconStar size={14} />} onClick={() => setDialog("score")}>
            Score…
          </Button>
        </>
      )}
      <ExportButton
        size="compact-sm"
        label="Export chosen"
        name="sightline-traces"
        failed="The traces were not exported"
        download={(signal) =>
          api.download({
            part: "observability",
            path: encoded`/api/v1/projects/${projectId}/export`,
            query: "q" in chosen ? { q: chosen.q } : { trace_ids: ids.join(",") },
            accept: "application/jsonl",
            signal,
          })
        }
      />
      {role === "owner" && (
        <Button size="compact-sm" variant="light" color="red" leftSection={<IconTrash size={14} />} onClick={() => setDialog("delete")}>
          Delete…
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        Clear
      </Button>
      {dialog === "tag" && <TagDialog {...many} />}
      {dialog === "score" && <ScoreDialog {...many} />}
      {dialog === "delete" && <DeleteDialog {...many} onDeleted={onClear} />}
    </Group>
  );
}
