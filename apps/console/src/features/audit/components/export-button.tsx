import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { formatBytes } from "#ui/words/format.ts";
import { saveFile } from "#ui/kit/save-file.ts";
import { exportAudit } from "#features/audit/api/export-audit.ts";
import type { AuditFilter } from "#features/audit/audit-filter.ts";

/** Takes away what the filter lets through; a second press stops it. */
export function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const api = useApi();
  const [bytes, setBytes] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const download = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      setBytes(0);
      return exportAudit(api, filter, { signal: stop.current.signal, onBytes: setBytes });
    },
    onSuccess: (file) => saveFile(file, `sightline-audit-${new Date().toISOString().slice(0, 10)}.jsonl`),
    onError: (error) => {
      if (stop.current?.signal.aborted !== true) {
        notifications.show({ color: "red", title: "The audit was not exported", message: error.message });
      }
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      onClick={() => (download.isPending ? stop.current?.abort() : download.mutate())}
    >
      {download.isPending ? `Stop (${formatBytes(bytes)})` : "Export as JSONL"}
    </Button>
  );
}
