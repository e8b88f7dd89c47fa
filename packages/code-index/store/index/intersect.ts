/** Ordinals of chunks, sorted upwards. */
export type Rising = Uint16Array | Uint32Array;

/** The ordinals that are in all of the lists. */
export function intersect(lists: readonly Rising[]): Rising {
  const [shortest = new Uint16Array(0), ...others] = lists.toSorted((one, other) => one.length - other.length);
  return others.reduce(intersectTwo, shortest);
}

/** Walks both lists together, the longer one by galloping: in strides that double until they overshoot. */
function intersectTwo(shorter: Rising, longer: Rising): Rising {
  const common = shorter.slice();
  const last = longer.length - 1;
  let count = 0;
  for (let at = 0, place = 0; at < shorter.length && place <= last; at++) {
    const wanted = shorter[at] ?? 0;
    place = placeFrom(longer, wanted, place);
    if (longer[place] === wanted) {
      common[count++] = wanted;
    }
  }
  return common.subarray(0, count);
}

/** The first place at or after `from` whose number is not smaller than the one wanted; the list's length when there is none. */
export function placeFrom(list: Rising, wanted: number, from: number): number {
  const last = list.length - 1;
  let place = from;
  let stride = 1;
  while (place + stride <= last && (list[place + stride] ?? 0) < wanted) {
    place += stride;
    stride *= 2;
  }
  let end = Math.min(place + stride, last + 1);
  while (place < end) {
    const middle = (place + end) >>> 1;
    if ((list[middle] ?? 0) < wanted) {
      place = middle + 1;
    } else {
      end = middle;
    }
  }
  return place;
}
