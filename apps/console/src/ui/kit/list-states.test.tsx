// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { DataTable } from "./data-table.tsx";
import { ListOf } from "./list-states.tsx";

const quiet = { error: null, refetch: () => Promise.resolve() };

function open(list: Parameters<typeof ListOf>[0]["list"], items: readonly string[] | undefined) {
  return renderPart(
    <ListOf list={list} items={items} failed="The keys could not be loaded" empty={<p>No keys yet</p>}>
      {(keys) => (
        <DataTable
          label="Keys"
          minWidth={400}
          rows={keys}
          rowKey={(key) => key}
          columns={[{ header: "Name", isRowHeading: true, render: (key) => key }]}
        />
      )}
    </ListOf>,
  );
}

describe("a page's list", () => {
  it("says that it is loading until it is known, and that it is empty once it is", async () => {
    open(quiet, undefined);
    expect(await screen.findByRole("status", { name: "Loading" })).toBeTruthy();
    expect(screen.queryByText("No keys yet")).toBeNull();
    open(quiet, []);
    expect(await screen.findByText("No keys yet")).toBeTruthy();
  });

  it("says why it could not be loaded, and asks again on request", async () => {
    let asked = 0;
    const refetch = () => Promise.resolve((asked += 1));
    const { user } = open({ error: new Error("The server is away."), refetch }, undefined);
    expect((await screen.findByRole("alert")).textContent).toContain("The server is away.");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(asked).toBe(1);
  });

  it("shows its rows in a region that the keyboard can scroll, each with its heading", async () => {
    open(quiet, ["ci", "laptop"]);
    expect((await screen.findByLabelText("Keys")).tabIndex).toBe(0);
    expect(screen.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual(["ci", "laptop"]);
  });
});
