/**
 * The result of `compile`, made when it is first asked for. A process uses few of its routes: checks and serialisers of
 * all of them take 8 MB, and a tenth of the start.
 */
export function compileAtUse<T extends object>(compile: () => T): () => T {
  let compiled: T | undefined
  return () => {
    compiled ??= compile()
    return compiled
  }
}
