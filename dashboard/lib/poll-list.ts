/** Milliseconds between two reads of a list in which something is on its way. */
const MOVING_MS = 2_000
/** Milliseconds between two reads of a list in which nothing is: somebody else may begin something. */
const RESTING_MS = 15_000

/** How often to read a list again, by whether `isMoving` holds for any of what it has. */
export const pollWhile =
  <Item>(isMoving: (item: Item) => boolean) =>
  ({ items }: { items: readonly Item[] }): number =>
    items.some(isMoving) ? MOVING_MS : RESTING_MS
