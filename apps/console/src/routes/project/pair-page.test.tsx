// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;
const [PROJECT, CANDIDATE, BASELINE] = [id(100), id(22), id(21)];
const PATH = `/api/observability/api/v1/projects/${PROJECT}/experiments/${CANDIDATE}/preferences`;
const side = (output: string) => ({ state: "succeeded", output, error: null });

/** The items that are left; each answer takes one away. */
function open(answers = {}) {
  const left = [31, 32];
  return renderConsole(`/projects/${PROJECT}/experiments/${CANDIDATE}/pairs/${BASELINE}`, {
    [`GET ${PATH}/next`]: () => ({
      items: 2,
      answered: 2 - left.length,
      pair:
        left[0] === undefined
          ? null
          : { item_id: id(left[0]), input: `"question ${left[0]}"`, expected: "null", first: side('"one"'), second: side('"two"') },
    }),
    [`PUT ${PATH}/${id(31)}`]: () => void left.shift(),
    [`PUT ${PATH}/${id(32)}`]: () => void left.shift(),
    ...answers,
  });
}

describe("comparing two experiments by hand", () => {
  it("shows an item with both outputs, and takes answers by the keyboard until all are given", async () => {
    const { user, requests } = open();
    const item = within(await screen.findByRole("region", { name: "Item" }));
    expect(["Input", "First's output", "Second's output"].map((name) => item.getByRole("group", { name }).textContent)).toEqual([
      "question 31",
      "one",
      "two",
    ]);
    await user.keyboard("{ArrowRight}");
    await screen.findByText("question 32");
    expect(screen.getByText("1 of 2 items answered by you")).toBeTruthy();
    // Without a reason there is no skip: the field asks for one.
    await user.keyboard("s");
    await user.keyboard("both are wrong{Enter}");
    await screen.findByText("All compared");
    const sent = requests.filter(({ method }) => method === "PUT");
    expect(sent.map(({ body }) => body)).toEqual([{ preferred: "second" }, { skip: "both are wrong" }]);
    expect(sent[0]?.query.get("baseline")).toBe(BASELINE);
  });

  it("says that another tab was first, and goes on", async () => {
    const { user } = open({ [`PUT ${PATH}/${id(31)}`]: refuse(409, "preference_given", "You have answered for this item.") });
    await screen.findByText("question 31");
    await user.keyboard("t");
    await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("You have answered for this item."));
  });
});
