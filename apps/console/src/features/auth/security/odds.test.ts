import { describe, expect, it } from "vitest";
import { oddsInWords } from "./odds.ts";

const words = (probability: number) => oddsInWords({ days: 30, tries: 100, valid_codes: 3, probability });

describe("an attacker's odds in words", () => {
  it("are a percentage of one digit, and one in how many", () => {
    expect(words(0.0003)).toBe("at most a 0.03% chance (1 in 3,333)");
    expect(words(1 - (1 - 3e-6) ** 100)).toBe("at most a 0.03% chance (1 in 3,333)");
    expect(words(0.0001)).toBe("at most a 0.01% chance (1 in 10,000)");
    expect(words(0.12)).toBe("at most a 12% chance (1 in 8)");
  });

  it("are never told smaller than they are", () => {
    expect(words(0.000_31)).toBe("at most a 0.04% chance (1 in 3,225)");
  });

  it("are none when there is nothing to guess", () => {
    expect(words(0)).toBe("no chance");
  });
});
