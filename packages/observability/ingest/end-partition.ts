import { errorMessage } from "@sightline/foundation/errors";
import type { Redis } from "@sightline/foundation/redis";

/** Looks and removes in one step: an event that was added between the two would be lost. */
const END = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 1 end
if redis.call('XLEN', KEYS[1]) > 0 then return 0 end
local newest = 0
local info = redis.call('XINFO', 'STREAM', KEYS[1])
for index = 1, #info, 2 do
  if info[index] == 'last-generated-id' then newest = tonumber(string.match(info[index + 1], '^%d+')) end
end
local now = redis.call('TIME')
if now[1] * 1000 + now[2] / 1000 - newest < tonumber(ARGV[1]) then return 0 end
return redis.call('DEL', KEYS[1])`;

/**
 * Removes a partition that is empty and to which nothing came for `quietMs`. A producer that was only quiet makes it anew with its next event, and it is
 * found again like any other.
 *
 * @returns whether it is gone; false also when the Redis user may not do it.
 */
export async function endPartition(redis: Redis, partition: string, quietMs: number): Promise<boolean> {
  try {
    return (await redis.eval(END, 1, partition, quietMs)) === 1;
  } catch (error) {
    if (errorMessage(error).includes("NOPERM")) {
      return false;
    }
    throw error;
  }
}
