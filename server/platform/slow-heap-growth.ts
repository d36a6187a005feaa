import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/**
 * From now on V8's heap grows by half at a time, and not by up to four times. As an option of the program it would cost each start:
 * what V8 keeps compiled, Node.js's own modules among it, holds for the options that it was compiled under and is thrown away under
 * others. So what has been compiled is kept first.
 */
export function growHeapSlowly(): void {
  flushCompileCache()
  setFlagsFromString('--heap-growing-percent=50')
}
