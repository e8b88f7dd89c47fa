/** Lines that code is made of, some of which a chunk's end falls into. */
const LINES = [
  "func (h *Head) Append(ref uint64) error {",
  "} else if err != nil {",
  '\treturn fmt.Errorf("append %d: %w", ref, err)',
  "foo_bar = foo.bar(FooBar)",
  "",
  "  // 100% of a_b\\c 'quoted' \"text\"",
  "größe = Straße + ΟΔΟΣ",
  "let x = [1, 2, 3]; // 😀 语言",
  "}",
  "aaaa bbbb aaab",
];

const STRANGE: Readonly<Record<string, string>> = {
  "windows.txt": "one;\r\ntwo;\r\n\r\nfoo_bar\r\n",
  "unfinished.go": "package x\n\nfunc foo_bar() {}",
  "empty.txt": "",
  "blank.txt": "\n\n\n",
  // A line cut into several chunks: its words are on both sides of the cuts.
  "long.json": `{"first": "${"needle_in_a_long_line ".repeat(300)}", "last": "foo_bar Append"}\n{"x": 1}\n`,
  "long-unfinished.json": `{"first": [${"12345, ".repeat(900)}1], "final_word": 2}`,
  "functions.ts": Array.from(
    { length: 60 },
    (_, index) =>
      `function value${index}(given: number) { return given * ${index}; } function other${index}() { if (value${index}(${index})) { return 1; } else { return ${index}; } }`,
  ).join(" "),
  "src/with space.txt": "foo_bar in a strange place\n",
};

/** Files that are hard to look through line by line, and forty of usual lines in various orders. */
export function grepFiles(): Readonly<Record<string, string>> {
  const usual = Array.from({ length: 40 }, (_, file) => {
    const lines = Array.from(
      { length: 3 + ((file * 17) % 90) },
      (__, line) => LINES[(file * 3 + line * line + line * file) % LINES.length],
    );
    return [`src/dir${file % 7}/file${file}.${["go", "ts", "py", "txt"][file % 4] ?? ""}`, `${lines.join("\n")}\n`] as const;
  });
  return { ...STRANGE, ...Object.fromEntries(usual) };
}
