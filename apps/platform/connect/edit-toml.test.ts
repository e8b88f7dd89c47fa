import { expect, test } from "vitest";
import { addToToml, removeFromToml, tomlValueAt } from "./edit-toml.ts";

const PATH = ["mcp_servers", "sightline"];
const TABLE = { url: "https://sightline.example.org/mcp", http_headers: { Authorization: "Bearer codeindex_1" } };

const TEXTS: Readonly<Record<string, string>> = {
  "nothing in it": "",
  "only a comment": "# mine\n",
  "no table": 'model = "o4" # mine\n',
  "no line end at its end": 'model = "o4"',
  "blank lines at its end": 'model = "o4"\n\n\n',
  "another server": '[mcp_servers.notes]\ncommand = "notes"\n\n[mcp_servers.notes.env]\nA = "[mcp_servers.sightline]"\n',
  CRLF: 'model = "o4"\r\n\r\n[tools]\r\nweb = true\r\n',
  "a list of tables": "[[profiles]]\na = 1\n[[profiles]]\na = 2\n",
  "a text of several lines": 'notes = """\n[mcp_servers.sightline]\nurl = "no"\n"""\n',
};

test.for(Object.entries(TEXTS))("a file with %s gets the table at its end, and is the same without it", ([, text]) => {
  const { text: written, step } = addToToml(text, PATH, TABLE);
  expect(written.startsWith(text)).toBe(true);
  expect(tomlValueAt(written, PATH)).toEqual(TABLE);
  expect(addToToml(written, PATH, TABLE)).toEqual({ text: written });
  expect(step && removeFromToml(written, PATH, step)).toBe(text);
});

test("a table of that name is replaced where it stands, and comes back as it was written", () => {
  const text = '[mcp_servers.sightline]\nurl = "http://old" # by hand\n\n[tools]\nweb = true\n';
  const { text: written, step } = addToToml(text, PATH, TABLE);
  expect(written).toBe(
    '[mcp_servers.sightline]\nurl = "https://sightline.example.org/mcp"\nhttp_headers = { Authorization = "Bearer codeindex_1" } # by hand\n\n[tools]\nweb = true\n',
  );
  expect(step && removeFromToml(written, PATH, step)).toBe(text);
});

test("what was added behind it since stays", () => {
  const { text, step } = addToToml('model = "o4"\n', PATH, TABLE);
  expect(step && removeFromToml(`${text}\n[tools]\nweb = true\n`, PATH, step)).toBe('model = "o4"\n\n[tools]\nweb = true\n');
});

test.for([
  'mcp_servers = { notes = { command = "notes" } }\n',
  '[mcp_servers]\nsightline = { url = "http://old" }\n',
  '[mcp_servers.sightline]\nurl = "http://old"\n\n[mcp_servers.sightline.env]\nA = "b"\n',
  'mcp_servers.sightline.url = "http://old"\n',
])("servers that are written so that a table can't be added are refused: %s", (text) => {
  expect(() => addToToml(text, PATH, TABLE)).toThrow("mcp_servers.sightline");
});

test("what is no TOML is refused with its place", () => {
  expect(() => addToToml('model = "o4"\n[tools\n', PATH, TABLE)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("not valid TOML"),
      position: { line: expect.any(Number), column: expect.any(Number) },
    }),
  );
});
