/** Next.js calls this once when its server starts; what only Node.js has is imported where it runs. */
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] === "nodejs") {
    const { initializeRedisPublisher } = await import("@sightline/sdk");
    await initializeRedisPublisher();
  }
}
