import { expect, test } from "vitest";
import { embeddedText } from "./embedded-text.ts";

test("names are embedded as the words they are made of, each once, before the text as it is", () => {
  const chunk = { path: "src/session-store.ts", scope: "SessionStore", symbols: ["removeExpired", "load_all", "removeExpired"] };

  expect(embeddedText({ ...chunk, content: "removeExpired() {}\n" })).toBe(
    "src session store ts session store: remove expired, load all\nremoveExpired() {}\n",
  );
});
