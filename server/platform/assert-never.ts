/** Ends a switch over a closed set: a case that is missing does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${String(value)}`)
}
