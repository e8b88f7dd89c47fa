/** A running job was broken off from outside; the job itself did not fail. */
export class BrokenOff extends Error {
  readonly why: "stopping" | "lost" | "cancelled";

  constructor(why: "stopping" | "lost" | "cancelled") {
    super(`the job was broken off: ${why}`);
    this.name = "BrokenOff";
    this.why = why;
  }
}
