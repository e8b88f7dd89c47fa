/** The codes as a file to keep: what they are, of which account, and since when. */
export function backupCodesFile(codes: readonly string[], email: string, madeAt: Date): { readonly name: string; readonly text: string } {
  const day = madeAt.toISOString().slice(0, 10);
  const lines = [`Sightline backup codes for ${email}`, `Made on ${day}. Each works once.`, "", ...codes, ""];
  return { name: `sightline-backup-codes-${day}.txt`, text: lines.join("\n") };
}
