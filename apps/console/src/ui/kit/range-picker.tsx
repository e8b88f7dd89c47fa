import { Button, Group, Popover, TextInput } from "@mantine/core";
import { IconCalendarTime, IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { Form } from "./form.tsx";
import { typedInto } from "./typed-into.ts";
import classes from "./range-picker.module.css";
import { type Span, type TimeRange, fromLocalField, isAllTime, rangeInWords, toLocalField } from "#ui/time/time-range.ts";

type RangePickerProps = {
  readonly range: TimeRange;
  readonly spans: readonly Span[];
  /** Whether all of the time may be chosen. */
  readonly withAll?: boolean;
  readonly onChange: (range: TimeRange) => void;
};

/** Chooses a span that ends now, or two instants. */
export function RangePicker({ range, spans, withAll = false, onChange }: RangePickerProps) {
  const [opened, setOpened] = useState(false);
  const choose = (chosen: TimeRange) => {
    setOpened(false);
    onChange(chosen);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={300} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendarTime size={16} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Time range: ${rangeInWords(range)}`}
          onClick={() => setOpened(!opened)}
        >
          {rangeInWords(range)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Time range">
        <div className={classes.spans}>
          {withAll && <Choice label="All time" isChosen={isAllTime(range)} onClick={() => choose({})} />}
          {spans.map(({ value, label }) => (
            <Choice key={value} label={label} isChosen={range.span === value} onClick={() => choose({ span: value })} />
          ))}
        </div>
        <CustomRange key={`${range.from}${range.to}`} range={range} onChange={choose} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ label, isChosen, onClick }: { readonly label: string; readonly isChosen: boolean; readonly onClick: () => void }) {
  return (
    <Button size="xs" fullWidth justify="start" variant={isChosen ? "light" : "subtle"} aria-pressed={isChosen} onClick={onClick}>
      {label}
    </Button>
  );
}

function CustomRange({ range, onChange }: { readonly range: TimeRange; readonly onChange: (range: TimeRange) => void }) {
  const [from, setFrom] = useState(toLocalField(range.from));
  const [to, setTo] = useState(toLocalField(range.to));
  const isReversed = from !== "" && to !== "" && from >= to;
  return (
    <Form
      className={classes.custom}
      gap="xs"
      noValidate={false}
      onSubmit={() => onChange({ from: fromLocalField(from), to: fromLocalField(to) })}
    >
      <TextInput label="From" type="datetime-local" {...typedInto(from, setFrom)} />
      <TextInput
        label="To"
        type="datetime-local"
        {...typedInto(to, setTo)}
        error={isReversed ? "The end must be after the beginning" : undefined}
      />
      <Group justify="end">
        <Button type="submit" size="xs" disabled={isReversed || (from === "" && to === "")}>
          Apply
        </Button>
      </Group>
    </Form>
  );
}
