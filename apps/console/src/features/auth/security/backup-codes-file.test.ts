import { expect, it } from "vitest";
import { backupCodesFile } from "./backup-codes-file.ts";

it("tells in the file of backup codes whose they are and since when", () => {
  expect(backupCodesFile(["AAAA-BBBB-CCCC-DDDD", "EEEE-FFFF-GGGG-HHHH"], "ada@example.com", new Date("2026-11-21T16:00:00Z"))).toEqual({
    name: "sightline-backup-codes-2026-11-21.txt",
    text: "Sightline backup codes for ada@example.com\nMade on 2026-11-21. Each works once.\n\nAAAA-BBBB-CCCC-DDDD\nEEEE-FFFF-GGGG-HHHH\n",
  });
});
