// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderConsole } from "#testing/render-console.tsx";
import { refuse } from "#testing/serve.ts";

const ID = "0190a1b2-0000-7000-8000-0000000000aa";
const REPO = `/api/code-index/api/v1/repos/${ID}`;
const ready = { state: "ready" };
const branch = {
  name: "main",
  is_default: true,
  indexed_commit: "c0ffee",
  indexed_at: "2026-01-01T00:00:00Z",
  files: 2,
  chunks: 2,
  behind: 0,
};
const repository = {
  id: ID,
  full_name: "acme/shop",
  clone_url: "https://git.example/acme/shop.git",
  default_branch: "main",
  index_status: "ready",
  indexed_commit: "c0ffee",
  indexed_at: "2026-01-01T00:00:00Z",
  behind: 0,
  files: 2,
  chunks: 2,
  refs: [branch],
  legs: { semantic: ready, bm25: ready, exact: ready },
  branches: [],
  include: [],
  exclude: [],
  credential_id: null,
  has_webhook_secret: false,
  last_error: null,
  created_at: "2026-01-01T00:00:00Z",
};
const commit = { repo: "acme/shop", ref: "main", commit: "c0ffee" };
const file = { ...commit, path: "src/cart.ts", language: "typescript", start_line: 1, truncated: false };
const cart = { ...file, end_line: 2, total_lines: 2, content: "export function total() {}\ntotal();\n" };
const readme = { ...file, path: "README.md", language: "markdown", end_line: 1, total_lines: 1, content: "# The shop\n" };
const total = { name: "total", kind: "function", scope: "", start_line: 1, end_line: 1 };

function open(address: string, shown: unknown = cart, answers = {}) {
  return renderConsole(`/code/acme/shop?${address}`, {
    "GET /api/code-index/api/v1/repos": { items: [repository], next_cursor: null },
    [`GET ${REPO}/tree`]: {
      ...commit,
      files: [
        { path: "README.md", language: "markdown", lines: 1 },
        { path: "src/cart.ts", language: "typescript", lines: 2 },
      ],
    },
    [`GET ${REPO}/file`]: shown,
    [`GET ${REPO}/outline`]: { ...commit, path: "src/cart.ts", language: "typescript", symbols: [total], names: ["total"] },
    ...answers,
  });
}

describe("an open file", () => {
  it("shows its lines, with the ones that the address aims at marked", async () => {
    open("path=src/cart.ts#L2");
    const content = await screen.findByRole("region", { name: "Content of src/cart.ts" });
    expect(within(content).getByText("2").closest("[data-line]")?.getAttribute("data-target")).toBe("true");
    expect(within(content).getByText("1").closest("[data-line]")?.getAttribute("data-target")).toBeNull();
  });

  it("opens one panel at a time beside it, each in the address", async () => {
    const { user, router } = open("path=src/cart.ts");
    await user.click(await screen.findByRole("button", { name: "Outline" }));
    expect(await screen.findByRole("region", { name: "Outline" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "References" }));
    expect(screen.getByRole("button", { name: "Outline" }).getAttribute("aria-pressed")).toBe("false");
    expect(router.state.location.search).toMatchObject({ path: "src/cart.ts", panel: "symbol" });
    await user.click(screen.getByRole("button", { name: "Close the panel" }));
    expect(router.state.location.search).not.toHaveProperty("panel");
  });

  it("asks for a name that is typed into its panel", async () => {
    const { user, requests } = open("path=src/cart.ts&panel=symbol");
    await user.type(await screen.findByRole("textbox", { name: "Name to look up" }), "total{Enter}");
    await waitFor(() => expect(requests.find(({ path }) => path.endsWith("/references"))?.query.get("symbol")).toBe("total"));
  });

  it("aims at a line whose number is clicked, and at a range with shift", async () => {
    const { user, router } = open("path=src/cart.ts");
    await user.click(await screen.findByRole("link", { name: "Line 1" }));
    expect(router.state.location.hash).toBe("L1");
    await user.keyboard("{Shift>}");
    await user.click(screen.getByRole("link", { name: "Line 2" }));
    expect(router.state.location.hash).toBe("L1-L2");
  });

  it("is read as a document where it is Markdown, and as it is written on request", async () => {
    const { user, router } = open("path=README.md", readme);
    expect(await screen.findByRole("region", { name: "Preview of README.md" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Preview" }));
    expect(await screen.findByRole("region", { name: "Content of README.md" })).toBeTruthy();
    expect(router.state.location.search).toMatchObject({ view: "source" });
  });

  it("says that the index has no such file, and leads to a search for its name", async () => {
    open("path=src/gone.ts", () => refuse(404, "file_not_found", "There is no such file."));
    expect(await screen.findByRole("heading", { name: "src/gone.ts is not here" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Search for gone.ts" }).getAttribute("href")).toContain("q=gone.ts");
  });

  it("opens the file that a path of a container is of, at the same line", async () => {
    const gone = () => refuse(404, "file_not_found", "There is no such file.");
    const served = ({ query }: { query: URLSearchParams }) => (query.get("path") === "src/cart.ts" ? cart : gone());
    const { router } = open("path=/app/src/cart.ts&commit=c0ffee#L2", served);
    expect(await screen.findByRole("region", { name: "Content of src/cart.ts" })).toBeTruthy();
    expect(router.state.location).toMatchObject({ search: { path: "src/cart.ts", commit: "c0ffee" }, hash: "L2" });
  });

  it("looks at the commit that a trace ran for a file that is no more", async () => {
    const { router } = open("path=src/gone.ts&commit=beef#L2", () => refuse(404, "file_not_found", "There is no such file."));
    expect(await screen.findByRole("heading", { name: "src/gone.ts is not here" })).toBeTruthy();
    expect(router.state.location).toMatchObject({ search: { path: "src/gone.ts", at: "beef" }, hash: "L2" });
  });

  it("says why it could not be opened, and opens it when it is tried again", async () => {
    let fails = true;
    const { user } = open("path=src/cart.ts", () => (fails ? refuse(400, "bad", "The index is being built.") : cart));
    expect((await screen.findByRole("alert")).textContent).toContain("The index is being built.");
    fails = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("region", { name: "Content of src/cart.ts" })).toBeTruthy();
  });
});
