import { Table, type TableProps, type TableTdProps, type TableTrProps, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { Fragment, type ReactNode } from "react";
import classes from "./data-table.module.css";

type Heading = {
  readonly header: string;
  /** Whether its words are for screen readers alone. */
  readonly isHidden?: boolean;
  /** Whether it stays in sight where the others scroll sideways, as what can be done with a row should; so are those without words. */
  readonly isPinned?: boolean;
  readonly width?: number;
  readonly align?: "right" | undefined;
  /** The class of the heading and its cells. */
  readonly className?: string | undefined;
  /** Set for a column that can be sorted by; without an order it is not the one that the rows are sorted by. */
  readonly sort?: { readonly order: "asc" | "desc" | undefined; readonly onSort: () => void } | undefined;
};

export type TableColumn<Row> = Heading & {
  readonly render: (row: Row) => ReactNode;
  /** The properties of its cells alone. */
  readonly td?: TableTdProps | ((row: Row) => TableTdProps);
  /** Whether its cells are what the others of their row are about. */
  readonly isRowHeading?: boolean;
};

type ContentProps<Row> = TableProps & {
  /** One that is false is left out. */
  readonly columns: readonly (TableColumn<Row> | false)[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowProps?: (row: Row) => TableTrProps & { readonly [attribute: `data-${string}`]: string | boolean | undefined };
  /** A row below the row, over all columns. */
  readonly details?: (row: Row) => (TableTrProps & { readonly children: ReactNode }) | undefined;
};

/** Rows of data under headings; scrolls sideways where it is narrow. */
export function DataTable<Row>({
  label,
  minWidth,
  isInPanel = false,
  ...table
}: ContentProps<Row> &
  Omit<ScrollFrameProps, "children"> & {
    /** Whether it begins and ends where the heading of the panel around it does. */
    readonly isInPanel?: boolean;
  }) {
  return (
    <ScrollFrame label={label} minWidth={minWidth}>
      <PlainTable {...(isInPanel ? { className: classes.table ?? "" } : {})} {...table} />
    </ScrollFrame>
  );
}

type ScrollFrameProps = {
  /** What screen readers call the region that scrolls. */
  readonly label: string;
  readonly minWidth: number;
  readonly children: ReactNode;
};

/** What scrolls a table, for rows that are laid out otherwise. */
export function ScrollFrame({ label, minWidth, children }: ScrollFrameProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": label } }}>
      {children}
    </Table.ScrollContainer>
  );
}

/** A table whose rows don't scroll by themselves: what is around them does. */
export function PlainTable<Row>({ columns, rows, rowKey, rowProps, details, ...table }: ContentProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <Table {...table}>
      <Table.Thead>
        <Table.Tr>
          {shown.map((column) => (
            <ColumnHeading key={column.header} {...column} />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => {
          const below = details?.(row);
          return (
            <Fragment key={rowKey(row)}>
              <Table.Tr {...rowProps?.(row)}>
                {shown.map(({ header, render, td, isRowHeading = false, ...heading }) => {
                  const Cell = isRowHeading ? Table.Th : Table.Td;
                  return (
                    <Cell
                      key={header}
                      {...(isRowHeading ? { scope: "row" } : {})}
                      {...styleOf(heading)}
                      {...(typeof td === "function" ? td(row) : td)}
                    >
                      {render(row)}
                    </Cell>
                  );
                })}
              </Table.Tr>
              {below !== undefined && (
                <Table.Tr {...below}>
                  <Table.Td colSpan={shown.length}>{below.children}</Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

export function ColumnHeading({ header, isHidden = false, width, sort, ...style }: Heading) {
  const Icon = sort?.order === "asc" ? IconChevronUp : IconChevronDown;
  return (
    <Table.Th
      scope="col"
      {...(width === undefined ? {} : { w: width })}
      {...styleOf({ ...style, isHidden })}
      {...(sort?.order === undefined ? {} : { "aria-sort": sort.order === "desc" ? "descending" : "ascending" })}
    >
      {isHidden && <VisuallyHidden>{header}</VisuallyHidden>}
      {!isHidden && sort === undefined && header}
      {!isHidden && sort !== undefined && (
        <UnstyledButton className={classes.sort} data-sorted={sort.order !== undefined || undefined} onClick={sort.onSort}>
          {header}
          {sort.order !== undefined && <Icon size={14} aria-hidden="true" />}
        </UnstyledButton>
      )}
    </Table.Th>
  );
}

function styleOf({
  align,
  className,
  isHidden = false,
  isPinned = isHidden,
}: Pick<Heading, "align" | "className" | "isHidden" | "isPinned">) {
  const names = [className, isPinned && classes.pinned].filter(Boolean).join(" ");
  return { ...(align === undefined ? {} : { ta: align }), ...(names === "" ? {} : { className: names }) };
}
