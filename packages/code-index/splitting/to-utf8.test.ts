import { expect, test } from "vitest";
import { decode } from "./decode.ts";
import { MIXED, toUtf8 } from "./to-utf8.ts";

/** Comments in code, as iconv writes them. */
test.for([
  [
    "shift_jis",
    "// 設定ファイルを読み込み、失敗したら例外を投げる\n// このメソッドはスレッドセーフではありません\nfunction load() {}\n",
    "Ly8gkN2S6IN0g0CDQ4OLgvCTx4LdjZ6C3YFBjriUc4K1gr2C55fhik+C8JOKgrCC6QovLyCCsYLMg4GDXINig2iCzYNYg4yDYoNog1qBW4N0gsWCzYKgguiC3IK5gvEKZnVuY3Rpb24gbG9hZCgpIHt9Cg==",
  ],
  [
    "euc-jp",
    "// 設定ファイルを読み込み、失敗したら例外を投げる\nfunction load() {}\n",
    "Ly8gwN/E6qXVpaGlpKXrpPLGyaTfuf6k36GivLrH1KS3pL+k6c7js7Ck8sXqpLKk6wpmdW5jdGlvbiBsb2FkKCkge30K",
  ],
  [
    "gb18030",
    "// 读取配置文件\nfunction load() {\n  return 1; // 返回错误信息\n}\n",
    "Ly8gtsHIocXk1sPOxLz+CmZ1bmN0aW9uIGxvYWQoKSB7CiAgcmV0dXJuIDE7IC8vILe1u9i07c7z0MXPogp9Cg==",
  ],
  [
    "big5",
    "// 讀取設定檔，失敗時擲出例外\n// 這個函式不是執行緒安全的，請勿同時呼叫\nint load(void);\n",
    "Ly8gxaqo+rNdqXfAyaFBpaKx0a7JwlmlWKjSpX4KLy8gs2+t06jnpqGko6xPsPWm5rr8pnel/qq6oUG90KTFplCuyalJpXMKaW50IGxvYWQodm9pZCk7Cg==",
  ],
  [
    "euc-kr",
    "// 설정 파일을 읽고 실패하면 예외를 던진다\n// 이 함수는 스레드에 안전하지 않습니다\nint load(void);\n",
    "Ly8gvLPBpCDGxMDPwLsgwNCw7SC9x8bQx8+46SC/ub/cuKYgtPjB+LTZCi8vIMDMIMfUvPa0wiC9ure5teW/oSC+yMD8x8/B9iC+yr3AtM+02QppbnQgbG9hZCh2b2lkKTsK",
  ],
  ["koi8-r", "int load(void); // Проверка\n", "aW50IGxvYWQodm9pZCk7IC8vIPDSz9fF0svBCg=="],
  ["windows-1251", "int load(void); // Проверка\n", "aW50IGxvYWQodm9pZCk7IC8vIM/w7uLl8OrgCg=="],
] as const)("%s is told from its bytes", ([encoding, text, base64]) => {
  const recoded = toUtf8(Buffer.from(base64, "base64"));
  expect(recoded).toMatchObject({ encoding, isGuess: true });
  expect(recoded.content.toString()).toBe(text);
});

test.for([
  "// Größe der Datei prüfen, J\u00fcrgen M\u00fcller\nint load(void);\n",
  "# « Créé » : l'élève a été reçu à l'école où ça va être fêté\n",
  "# Función que añade la configuración del año según la versión más reciente\n",
  "// Läser inställningar från filen på nätet, ändrar ö och å\n",
  "/* © 2004 Acme */\nint x;\n",
])("Western European stays what it was: %j", (text) => {
  const written = Buffer.from(text, "latin1");
  const { content, ...told } = toUtf8(written);
  expect([decode(content).text, told]).toEqual([text, { encoding: MIXED, isGuess: true }]);
});

test("Unicode that says so itself is no guess, whatever is declared, and a byte gone astray makes no other encoding", () => {
  const utf8 = Buffer.from("// Проверка größe\n");
  const stray = Buffer.concat([utf8, Buffer.from([0xe9])]);
  const wide = Buffer.from("\u{feff}int größe;\n", "utf16le");
  expect(toUtf8(utf8, "windows-1251")).toEqual({ content: utf8, encoding: null, isGuess: false });
  expect(toUtf8(wide)).toEqual({ content: wide, encoding: null, isGuess: false });
  expect(toUtf8(stray)).toEqual({ content: stray, encoding: MIXED, isGuess: true });
  const unmarked = toUtf8(wide.subarray(2), "utf-16le");
  expect([unmarked.content.toString(), unmarked.encoding]).toEqual(["int größe;\n", "utf-16le"]);
});
