import { alternate, ANYTHING, concatenate, EMPTY, oneOfCharacters, toTrigramQuery, repeat, type Known } from "./regex-trigrams.ts";
import type { TrigramQuery } from "./trigram-query.ts";

export type RegexReading = {
  readonly trigrams: TrigramQuery;
  /** Whether a match may span several lines. */
  readonly isMultiline: boolean;
};

/**
 * What a regular expression, which RE2 has accepted, says about the texts it matches. What is not understood stands for any text: that
 * costs time and never a match.
 */
export function readRegex(source: string): RegexReading {
  const reader = new Reader(source);
  const known = reader.alternatives();
  return { trigrams: reader.isDone ? toTrigramQuery(known) : toTrigramQuery(ANYTHING), isMultiline: reader.isMultiline };
}

/** A class of more characters counts as any character. */
const MAX_CLASS_CHARACTERS = 40;
const NEWLINE = 10;

/** Character codes; `undefined` for too many. */
type Characters = readonly number[] | undefined;

class Reader {
  isMultiline = false;
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  get isDone(): boolean {
    return this.#at >= this.#characters.length;
  }

  alternatives(): Known {
    let known = this.#sequence();
    while (this.#take("|")) {
      known = alternate(known, this.#sequence());
    }
    return known;
  }

  #sequence(): Known {
    let known = EMPTY;
    while (!this.isDone && this.#next() !== "|" && this.#next() !== ")") {
      known = concatenate(known, this.#repeated());
    }
    return known;
  }

  #repeated(): Known {
    let known = this.#one();
    for (let times = this.#repetition(); times !== undefined; times = this.#repetition()) {
      known = repeat(known, ...times);
    }
    return known;
  }

  #repetition(): readonly [least: number, most: number | undefined] | undefined {
    const braces = /^\{(\d+)(,(\d*))?\}/.exec(this.#characters.slice(this.#at, this.#at + 12).join(""));
    let times: readonly [number, number | undefined];
    if (this.#take("*")) {
      times = [0, undefined];
    } else if (this.#take("+")) {
      times = [1, undefined];
    } else if (this.#take("?")) {
      times = [0, 1];
    } else if (braces === null) {
      return undefined;
    } else {
      const [text, min = "", range, max = ""] = braces;
      this.#at += text.length;
      times = [Number(min), range === undefined ? Number(min) : max === "" ? undefined : Number(max)];
    }
    // Reluctant or not, the same texts match.
    this.#take("?");
    return times;
  }

  #one(): Known {
    const character = this.#pop();
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escaped();
      case ".":
        return ANYTHING;
      case "^":
      case "$":
        return EMPTY;
      default:
        return this.#literally(character);
    }
  }

  #literally(character: string): Known {
    const code = character.codePointAt(0) ?? 0;
    this.isMultiline ||= code === NEWLINE;
    return oneOfCharacters([code]);
  }

  #group(): Known {
    const head = /^\?(?:P?<[^>]*>|([imsU-]*)([:)]))/.exec(this.#rest());
    if (head !== null) {
      const [text, flags = "", end] = head;
      this.#at += Array.from(text).length;
      // With the flag s a dot also matches line ends.
      this.isMultiline ||= /^[imU]*s/.test(flags);
      if (end === ")") {
        return EMPTY;
      }
    }
    const known = this.alternatives();
    this.#take(")");
    return known;
  }

  #escaped(): Known {
    if (this.#take("Q")) {
      return this.#quoted();
    }
    if (this.#take("b") || this.#take("B") || this.#take("A") || this.#take("z")) {
      return EMPTY;
    }
    return oneOfCharacters(this.#escapedCharacters());
  }

  #quoted(): Known {
    const [literal = ""] = this.#rest().split("\\E", 1);
    const isEnded = this.#rest().length > literal.length;
    const characters = Array.from(literal);
    this.#at += characters.length + (isEnded ? 2 : 0);
    return characters.map((character) => this.#literally(character)).reduce(concatenate, EMPTY);
  }

  /** What an escape stands for, its backslash being read. */
  #escapedCharacters(): Characters {
    const character = this.#pop();
    const rest = this.#rest();
    if (character === "x") {
      const [text = "", braced, plain] = /^(?:\{([\da-fA-F]+)\}|([\da-fA-F]{2}))/.exec(rest) ?? [];
      this.#at += text.length;
      return this.#just(Number.parseInt(braced ?? plain ?? "", 16));
    }
    if (/[0-7]/.test(character)) {
      const [more = ""] = /^[0-7]{0,2}/.exec(rest) ?? [];
      this.#at += more.length;
      return this.#just(Number.parseInt(character + more, 8));
    }
    if (character === "p" || character === "P") {
      this.#at += rest.startsWith("{") ? Array.from(rest.slice(0, rest.indexOf("}") + 1)).length : 1;
      return undefined;
    }
    const control = CONTROLS[character];
    if (control !== undefined) {
      return this.#just(control);
    }
    return /[A-Za-z]/.test(character) ? NAMED[character] : this.#just(character.codePointAt(0) ?? 0);
  }

  #just(code: number): readonly number[] {
    this.isMultiline ||= code === NEWLINE;
    return [code];
  }

  #class(): Known {
    const from = this.#at;
    const wasMultiline = this.isMultiline;
    const isNegated = this.#take("^");
    const items: Characters[] = [];
    do {
      items.push(this.#item());
    } while (!this.isDone && this.#next() !== "]");
    const written = this.#characters.slice(from, this.#at).join("");
    this.#take("]");
    // `[\s\S]` is how line ends are asked for where a dot does not take them; `[^\n]` keeps them out.
    this.isMultiline = isNegated ? wasMultiline : this.isMultiline || TAKES_ALL.test(written);
    const characters = items.flatMap((item) => item ?? []);
    const isKnown = !isNegated && items.every((item) => item !== undefined) && characters.length <= MAX_CLASS_CHARACTERS;
    return oneOfCharacters(isKnown ? characters : undefined);
  }

  /** A character of a class, a range of them, or a class within. */
  #item(): Characters {
    const [named] = /^\[:\^?\w+:\]/.exec(this.#rest()) ?? [];
    if (named !== undefined) {
      this.#at += named.length;
      return undefined;
    }
    const first = this.#classCharacters();
    const isRange = first?.length === 1 && this.#next() === "-" && this.#characters[this.#at + 1] !== "]";
    if (!isRange) {
      return first;
    }
    this.#take("-");
    const [from = 0] = first;
    const [to = 0] = this.#classCharacters() ?? [];
    this.isMultiline ||= from <= NEWLINE && NEWLINE <= to;
    return to - from < MAX_CLASS_CHARACTERS ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : undefined;
  }

  #classCharacters(): Characters {
    const character = this.#pop();
    return character === "\\" ? this.#escapedCharacters() : this.#just(character.codePointAt(0) ?? 0);
  }

  #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #pop(): string {
    return this.#characters[this.#at++] ?? "";
  }

  #take(character: string): boolean {
    const isNext = this.#next() === character;
    this.#at += isNext ? 1 : 0;
    return isNext;
  }

  #rest(): string {
    return this.#characters.slice(this.#at).join("");
  }
}

const TAKES_ALL = /\\s.*\\S|\\S.*\\s|\\d.*\\D|\\D.*\\d|\\w.*\\W|\\W.*\\w/;

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: NEWLINE, r: 13, t: 9, v: 11 };

/** Escapes that stand for few characters; all others count as any character. */
const NAMED: Readonly<Record<string, readonly number[]>> = {
  d: Array.from({ length: 10 }, (_, digit) => 48 + digit),
  s: [9, NEWLINE, 12, 13, 32],
};
