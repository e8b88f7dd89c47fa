import { beforeAll, describe, expect, test } from "vitest";
import { findBackupCode, makeBackupCodes, type BackupCodes } from "./make-backup-codes.ts";

let set: BackupCodes;

beforeAll(async () => {
  set = await makeBackupCodes();
});

describe("backup codes", () => {
  test("are ten of four groups, each with a selector of its own", () => {
    expect(set.codes).toHaveLength(10);
    expect(new Set(set.codes.map((code) => code.slice(0, 2))).size).toBe(10);
    for (const code of set.codes) {
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    }
  });

  test("are stored as selector and bcrypt hash of cost 10, and as nothing else", () => {
    for (const [index, hash] of set.hashes.entries()) {
      expect(hash).toMatch(/^[0-9A-Z]{2}:\$2b\$10\$[./A-Za-z0-9]{53}$/);
      expect(hash.slice(0, 2)).toBe(set.codes[index]?.slice(0, 2));
    }
    expect(new Set(set.hashes).size).toBe(10);
  });

  test("are found by their own hash", async () => {
    for (const [index, code] of set.codes.entries()) {
      expect(await findBackupCode(set.hashes, code)).toBe(set.hashes[index]);
    }
  });

  test("are found as people type them", async () => {
    const hashes = set.hashes;
    const [code = ""] = set.codes;
    const writings = [
      code.toLowerCase(),
      code.replaceAll("-", ""),
      code.replaceAll("-", "\u2013"),
      ` ${code.replaceAll("-", " ")}\n`,
      code.replaceAll("0", "o").replaceAll("1", "l"),
      code.replaceAll("0", "O").replaceAll("1", "I"),
      Array.from(code, (symbol) => (symbol === "-" ? symbol : String.fromCodePoint(symbol.charCodeAt(0) + 0xfee0))).join(""),
    ];
    for (const writing of writings) {
      expect(await findBackupCode(hashes, writing)).toBe(hashes[0]);
    }
  });

  test("are not found with another end, another selector, too short, too long or empty", async () => {
    const [first = "", second = ""] = set.codes;
    const otherEnd = first.endsWith("A") ? "B" : "A";
    const wrong = [
      `${first.slice(0, -1)}${otherEnd}`,
      `${second.slice(0, 2)}${first.slice(2)}`,
      first.slice(0, -1),
      `${first}A`,
      "",
      "\0",
      "U".repeat(16),
    ];
    for (const code of wrong) {
      expect(await findBackupCode(set.hashes, code)).toBeUndefined();
    }
  });

  test("are not found once their hash is gone, nor in an empty set", async () => {
    const [first = ""] = set.codes;

    expect(await findBackupCode(set.hashes.slice(1), first)).toBeUndefined();
    expect(await findBackupCode([], first)).toBeUndefined();
  });

  test("cost one hash a try, whether the selector is known, unknown or missing", async () => {
    const [first = ""] = set.codes;
    const unknown = `${set.hashes.some((hash) => hash.startsWith("00")) ? "ZZ" : "00"}${first.slice(2)}`;
    const costs: number[] = [];
    for (const code of [first, `${first.slice(0, 2)}00-0000-0000-0000`, unknown, "no code"]) {
      const times: number[] = [];
      for (let round = 0; round < 5; round++) {
        const begun = process.cpuUsage();
        await findBackupCode(set.hashes, code);
        times.push(process.cpuUsage(begun).user);
      }
      // Only this process counts, and the fastest of each: other work can only add.
      costs.push(Math.min(...times));
    }
    expect(Math.max(...costs) / Math.min(...costs)).toBeLessThan(2);
  });
});
