// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import { DeleteByName } from "./delete-by-name.tsx";

async function open(remove: () => Promise<unknown>) {
  const { user } = renderPart(
    <DeleteByName what="project" name="Shop" remove={remove} onDeleted={() => Promise.resolve()}>
      Its traces go with it.
    </DeleteByName>,
  );
  await user.click(await screen.findByRole("button", { name: "Delete this project" }));
  return user;
}

describe("a deletion that needs the name", () => {
  it("is not offered before the whole name is typed", async () => {
    let removed = 0;
    const user = await open(() => Promise.resolve((removed += 1)));
    const field = screen.getByRole("textbox", { name: "Type Shop" });
    await user.type(field, "Sho{Enter}");
    expect(screen.getByRole("button", { name: "Delete" })).toHaveProperty("disabled", true);
    expect(removed).toBe(0);
    await user.type(field, "p{Enter}");
    expect(removed).toBe(1);
  });

  it("stays open with the reason where it was refused", async () => {
    const user = await open(() => Promise.reject(new Error("Only owners may delete it.")));
    await user.type(screen.getByRole("textbox", { name: "Type Shop" }), "Shop{Enter}");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The project was not deleted");
    expect(alert.textContent).toContain("Only owners may delete it.");
  });
});
