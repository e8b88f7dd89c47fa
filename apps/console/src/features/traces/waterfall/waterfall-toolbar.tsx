import { ActionIcon, Button, Menu, Select, TextInput } from "@mantine/core";
import { type ObservationKind, observationKindSchema } from "@sightline/observability/contract";
import { IconArrowsMaximize, IconKeyboard, IconListTree, IconSearch, IconX, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import type { KeyboardEvent } from "react";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { plural } from "#ui/words/format.ts";
import { useTypedFilter } from "#ui/query/use-typed.ts";
import type { StepFilter } from "./find-steps.ts";
import type { TraceAction } from "#features/traces/model/trace-keys.ts";
import { kindLabel } from "#ui/words/step-kind.ts";
import classes from "./waterfall-toolbar.module.css";

const LEVELS = [1, 2, 3, 4] as const;

type WaterfallToolbarProps = {
  /** The id of the field to type in. */
  readonly findId: string;
  readonly filter: StepFilter;
  readonly onFilter: (filter: StepFilter) => void;
  readonly failures: number;
  readonly isZoomed: boolean;
  readonly onLevels: (levels: number) => void;
  readonly onAction: (action: TraceAction) => void;
  /** From the field to the steps. */
  readonly onLeave: () => void;
};

/** What narrows the steps, folds them and zooms their time. */
export function WaterfallToolbar({ findId, filter, onFilter, failures, isZoomed, onLevels, onAction, onLeave }: WaterfallToolbarProps) {
  const find = useTypedFilter(filter.text === "" ? undefined : filter.text, (typed) => onFilter({ ...filter, text: typed ?? "" }));
  const toggle = (only: "failures" | "critical"): void => onFilter({ ...filter, only: filter.only === only ? undefined : only });

  function press(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      find.type("");
    }
    if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      onLeave();
    }
  }

  return (
    <div className={classes.toolbar} role="toolbar" aria-label="Steps">
      <TextInput
        id={findId}
        className={classes.find}
        size="xs"
        aria-label="Find in the steps"
        placeholder="Find"
        leftSection={<IconSearch size={14} />}
        maxLength={200}
        value={find.text}
        onChange={(event) => find.type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <Select
        className={classes.kind}
        size="xs"
        comboboxProps={{ width: 140, position: "bottom-start" }}
        aria-label="Kind"
        placeholder="Any kind"
        clearable
        clearButtonProps={{ "aria-label": "Show any kind" }}
        data={observationKindSchema.options.map((value) => ({ value, label: kindLabel(value) }))}
        value={filter.kind ?? null}
        onChange={(kind: ObservationKind | null) => onFilter({ ...filter, kind: kind ?? undefined })}
      />
      <Button
        size="xs"
        px={9}
        variant={filter.only === "failures" ? "light" : "default"}
        aria-pressed={filter.only === "failures"}
        disabled={failures === 0 && filter.only !== "failures"}
        onClick={() => toggle("failures")}
      >
        {failures === 0 ? "No failures" : plural(failures, "failure", "failures")}
      </Button>
      <Button
        size="xs"
        px={9}
        variant={filter.only === "critical" ? "light" : "default"}
        aria-pressed={filter.only === "critical"}
        onClick={() => toggle("critical")}
      >
        Critical path
      </Button>
      <span className={classes.end}>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label="Levels">
              <IconListTree size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onAction("expand-all")}>Expand everything</Menu.Item>
            {LEVELS.map((levels) => (
              <Menu.Item key={levels} onClick={() => onLevels(levels)}>
                {plural(levels, "level", "levels")}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => onAction("collapse-all")}>Collapse everything</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <IconButton label="Zoom in on the time" onClick={() => onAction("zoom-in")}>
          <IconZoomIn size={16} />
        </IconButton>
        <IconButton label="Zoom out" onClick={() => onAction("zoom-out")}>
          <IconZoomOut size={16} />
        </IconButton>
        <IconButton label="Show the whole time" onClick={() => onAction("zoom-all")}>
          {isZoomed ? <IconX size={16} /> : <IconArrowsMaximize size={16} />}
        </IconButton>
        <IconButton label="Keys" onClick={() => onAction("help")}>
          <IconKeyboard size={16} />
        </IconButton>
      </span>
    </div>
  );
}
