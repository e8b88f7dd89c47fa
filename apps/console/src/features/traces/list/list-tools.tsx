import { RangePicker } from "#ui/time/range-picker.tsx";
import { SPANS } from "#ui/time/time-range.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { type ListState, isReadable } from "./list-state.ts";
import { withRange } from "#features/traces/list/query/query-text.ts";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { formatBytes } from "#ui/words/format.ts";
import { saveFile } from "#ui/kit/save-file.ts";
import { exportTraces } from "#features/traces/api/export-traces.ts";

/** Of when, with which columns, and as a file. */
export function ListTools({
  projectId,
  state,
  onChange,
}: {
  readonly projectId: string;
  readonly state: ListState;
  readonly onChange: (state: ListState) => void;
}) {
  return (
    <>
      <RangePicker range={state.range} spans={SPANS} withAll onChange={(range) => onChange({ ...state, range })} />
      <ColumnMenu columns={state.columns} onChange={(columns) => onChange({ ...state, columns })} />
      <ExportButton projectId={projectId} q={withRange(state.q, state.range)} disabled={!isReadable(state.q)} />
    </>
  );
}

/** Takes away what the query finds; a second press stops it. */
function ExportButton({ projectId, q, disabled }: { readonly projectId: string; readonly q: string; readonly disabled: boolean }) {
  const api = useApi();
  const [bytes, setBytes] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const download = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      setBytes(0);
      return exportTraces(api, projectId, { q, signal: stop.current.signal, onBytes: setBytes });
    },
    onSuccess: (file) => saveFile(file, `sightline-traces-${new Date().toISOString().slice(0, 10)}.jsonl`),
    onError: (error) => {
      if (stop.current?.signal.aborted !== true) {
        notifications.show({ color: "red", title: "The traces were not exported", message: error.message });
      }
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  return (
    <Button
      variant="default"
      disabled={disabled && !download.isPending}
      leftSection={<IconDownload size={16} />}
      onClick={() => (download.isPending ? stop.current?.abort() : download.mutate())}
    >
      {download.isPending ? `Stop (${formatBytes(bytes)})` : "Export"}
    </Button>
  );
}
