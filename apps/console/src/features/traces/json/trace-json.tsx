import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { fetchTrace, observationQuery } from "#features/traces/api/trace.ts";
import { fetchWholeValue } from "#features/traces/api/whole-value.ts";
import type { TraceViewProps } from "#features/traces/trace/trace-view.ts";
import { useApi } from "#http/api-context.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { saveFile } from "#ui/kit/save-file.ts";
import { JsonView } from "./json-view.tsx";
import classes from "./trace-json.module.css";

/** What the API knows of the step that is selected, or of the trace, as JSON. */
export function TraceJson({ projectId, trace, steps, selected }: TraceViewProps) {
  const api = useApi();
  const step = steps.find(({ id }) => id === selected);
  const whole = useQuery({
    ...observationQuery(api, { projectId, traceId: trace.id, observationId: selected }),
    enabled: step !== undefined,
  });
  const download = useMutation({
    mutationFn: () => fetchTrace(api, projectId, trace.id),
    onSuccess: (all) => saveFile(new Blob([JSON.stringify(all, null, 2)], { type: "application/json" }), `trace-${trace.id}.json`),
  });
  const value = step === undefined ? trace : whole.data;
  const name = step?.name ?? trace.name;
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <h2 className={classes.title}>{step === undefined ? `The trace ${name}, without its steps` : name}</h2>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {download.isError ? "Try the download again" : "Trace with steps"}
        </Button>
      </div>
      {value !== undefined && (
        <JsonView
          key={selected}
          value={value}
          label={`${name} as JSON`}
          fileName={`${step === undefined ? "trace" : "step"}-${selected}.json`}
          onLoad={(part, signal, onProgress) => fetchWholeValue(api, { projectId, traceId: trace.id, value: part }, signal, onProgress)}
        />
      )}
      {value === undefined && (
        <Unanswered query={whole} failed="The step could not be loaded" loading={<LoadingRows rows={8} height={20} />} />
      )}
    </div>
  );
}
