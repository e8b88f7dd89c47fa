/** Of API and indexer: this machine's repositories are allowed, and nothing is polled. */
export function testConfig(dataDir: string) {
  return {
    CODEINDEX_DATA_DIR: dataDir,
    CODEINDEX_ALLOW_FILE_URLS: true,
    CODEINDEX_ALLOW_PRIVATE_HOSTS: ["localhost"],
    CODEINDEX_ENCRYPTION_KEYS: [{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }],
    CODEINDEX_MIRROR_MAX_MB: 1_000,
    CODEINDEX_HISTORY_COMMITS: 100,
    CODEINDEX_INDEXER_CONCURRENCY: 1,
    CODEINDEX_EMBEDDER: "hash",
    CODEINDEX_PUBLIC_URL: "http://localhost:8080",
    CODEINDEX_WEBHOOK_SECRET: "a-secret-for-webhooks",
    CODEINDEX_POLL_MINUTES: 0,
    CODEINDEX_TENANT_AUTO_PROVISION: false,
    CODEINDEX_MCP_CALLS_PER_MINUTE: 0,
  } as const;
}
