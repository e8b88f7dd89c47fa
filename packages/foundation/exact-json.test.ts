import { describe, expect, test } from "vitest";
import { isSameNumber, parseExactly, toNumber } from "./exact-json.ts";
import { randomOf } from "./seeded-random.ts";

const ODD = ["1.10", "1.0", "-0", "-0.0", "1e400", "-1E5", "1e-05", "0.0000001", "12345678901234567890", "0.1000", "123456789.123456789"];
const ODD_2 = ["1e+16", "1000000000000000000000", "9007199254740993", "0e0", "2.5e-324", "0.30000000000000004", "1.7976931348623157e309"];

describe("exact JSON", () => {
  test.each([...ODD, ...ODD_2, "0", "1.5", "-12", "0.1", "1e21", "9007199254740991"])("%s stays as it was sent", (number) => {
    for (const json of [number, `[${number}]`, `{"a":${number}}`, `[1,${number}]`, `{"a":"\\" 1","b":[${number},${number}]}`]) {
      expect(JSON.stringify(parseExactly(json))).toBe(json);
    }
    expect(JSON.stringify(parseExactly(`\n[ ${number} ,\t${number}\r\n]`))).toBe(`[${number},${number}]`);
  });

  test("any number stays as it was sent", () => {
    const random = randomOf(1);
    const digits = (most: number) => Array.from({ length: Math.floor(random() * most) }, () => Math.floor(random() * 10)).join("");
    for (let round = 0; round < 20_000; round += 1) {
      const whole = digits(20).replace(/^0+/, "") || "0";
      const number = `${random() < 0.3 ? "-" : ""}${whole}${random() < 0.5 ? `.${digits(20)}0` : ""}${random() < 0.2 ? `e${random() < 0.5 ? "-" : ""}${digits(4)}1` : ""}`;
      expect(JSON.stringify(parseExactly(`{"a":${number}}`))).toBe(`{"a":${number}}`);
    }
  });

  test("nested as deep as anything is read, as far as JavaScript reads it", () => {
    expect(() => parseExactly(`${"[".repeat(1_000_000)}1.0${"]".repeat(1_000_000)}`)).not.toThrow();
    expect(() => parseExactly("[1.0")).toThrow(SyntaxError);
  });

  test("is read only below the keys that are named", () => {
    const read = parseExactly(
      '{"n": 1.0, "list": [{"value": {"value": 1.10, "n": 2.0}, "n": -0.0}], "__proto__": 1.0}',
      new Set(["value"]),
    );
    expect(JSON.stringify(read)).toBe('{"n":1,"list":[{"value":{"value":1.10,"n":2.0},"n":0}],"__proto__":1}');
  });

  test("equal numbers are equal however they are written, those that JavaScript can't hold when they are written alike", () => {
    const [ten, big, beyond] = ["1.10", "12345678901234567890", "1e400"].map((json) => parseExactly(json));
    expect([isSameNumber(ten, 1.1), isSameNumber(1.1, ten), isSameNumber(big, parseExactly("12345678901234567890"))]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isSameNumber(big, toNumber(big)), isSameNumber(beyond, parseExactly("1e401")), isSameNumber(ten, "1.10")]).toEqual([
      false,
      false,
      false,
    ]);
    expect([toNumber(ten), toNumber("1.10"), toNumber(big)]).toEqual([1.1, "1.10", Number("12345678901234567890")]);
  });
});
