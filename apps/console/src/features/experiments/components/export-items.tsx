import { type ItemsAsked, itemsFile } from "#features/experiments/api/experiments.ts";
import { useApi } from "#http/api-context.ts";
import { ExportButton } from "#ui/kit/export-button.tsx";

type ExportItemsProps = { readonly projectId: string; readonly experimentId: string; readonly asked: ItemsAsked; readonly name: string };

/** Takes the items that are shown, and those after them, away as CSV. */
export function ExportItems({ projectId, experimentId, asked, name }: ExportItemsProps) {
  const api = useApi();
  return (
    <ExportButton
      label="Export as CSV"
      name={name}
      extension="csv"
      failed="The items were not exported"
      download={(signal) => api.download({ ...itemsFile(projectId, experimentId, asked), signal })}
    />
  );
}
