const STEP = 10;

/** Says on the error output what runs, each thing once. */
export class Progress {
  readonly #said = new Set<string>();
  #toldPercent = 0;
  #isLineOpen = false;

  say(message: string): void {
    if (!this.#said.has(message)) {
      this.#said.add(message);
      this.#write(`Sightline: ${message}\n`);
    }
  }

  /** One line that changes in a terminal; elsewhere a line for every tenth. */
  count(done: number, total: number, notes: string): void {
    const percent = Math.floor((100 * done) / Math.max(1, total));
    if (process.stderr.isTTY) {
      this.#write(`\rSightline: ${done}/${total} runs${notes}\u001b[K`);
    } else if (percent >= this.#toldPercent + STEP) {
      this.#toldPercent = percent - (percent % STEP);
      this.#write(`Sightline: ${done}/${total} runs${notes}\n`);
    }
  }

  endLine(): void {
    this.#write("");
  }

  #write(text: string): void {
    const isLine = text.startsWith("\r");
    process.stderr.write(this.#isLineOpen && !isLine ? `\n${text}` : text);
    this.#isLineOpen = isLine;
  }
}
