/** Numbers from 0 to 2³² - 1 one behind the other, in one piece of memory: for millions of them, which the collector of garbage need not look at. */
export class GrowingNumbers {
  length = 0;
  #numbers = new Uint32Array(256);

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      this.#numbers = new Uint32Array(this.#numbers.buffer.transfer(this.length * 8));
    }
    this.#numbers[this.length++] = number;
  }

  /** Those that were pushed, to be read or changed until the next push. */
  all(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}
