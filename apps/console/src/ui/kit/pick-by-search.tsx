import { Button, Popover, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import classes from "./pick-by-search.module.css";
import { typedInto } from "./typed-into.ts";

const PAUSE_MS = 250;

type SearchProps<Data, Item, Key extends QueryKey> = {
  readonly find: { readonly label: string; readonly description: string; readonly typed?: string };
  readonly query: (term: string) => UseQueryOptions<Data, Error, Data, Key>;
  readonly itemsOf: (data: Data, term: string) => readonly Item[];
  readonly nothing: string;
  readonly heading: (count: number) => string;
  readonly itemKey: (item: Item) => string;
  /** A name and what is known of it, in a `PickedName` and a `PickedFacts`. */
  readonly render: (item: Item) => ReactNode;
  readonly onPick: (item: Item) => void;
};

/** A button that opens a search, whose results are to be chosen from. */
export function PickBySearch<Data, Item, Key extends QueryKey>({
  label,
  ...search
}: { readonly label: string } & SearchProps<Data, Item, Key>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={460} trapFocus withinPortal>
      <Popover.Target>
        <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown ?? ""}>
        {isOpen && (
          <Choices
            {...search}
            onPick={(item) => {
              setOpen(false);
              search.onPick(item);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices<Data, Item, Key extends QueryKey>({ find, query, itemsOf, ...shown }: SearchProps<Data, Item, Key>) {
  const { nothing, heading, itemKey, render, onPick } = shown;
  const [typed, setTyped] = useState(find.typed ?? "");
  const [term] = useDebouncedValue(typed, PAUSE_MS);
  const { data, error } = useQuery(query(term));
  const items = data === undefined ? undefined : itemsOf(data, term);
  const headingId = useId();
  return (
    <>
      <TextInput label={find.label} description={find.description} {...typedInto(typed, setTyped)} error={error?.message} data-autofocus />
      <Dimmed id={headingId} mt="sm" aria-live="polite">
        {items === undefined ? "Looking…" : items.length === 0 ? nothing : heading(items.length)}
      </Dimmed>
      <ul className={classes.list} aria-labelledby={headingId}>
        {items?.map((item) => (
          <li key={itemKey(item)}>
            <UnstyledButton className={classes.choice} onClick={() => onPick(item)}>
              {render(item)}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </>
  );
}

export function PickedName({ children }: { readonly children: ReactNode }) {
  return <span className={classes.name}>{children}</span>;
}

export function PickedFacts({ children }: { readonly children: ReactNode }) {
  return <span className={classes.when}>{children}</span>;
}
