import { Table, type TableProps, type TableTdProps, type TableTrProps, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { Fragment, type ReactNode } from "react";
import classes from "./data-table.module.css";

type Heading = {
  readonly header: string;
  /** Whether its words are for screen readers alone. */
  readonly isHidden?: boolean;
  readonly width?: number;
  readonly align?: "right" | undefined;
  /** Of the heading and of its cells. */
  readonly className?: string | undefined;
  /** Set for a column that can be sorted by; without an order it is not the one that the rows are sorted by. */
  readonly sort?: { readonly order: "asc" | "desc" | undefined; readonly onSort: () => void } | undefined;
};

export type TableColumn<Row> = Heading & {
  readonly render: (row: Row) => ReactNode;
  /** Of its cells alone. */
  readonly td?: TableTdProps | ((row: Row) => TableTdProps);
};

type FrameProps = TableProps & {
  /** What screen readers call the region that scrolls. */
  readonly label: string;
  readonly minWidth: number;
  /** Whether it begins and ends where the heading of the panel around it does. */
  readonly isInPanel?: boolean;
};

/** Rows of data under headings; scrolls sideways where it is narrow. A column that is false is left out. */
export function DataTable<Row>({
  columns,
  rows,
  rowKey,
  rowProps,
  details,
  ...frame
}: FrameProps & {
  readonly columns: readonly (TableColumn<Row> | false)[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  readonly rowProps?: (row: Row) => TableTrProps & { readonly "data-opened"?: boolean | undefined };
  /** A row below the row, over all columns. */
  readonly details?: (row: Row) => (TableTrProps & { readonly children: ReactNode }) | undefined;
}) {
  const shown = columns.filter((column) => column !== false);
  return (
    <TableFrame {...frame}>
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
                {shown.map(({ header, render, align, className, td }) => (
                  <Table.Td key={header} {...styleOf({ align, className })} {...(typeof td === "function" ? td(row) : td)}>
                    {render(row)}
                  </Table.Td>
                ))}
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
    </TableFrame>
  );
}

/** The table and what scrolls it, for rows that are laid out otherwise. */
export function TableFrame({ label, minWidth, isInPanel = false, ...table }: FrameProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": label } }}>
      <Table {...(isInPanel ? { className: classes.table ?? "" } : {})} {...table} />
    </Table.ScrollContainer>
  );
}

export function ColumnHeading({ header, isHidden = false, width, align, className, sort }: Heading) {
  const Icon = sort?.order === "asc" ? IconChevronUp : IconChevronDown;
  return (
    <Table.Th
      {...(width === undefined ? {} : { w: width })}
      {...styleOf({ align, className })}
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

function styleOf({ align, className }: Pick<Heading, "align" | "className">) {
  return { ...(align === undefined ? {} : { ta: align }), ...(className === undefined ? {} : { className }) };
}
