import { AppError } from "@sightline/foundation/errors";
import type { PatternError } from "#events/masker.ts";

export function badPattern({ index, message }: PatternError): AppError {
  return new AppError({
    code: "invalid_pattern",
    status: 400,
    message: `Pattern ${index + 1} can't be used: ${message}.`,
    details: [{ path: `patterns.${index}.expression`, message }],
  });
}

export function sampleTooLong(): AppError {
  return new AppError({
    code: "sample_too_long",
    status: 400,
    message: "So many patterns can't go through so long a sample. Try a shorter one.",
  });
}
