import { type Emitter, LiquidError, RenderError, type Template, toValueSync } from 'liquidjs'
import type { BoundedContext } from './bounded-context.ts'

/**
 * Renders nodes one after the other, and each to its end: no output of ours waits for anything. The library's own
 * renderer goes through the nodes inside its blocks; both charge a step for the list and one for each node.
 */
export function renderNodes(nodes: readonly Template[], context: BoundedContext, emitter: Emitter): void {
  context.budget.takeSteps(1)
  for (const node of nodes) {
    context.budget.takeSteps(1)
    try {
      const left: unknown = toValueSync(node.render(context, emitter))
      // Some tags of the library give what they have to say to their renderer.
      if (left !== undefined && left !== '') emitter.write(left)
    } catch (error) {
      throw LiquidError.is(error) ? error : new RenderError(error as Error, node)
    }
    // Of a block whose loop was left before: the library looks after each node.
    if (context.breakCalled || context.continueCalled) break
  }
}
