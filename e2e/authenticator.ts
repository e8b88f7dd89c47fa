import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import decodeQr from "qr/decode.js";

const STEP_SECONDS = 30;

/** An authenticator app: `oathtool`, which nobody here wrote (Debian's package of that name). */
export type Authenticator = {
  /** A code that was not shown before. The server takes the next step's as well, so there is rarely one to wait for. */
  readonly code: () => Promise<string>;
  /** Six digits that the app shows at no moment near this one; another for each number. */
  readonly wrongCode: (number: number) => string;
};

export function createAuthenticator(secret: string): Authenticator {
  let lastStep = 0;
  return {
    code: async () => {
      const step = Math.max(currentStep(), lastStep + 1);
      lastStep = step;
      while (step > currentStep() + 1) {
        await delay(500);
      }
      return codeAt(secret, step);
    },
    wrongCode: (number) => {
      const near = [-2, -1, 0, 1, 2].map((distance) => codeAt(secret, currentStep() + distance));
      const codes = Array.from({ length: 10 }, (_, digit) => `${number}`.padEnd(6, String(digit)));
      return codes.find((code) => !near.includes(code)) ?? "";
    },
  };
}

/** What is needed of the browser's own objects. */
type Drawing = {
  readonly drawImage: (image: unknown, x: number, y: number, width: number, height: number) => void;
  readonly getImageData: (x: number, y: number, width: number, height: number) => { readonly data: ArrayLike<number> };
};
type Picture = {
  readonly width: number;
  readonly height: number;
  readonly decode: () => Promise<void>;
  readonly ownerDocument: {
    readonly createElement: (name: "canvas") => { width: number; height: number; getContext: (kind: "2d") => Drawing };
  };
};

/** Scans the QR code that a page shows, pixel by pixel as a camera sees it, and answers the secret in it. */
export async function scanSecret(picture: Locator): Promise<string> {
  const { width, height, pixels } = await picture.evaluate(async (image: Picture) => {
    await image.decode();
    const canvas = image.ownerDocument.createElement("canvas");
    canvas.width = image.width * 2;
    canvas.height = image.height * 2;
    const drawing = canvas.getContext("2d");
    drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
    const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height);
    // As one text: hundreds of thousands of numbers take the browser's protocol many seconds.
    let pixelText = "";
    for (let index = 0; index < data.length; index += 1) {
      pixelText += String.fromCharCode(data[index] ?? 0);
    }
    return { width: canvas.width, height: canvas.height, pixels: btoa(pixelText) };
  });
  const address = new URL(decodeQr({ width, height, data: Buffer.from(pixels, "base64") }));
  return address.searchParams.get("secret") ?? "";
}

function currentStep(): number {
  return Math.floor(Date.now() / 1000 / STEP_SECONDS);
}

function codeAt(secret: string, step: number): string {
  const words = ["--totp", "--base32", "--now", `@${step * STEP_SECONDS}`, "-"];
  return execFileSync("oathtool", words, { input: `${secret}\n`, encoding: "utf8" }).trim();
}
