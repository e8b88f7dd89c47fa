import { afterAll, beforeAll, expect, test } from "vitest";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { writeScipIndex } from "#testing/scip-index.ts";

const FILES = {
  "base.py": "class Base:\n    def handle(self): pass\n",
  "http.py": "from base import Base\nclass Http(Base):\n    def handle(self): pass\nclass Tls(Http):\n    def handle(self): pass\n",
  "other.py": "class Other:\n    def handle(self): pass\n",
  "client.py": "def send(transport: Base, http: Http, other: Other):\n    transport.handle()\n    http.handle()\n    other.handle()\n",
};
const symbolOf = (type: string) => `hand . shop 1 \`shop\`/${type}#handle().`;
const [BASE, HTTP, TLS, OTHER] = ["Base", "Http", "Tls", "Other"].map(symbolOf) as [string, string, string, string];

let running: RunningCodeIndex;

beforeAll(async () => {
  running = await startCodeIndex();
  const { id, commit } = await running.index("acme/shop", FILES);
  const defined = (line: number, symbol: string) => ({ range: [line, 8, 14], symbol, isDefinition: true });
  const used = (line: number, column: number, symbol: string) => ({ range: [line, column, column + 6], symbol });
  const payload = writeScipIndex([
    { path: "base.py", places: [defined(1, BASE)] },
    {
      path: "http.py",
      places: [defined(2, HTTP), defined(4, TLS)],
      relations: [
        { symbol: HTTP, base: BASE },
        { symbol: TLS, base: HTTP },
        { symbol: TLS, base: "hand . lib 1 `lib`/Outside#handle()." },
      ],
    },
    { path: "other.py", places: [defined(1, OTHER)] },
    { path: "client.py", places: [used(1, 14, BASE), used(2, 9, HTTP), used(3, 10, OTHER)] },
  ]);
  const headers = { ...running.asAdmin(), "content-type": "application/octet-stream" };
  await running.server.inject({ method: "POST", url: `/api/v1/repos/${id}/scip?commit=${commit}`, headers, payload });
}, 60_000);

afterAll(() => running.stop());

async function usesOf(query: string) {
  const answer = await running.server.inject({
    url: `/api/v1/references?repo=acme/shop&symbol=handle&${query}`,
    headers: running.asAdmin(),
  });
  expect(answer.statusCode, answer.body).toBe(200);
  const { references, notes }: { references: { path: string; line: number; precision: string }[]; notes: string[] } = answer.json();
  return { uses: references.map(({ path, line, precision }) => `${path}:${line} ${precision}`), notes };
}

test("calls through what a method overrides are its uses, over all steps; those of other overrides are not", async () => {
  expect(await usesOf("position=http.py:5")).toEqual({
    uses: ["client.py:2 exact", "client.py:3 exact"],
    notes: expect.arrayContaining(["Uses of what it overrides are listed, too: Base.handle, Http.handle."]),
  });
  expect((await usesOf("position=base.py:2")).uses).toEqual(["client.py:2 exact"]);
  expect((await usesOf("position=other.py:2")).uses).toEqual(["client.py:4 exact"]);
});

test("what implements or overrides it is told with its place", async () => {
  const { notes } = await usesOf("position=base.py:2&kind=implementation");
  expect(notes).toContain("By an uploaded index these implement or override it: Http.handle (http.py:3), Tls.handle (http.py:5).");
});
