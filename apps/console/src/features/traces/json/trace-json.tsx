import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLoadWhole } from "#features/traces/api/payloads.ts";
import { observationQuery, wholeTrace } from "#features/traces/api/trace.ts";
import type { TraceViewProps } from "#features/traces/model/trace-view.ts";
import { useChange } from "#http/use-change.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { saveJson } from "#ui/kit/save-file.ts";
import { JsonView } from "./json-view.tsx";
import classes from "./trace-json.module.css";

/** What the API knows of the step that is selected, or of the trace, as JSON. */
export function TraceJson({ projectId, trace, steps, selected }: TraceViewProps) {
  const onLoad = useLoadWhole({ projectId, traceId: trace.id });
  const step = steps.find(({ id }) => id === selected);
  const whole = useQuery({ ...observationQuery(projectId, trace.id, selected), enabled: step !== undefined });
  const download = useChange({
    send: () => wholeTrace(projectId, trace.id),
    onSuccess: (all) => saveJson(all, `trace-${trace.id}.json`),
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
          onLoad={onLoad}
        />
      )}
      {value === undefined && (
        <Unanswered query={whole} failed="The step could not be loaded" loading={<LoadingRows rows={8} height={20} />} />
      )}
    </div>
  );
}
