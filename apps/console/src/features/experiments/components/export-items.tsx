import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type ItemsAsked, readItems } from "#features/experiments/api/experiments.ts";
import { toCsv } from "#features/experiments/items-csv.ts";
import { useChange } from "#http/use-change.ts";
import { saveFile } from "#ui/kit/save-file.ts";

type ExportItemsProps = { readonly projectId: string; readonly experimentId: string; readonly asked: ItemsAsked; readonly name: string };

/** Takes the items that are shown, and those after them, away as CSV. */
export function ExportItems({ projectId, experimentId, asked, name }: ExportItemsProps) {
  const save = useChange({
    send: (_: void, api) => readItems(api, projectId, experimentId, asked),
    failed: "The items were not exported",
    onSuccess: (items) => saveFile(new Blob([toCsv(items)], { type: "text/csv" }), `${name}.csv`),
  });
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={save.isPending} onClick={() => save.mutate()}>
      Export as CSV
    </Button>
  );
}
