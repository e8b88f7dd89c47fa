// @vitest-environment happy-dom
import { parseExactly } from "@sightline/foundation/exact-json";
import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { JsonView } from "./json-view.tsx";

const VALUE = { city: "Lisbon", stops: [{ name: "Belém" }, { name: "Alfama" }] };

async function open(props: Partial<Parameters<typeof JsonView>[0]> = {}) {
  const { user } = renderPart(<JsonView value={VALUE} label="Input" fileName="input" {...props} />);
  const tree = await screen.findByRole("tree", { name: "Input" });
  const rows = () => within(tree).getAllByRole("treeitem");
  return { user, tree, rows };
}

describe("a JSON value", () => {
  it("shows numbers as they were written, and finds them so", async () => {
    const { user, rows } = await open({ value: parseExactly('{"price":1.10,"ids":[12345678901234567890,-0]}') });
    expect(rows().map((row) => row.textContent)).toEqual(
      expect.arrayContaining(["price: 1.10", "0: 12345678901234567890", "1: -0"].map((text) => expect.stringContaining(text))),
    );
    await user.type(screen.getByRole("textbox", { name: "Search in Input" }), "1.10");
    expect((await screen.findByRole("status")).textContent).toBe("1 of 1");
  });

  it("folds and opens by keyboard what the arrow keys lead to", async () => {
    const { user, tree, rows } = await open();
    expect(rows()).toHaveLength(7);
    tree.focus();
    await user.keyboard("{End}{ArrowUp}{ArrowLeft}");
    expect(rows()).toHaveLength(6);
    await user.keyboard("{ArrowRight}");
    expect(rows()).toHaveLength(7);
    await user.click(screen.getByRole("button", { name: "Fold everything" }));
    expect(rows()).toHaveLength(3);
  });

  it("opens what is folded around a match, and goes round from the last match to the first", async () => {
    const { user, rows } = await open();
    await user.click(screen.getByRole("button", { name: "Fold everything" }));
    await user.type(screen.getByRole("textbox", { name: "Search in Input" }), "name");
    expect((await screen.findByRole("status")).textContent).toBe("1 of 2");
    await user.keyboard("{Enter}");
    expect(rows().find((row) => row.getAttribute("aria-selected") === "true")?.textContent).toContain("Belém");
    await user.keyboard("{Enter}{Enter}");
    expect(screen.getByRole("status").textContent).toBe("1 of 2");
  });

  it("says that nothing matches, and offers no match to go to", async () => {
    const { user } = await open();
    await user.type(screen.getByRole("textbox", { name: "Search in Input" }), "Porto");
    expect((await screen.findByRole("status")).textContent).toBe("nothing");
    expect(screen.getByRole("button", { name: "Next match" })).toHaveProperty("disabled", true);
  });

  it("loads a part that was left out when its row is chosen, and shows it in its place", async () => {
    const truncated = { truncated: true, preview: "Once", characters: 90_000, payload_id: "0190a1b2" };
    const { user } = await open({ value: { story: truncated, city: "Lisbon" }, onLoad: async () => "Once upon a time" });
    await user.click(await screen.findByRole("treeitem", { name: /not loaded/ }));
    expect(await screen.findByText(/Once upon a time/)).toBeTruthy();
    expect(screen.getByText("Lisbon", { exact: false })).toBeTruthy();
  });

  it("says why a part could not be loaded, and leaves it to be tried again", async () => {
    const truncated = { truncated: true, preview: "Once", characters: 90_000, payload_id: "0190a1b2" };
    const { user } = await open({ value: { story: truncated }, onLoad: () => Promise.reject(new Error("The value is gone.")) });
    await user.click(await screen.findByRole("treeitem", { name: /not loaded/ }));
    expect(await screen.findByText("The value is gone.")).toBeTruthy();
    expect(screen.getByText("Load all of it")).toBeTruthy();
  });
});
