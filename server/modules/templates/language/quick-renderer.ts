import { type Emitter, LiquidError, RenderError, type Template } from 'liquidjs'
import type { BoundedContext } from './bounded-context.ts'

/** A node that writes all it has when it is asked to, and leaves nothing to be waited for. */
type QuickNode = Template & { isQuick: true; render(context: BoundedContext, emitter: Emitter): void }
type RenderTemplates = (templates: Template[], context: BoundedContext, emitter: Emitter) => unknown

/**
 * Has a renderer of the library go through quick nodes in a plain loop; from the first other one on it does what it did.
 * Returns nothing when it has written everything, else what is still to be done: those who call it take both.
 */
export function quicken(renderer: object): void {
  const library = renderer as { renderTemplates: RenderTemplates }
  const asItWas = library.renderTemplates.bind(renderer)
  library.renderTemplates = (templates, context, emitter) => {
    for (let n = 0; n < templates.length; n++) {
      const node = templates[n]!
      if (!isQuick(node)) return asItWas(templates.slice(n), context, emitter)
      context.budget.takeSteps(1)
      try {
        node.render(context, emitter)
      } catch (error) {
        throw LiquidError.is(error) ? error : new RenderError(error as Error, node)
      }
      // Of a block whose loop was left before: the library looks after each node.
      if (context.breakCalled || context.continueCalled) break
    }
    // As the library charges for the block itself: a loop's turn costs something even if nothing stands in it.
    context.budget.takeSteps(1)
    return undefined
  }
}

export function isQuick(node: Template | QuickNode): node is QuickNode {
  return 'isQuick' in node && node.isQuick
}
